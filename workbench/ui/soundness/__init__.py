"""The check of the library: whether it is sound, its repair, its backups; beside the window, and in the place of it.

presenter.py             The decisions of the integrity check, and its findings as rows with their wording
integrity_dialog.py      The dialog of the integrity check: findings, repair, and the list of backups
integrity_controller.py  Controller of library integrity in the window: notices, repair, restore of a backup, and
                         reopening
"""
