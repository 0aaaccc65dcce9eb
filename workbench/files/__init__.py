"""File operations: the only package that deletes and moves files or changes their permissions.

changes.py     Deletion and moving of files and folders, only inside a folder that the caller names
modes.py       Permissions of new files and folders
positional.py  Thread-safe positional reads of a file without mapping it into memory

Other packages only write files; tests/house enforces this.
"""
