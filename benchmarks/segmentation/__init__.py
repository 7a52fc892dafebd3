"""How well changes of subject are found, beside peers."""
