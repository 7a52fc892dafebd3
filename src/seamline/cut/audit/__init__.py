"""cut/audit"""
