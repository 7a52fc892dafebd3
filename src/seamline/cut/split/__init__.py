"""cut/split"""
