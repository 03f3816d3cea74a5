"""How good are the results?"""
