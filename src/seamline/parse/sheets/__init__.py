"""parse/sheets"""
