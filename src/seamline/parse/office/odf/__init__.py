"""parse/office/odf"""
