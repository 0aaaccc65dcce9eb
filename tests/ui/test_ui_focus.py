"""Keyboard focus is visible in both themes, and everything visible can be distinguished."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QStringListModel, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QLineEdit,
    QListView,
    QPlainTextEdit,
    QPushButton,
    QSlider,
    QSpinBox,
    QTabBar,
    QToolButton,
    QTreeView,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from workbench.ui.theme import DARK, LIGHT, Theme, Tokens, sized

SURFACES = ("window", "surface", "surface_raised", "surface_sunken", "hover")
RINGS = ("accent", "text")
TEXTS = ("text", "text_muted", "accent", "ok", "warn", "danger")


def luminance(name: str) -> float:
    colour = QColor(name)
    parts = [
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4
        for part in (colour.redF(), colour.greenF(), colour.blueF())
    ]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(tokens: Tokens, one: str, other: str) -> float:
    low, high = sorted((luminance(getattr(tokens, one)), luminance(getattr(tokens, other))))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_focus_rings_contrast_with_the_surfaces_below_them(tokens: Tokens) -> None:
    poor = [(ring, on) for ring in RINGS for on in SURFACES if contrast(tokens, ring, on) < 3]
    assert poor == []
    assert contrast(tokens, "text", "accent") >= 1.3


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_every_colour_of_text_can_be_read_on_every_surface(tokens: Tokens) -> None:
    poor = [(text, on) for text in TEXTS for on in SURFACES if contrast(tokens, text, on) < 4.5]
    assert poor == []


def _button(variant: str) -> Callable[[], QWidget]:
    def make() -> QWidget:
        made = QPushButton("Press")
        made.setProperty("variant", variant)
        return made

    return make


def _combo() -> QWidget:
    made = QComboBox()
    made.addItem("One")
    return made


def _tabs() -> QWidget:
    made = QTabBar()
    made.addTab("One")
    return made


def _view(kind: Callable[[], QListView | QTreeView]) -> Callable[[], QWidget]:
    def make() -> QWidget:
        made = kind()
        made.setModel(QStringListModel(["One", "Two"], made))
        return made

    return make


KINDS: dict[str, Callable[[], QWidget]] = {
    **{variant or "plain": _button(variant) for variant in ("", "primary", "ghost", "link", "danger", "chip")},
    "tool button": QToolButton,
    "line": QLineEdit,
    "text": QPlainTextEdit,
    "number": QSpinBox,
    "choice": _combo,
    "slider": lambda: QSlider(Qt.Orientation.Horizontal),
    "tick": lambda: QCheckBox("Tick"),
    "tabs": _tabs,
    "list": _view(QListView),
    "tree": _view(QTreeView),
}


@pytest.mark.parametrize("choice", ["light", "dark"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_control_that_has_the_keyboard_looks_otherwise(kind: str, choice: str, qtbot: QtBot) -> None:
    theme = Theme(choice=choice)
    theme.apply()
    window = QWidget()
    qtbot.addWidget(window)
    layout = QVBoxLayout(window)
    control, other = KINDS[kind](), QLineEdit()
    for widget in (control, other):
        widget.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        layout.addWidget(widget)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    other.setFocus()
    qtbot.waitUntil(other.hasFocus)
    without = control.grab().toImage()
    control.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(control.hasFocus)
    is_seen = control.grab().toImage() != without
    assert is_seen


def test_text_of_another_size_keeps_its_scale_and_its_colours() -> None:
    grown = sized(LIGHT, 200)
    assert (grown.body, grown.caption, grown.text) == (2 * LIGHT.body, 2 * LIGHT.caption, LIGHT.text)
    assert sized(LIGHT, 100) is LIGHT
