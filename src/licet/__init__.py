"""licet"""
