"""Integrity checks, backups, repair and system reports of a library.

integrity_and_backups.py  Integrity check of a library, on demand and when idle, and backups of its database
repair.py                 Repair of a library: backup, repair of each fault, report of losses, and quarantine of removed
                          files and rows
release_check.py          Check for a newer release of the program, at most once a day, and its changes
surroundings.py           Missing features of this machine and how the program copes with each, one sentence each
system_report.py          System reports: versions, machine and library, for a person or to attach to an issue
"""
