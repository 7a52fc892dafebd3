"""parse/media"""
