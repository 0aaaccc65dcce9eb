"""Exporting sessions, and taking them in again.

presenter.py          The decisions of an export, the wording of its parts, and the question for the target file or
                      folder
export_dialog.py      The export dialog: sessions, format, and parts to include
export_controller.py  Connects the commands that export sessions, import bundles, and add the original file of an
                      imported session
"""
