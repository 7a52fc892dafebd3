"""parse/html"""
