"""Files on the disk: the one room that deletes and moves them, or changes what they let others do.

changes.py   deletes and moves what really lies in a folder that its caller owns, and nothing else

Everything else makes files and writes to those that it made; tests/house holds it to that.
"""
