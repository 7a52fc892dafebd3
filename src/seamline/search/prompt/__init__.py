"""search/prompt"""
