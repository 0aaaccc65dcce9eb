"""What others can add: a typed registry per kind of part, filled by us and by entry points."""
