"""What found files may lead to: services, keys, model files, folders of other users."""
