"""parse/latex"""
