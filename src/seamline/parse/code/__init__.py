"""parse/code"""
