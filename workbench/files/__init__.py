"""Files on the disk: the one room that deletes and moves them, or changes what they let others do.

changes.py     deletes and moves what really lies in a folder that its caller owns, and nothing else
modes.py       makes files and folders that are the user's alone, or as open as the folder that a group shares
positional.py  reads a file at places without mapping it, and tells whether it is still what was opened

Other rooms write files and change nothing else; tests/house holds them to that.
"""
