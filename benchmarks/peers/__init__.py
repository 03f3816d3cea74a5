"""How does Porism compare with other programs?"""
