"""Do the tests notice mistakes?"""
