"""Texts of documents, models and people are never interpreted as markup by Qt.

Qt treats a text that looks like HTML as HTML (Qt.AutoText) in labels, tool tips and message boxes, and loads its
images from the disk. The style sheet therefore makes all of these plain; code that needs markup calls
controls.write_markup; message boxes come from dialog.py, links and files are opened by external_programs.py.
"""

import ast
import functools
import re
from collections.abc import Iterator

import pytest
from source_trees import PACKAGE, module_paths, source_of, tree_of

from workbench.resources import resource

UI = PACKAGE / "ui"
MADE = {
    # Restricted calls and names, and the modules that may use them; an addition needs a reason like these.
    "QLabel": {"controls.py"},
    "QMessageBox": {"dialog.py"},
    "QInputDialog": {"dialog.py"},
    "QInputDialog.getText": {"dialog.py"},
    "QTextEdit": set(),
    "QTextBrowser": set(),
    "setHtml": {
        "chat/answer_document.py",  # sanitised by export/rendering.py
        "inspector/details_view.py",  # all its values are escaped
        "external_programs.py",  # for other programs, escaped
    },
    "insertHtml": {"chat/answer_document.py"},
    "setMarkdown": {"release_notes.py"},  # the program's own changelog, and nothing of a release feed
    "setWhatsThis": set(),
    "setOpenExternalLinks": {"external_programs.py"},  # no
    "QDesktopServices.openUrl": {"external_programs.py"},
    "webbrowser.open": set(),
    "os.startfile": set(),
}
NAMED = {
    "RichText": {"controls.py"},
    "AutoText": set(),
    "MarkdownText": set(),
}
_STATIC = re.compile(r"QMessageBox\.(question|information|warning|critical|about)\b")


def _calls(tree: ast.AST) -> Iterator[str]:
    """Yield the called names: “made.setHtml” as “setHtml” and as “made.setHtml”, the last two parts of longer ones."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield node.func.attr
            before = node.func.value
            name = (
                before.id if isinstance(before, ast.Name) else before.attr if isinstance(before, ast.Attribute) else ""
            )
            yield f"{name}.{node.func.attr}"


@functools.cache
def _places() -> tuple[tuple[str, ast.Module, str], ...]:
    paths = [path for path in module_paths() if path.is_relative_to(UI)] + [PACKAGE / "app.py"]
    names = [path.relative_to(UI).as_posix() if path.is_relative_to(UI) else path.name for path in paths]
    return tuple((name, tree_of(path), source_of(path)) for name, path in zip(names, paths, strict=True))


def wrong(place: str, tree: ast.AST, source: str) -> set[str]:
    """Return the restricted calls of a module that it may not use."""
    found = {name for name in _calls(tree) if name in MADE and place not in MADE[name]}
    found |= {name for name, places in NAMED.items() if place not in places and f".{name}" in source}
    return found | {match[0] for match in _STATIC.finditer(source)}


def test_markup_message_boxes_and_other_programs_are_where_they_may_be() -> None:
    assert {place: found for place, tree, source in _places() if (found := wrong(place, tree, source))} == {}


@pytest.mark.parametrize(
    "source",
    [
        "QLabel(name)",
        "QMessageBox(self)",
        "QMessageBox.question(self, name, name)",
        "view.setHtml(name)",
        "made.setTextFormat(Qt.TextFormat.AutoText)",
        "QDesktopServices.openUrl(url)",
        "QtWidgets.QLabel(name)",
    ],
)
def test_a_new_place_would_be_noticed(source: str) -> None:
    assert wrong("library/new.py", ast.parse(source), source)


def test_a_label_of_our_own_class_is_plain() -> None:
    """A label that shows only pictures has no text."""
    made = {
        node.name: "setTextFormat" in ast.unparse(node) or "setPixmap" in ast.unparse(node)
        for _place, tree, _source in _places()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and any(ast.unparse(base) == "QLabel" for base in node.bases)
    }
    assert made
    assert all(made.values())


def test_the_style_sheet_makes_labels_and_tool_tips_plain() -> None:
    sheet = resource("styles", "workbench.qss").read_text("utf-8")
    assert re.search(r"^QLabel \{[^}]*qproperty-textFormat: PlainText", sheet, re.MULTILINE)
    assert re.search(r"^QToolTip \{[^}]*qproperty-textFormat: PlainText", sheet, re.MULTILINE)
