"""Files on the disk: the one room that deletes and moves them, or changes what they let others do.

changes.py     Deleting and moving files and folders, each only where it really lies in a folder that the caller owns
modes.py       What new files and folders let others do: nothing, but where the user chose a folder that a group
               shares
positional.py  A file read at places, by several threads at once, and never mapped: one cut short ends a read, not a
               program

Other rooms write files and change nothing else; tests/house holds them to that.
"""
