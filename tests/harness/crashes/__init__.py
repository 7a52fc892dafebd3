"""A crash harness: index runs that are interrupted at every write, sync, rename and unlink; see `points`."""
