"""Integrity checks, backups, repair and system reports of a library.

integrity_and_backups.py  Integrity check of a library, on demand and weekly when idle, and backups of its database
idle_check.py             The library looked through by itself when nobody does anything: once a week, and after an
                          end that was none
repair.py                 Repair of a library: backed up, mended, lost items reported, and removed files and rows
                          moved to quarantine
release_check.py          Question for a newer release of the program, at most once a day, and what is new in this one
surroundings.py           What this machine lacks, and what the program does about it, one sentence each
system_report.py          System reports: versions, machine and library, for a person or to attach to an issue
"""
