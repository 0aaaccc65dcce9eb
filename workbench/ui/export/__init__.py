"""Export and import of sessions.

presenter.py          Presenter of an export, texts of its parts, and the dialog for the target file or folder
export_dialog.py      Export dialog: sessions, format, and parts to include
export_controller.py  Connects the commands that export sessions, import bundles, and add the original file of an
                      imported session
"""
