"""Integrity check of the library, its repair, its backups.

presenter.py             Presenter of the integrity check, and its findings as rows
integrity_dialog.py      Dialog of the integrity check: findings, repair, and the list of backups
integrity_controller.py  Controller of library integrity in the window: notices, repair, restore of a backup, and
                         reopening
"""
