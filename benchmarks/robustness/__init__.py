"""Do the tests notice mistakes, and are projects read as they were written?"""
