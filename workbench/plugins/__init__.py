"""What others can add: a typed registry per kind of part (registry.py), filled by us and by entry points."""
