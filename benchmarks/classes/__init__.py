"""Is the class of a document found, and is `auto` never behind the default?"""
