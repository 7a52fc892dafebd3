"""parse/office"""
