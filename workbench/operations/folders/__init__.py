"""Linked folders: watch, scan, and import their changes.

folder_linking.py   Linked folders: link, unlink, list, and check (scan twice, plan, carry out the plan)
folder_scan.py      Folder scan: the files of a linked folder with their stamps, and the plan for changes since the
                    last scan
folder_watching.py  Monitoring of linked folders while the library is open, by system notifications or periodic scans
linked_archives.py  ZIP archives in linked folders: import of changed archives, removal of members of deleted ones
"""
