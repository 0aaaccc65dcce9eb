"""Linked folders: watched, scanned, and their changes imported.

folder_linking.py   Linked folders: link, unlink, list, and check: look twice, plan, then do what the plan says
folder_scan.py      Folder scan: the files of a linked folder with their stamps, and the plan of what changed since
                    the last scan
folder_watching.py  Follow the linked folders as long as the library is open: the system tells of a change, or they
                    are looked at
linked_archives.py  ZIP archives in linked folders: their members follow the archive as files follow their folder
"""
