"""parse/markdown"""
