"""Values as JSON: the typed records that `to_dict` makes, how values are read back, and the JSON Schema of each."""
