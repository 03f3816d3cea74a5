"""What is each part worth?"""
