"""parse/office/docx"""
