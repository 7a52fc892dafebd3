"""parse/tables"""
