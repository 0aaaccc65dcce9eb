"""Kinds of files in the file dialog."""

import re

from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from workbench.parsing.parser_registry import supported_suffixes
from workbench.ui.library.pane import file_dialog_filters


def test_the_first_kind_is_everything_that_is_read_archives_too() -> None:
    first, *rest = file_dialog_filters()
    patterns = re.findall(r"\*(\.\S+?)(?=[ )])", first)
    assert set(patterns) == {*supported_suffixes(), ".zip"}
    assert rest[-1] == "All files (*)"


def test_kinds_are_few_named_for_people_and_understood_by_qt(qtbot: QtBot) -> None:
    names = [one.partition(" (")[0] for one in file_dialog_filters()]
    assert len(names) <= 25
    assert all(name[0].isupper() and len(name) < 40 for name in names)
    dialog = QFileDialog()
    qtbot.addWidget(dialog)
    dialog.setOption(QFileDialog.Option.HideNameFilterDetails)
    dialog.setNameFilters(file_dialog_filters())
    assert len(dialog.nameFilters()) == len(names)
