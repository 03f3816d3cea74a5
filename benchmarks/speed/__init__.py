"""How long does it take, and how much memory?"""
