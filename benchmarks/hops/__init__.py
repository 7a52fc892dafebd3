"""Questions of several steps or sides, over documents with known answers."""
