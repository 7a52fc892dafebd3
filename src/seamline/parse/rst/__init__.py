"""parse/rst"""
