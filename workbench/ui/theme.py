"""Design system: colours, type scale, spacing, icons and the application's style sheet, light and dark."""

import logging
from functools import cache
from itertools import islice
from string import Template
from typing import NamedTuple

from PySide6.QtCore import QByteArray, QObject, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

from workbench.language import language
from workbench.resources import resource
from workbench.system import current

logger = logging.getLogger(__name__)
# Fallback families of a bare X server; any other family that the system reports is the user's own choice.
FALLBACK_FAMILIES = ("DejaVu Sans", "Sans Serif", "Sans", "Helvetica")
PREFERRED_FAMILIES = ("Inter", "Noto Sans", "Cantarell", "Ubuntu", "Open Sans", "Noto Sans CJK SC")
IDEOGRAPHS = (("\u3040", "\u30ff"), ("\u3400", "\u9fff"), ("\uac00", "\ud7af"))
"""Ranges of Japanese syllables, Chinese characters and Korean syllables: first and last."""
MONOSPACE_FAMILIES = ("JetBrains Mono", "SF Mono", "Cascadia Mono", "Noto Sans Mono", "DejaVu Sans Mono")


class Tokens(NamedTuple):
    """Design tokens of all widgets; colours are "#rrggbb", and mark is "#aarrggbb", so that QColor reads its alpha.

    Attributes:
        window: Background of the window.
        surface: Background of panes, lists, cards.
        surface_raised: Background of menus, toasts, hover previews.
        surface_sunken: Background of fields, code, wells.
        border: Hairlines.
        border_strong: Borders of buttons and fields.
        hover: Background under the pointer.
        text_muted: Second lines and captions; 4.5:1 on every surface.
        text_disabled: Disabled controls: fainter, but still readable.
        accent_text: Text on the accent.
        accent_soft: Tinted background of selected items.
        mark: Highlighter, with alpha.
        mark_solid: Highlighter as it appears on surface, for HTML.
        caption: Sizes in points: caption, body, title, heading.
        radius: Corner radius in pixels.
    """

    dark: bool
    window: str
    surface: str
    surface_raised: str
    surface_sunken: str
    border: str
    border_strong: str
    hover: str
    text: str
    text_muted: str
    text_disabled: str
    accent: str
    accent_hover: str
    accent_text: str
    accent_soft: str
    mark: str
    mark_solid: str
    ok: str
    ok_soft: str
    warn: str
    warn_soft: str
    danger: str
    danger_soft: str
    caption: float = 8.5
    body: float = 10.0
    title: float = 11.5
    heading: float = 15.0
    radius: int = 8


LIGHT = Tokens(
    dark=False,
    window="#f4f4f1",
    surface="#ffffff",
    surface_raised="#ffffff",
    surface_sunken="#f0f0ec",
    border="#e2e2dc",
    border_strong="#cbcbc4",
    hover="#efefeb",
    text="#1d1f23",
    text_muted="#5b6067",
    text_disabled="#9b9fa3",
    accent="#3355cc",
    accent_hover="#2947b0",
    accent_text="#ffffff",
    accent_soft="#e7ecfb",
    mark="#80ffd23f",
    mark_solid="#ffe99f",
    ok="#1c7042",
    ok_soft="#e3f3e9",
    warn="#845400",
    warn_soft="#fbf0d9",
    danger="#b0261d",
    danger_soft="#fbe7e5",
)
DARK = Tokens(
    dark=True,
    window="#16171a",
    surface="#1d1f23",
    surface_raised="#282a2f",
    surface_sunken="#121316",
    border="#303339",
    border_strong="#474b53",
    hover="#282b30",
    text="#e8e9eb",
    text_muted="#a6abb3",
    text_disabled="#6c717a",
    accent="#93aaff",
    accent_hover="#aabcff",
    accent_text="#11162b",
    accent_soft="#273052",
    mark="#59ffd23f",
    mark_solid="#6c5d2a",
    ok="#6fcd93",
    ok_soft="#1d3527",
    warn="#e6b657",
    warn_soft="#3a2f17",
    danger="#f4958d",
    danger_soft="#43221f",
)


class Theme(QObject):
    """Theme of the application: follows the system's colour scheme unless the user chose one.

    Attributes:
        reduces_motion: True if nothing may turn, slide or blink.

    Signals:
        changed: The tokens have changed; everything drawn with them must be redrawn.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None, *, choice: str = "system", percent: int = 100) -> None:
        super().__init__(parent)
        self._choice = choice
        self._percent = percent
        self.reduces_motion = False
        self._tokens = self._resolve()
        self._icons: dict[tuple[str, str, int], QIcon] = {}
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._on_scheme_changed)

    def tokens(self) -> Tokens:
        """Return the current tokens."""
        return self._tokens

    def choose(self, choice: str) -> None:
        """Set "system", "light" or "dark"."""
        self._choice = choice
        self._refresh()

    def size_text(self, percent: int) -> None:
        """Set the text size, in percent of the default."""
        self._percent = percent
        self._refresh()

    def apply(self) -> None:
        """Apply font, palette and style sheet to the whole application, unless they are in use already."""
        application = QApplication.instance()
        if not isinstance(application, QApplication):
            return
        stylesheet, font = self.stylesheet(), self.font()
        if application.styleSheet() == stylesheet and application.font() == font:
            # Setting an equal sheet would style every widget again.
            return
        application.setFont(font)
        application.setPalette(_palette(self._tokens))
        application.setStyleSheet(stylesheet)

    def stylesheet(self) -> str:
        """Return the application's style sheet, created from resources/styles/workbench.qss and the tokens."""
        values = {name: str(value) for name, value in self._tokens._asdict().items()}
        # Minimum heights of one line of text: a layout without enough space shrinks widgets without a minimum.
        for name, height in (("line", 20), ("small_line", 16)):
            values[name] = str(round(height * self._tokens.body / LIGHT.body))
        values["images"] = resource("styles", "dark" if self._tokens.dark else "light").as_posix()
        return _template("workbench.qss").substitute(values)

    def font(self, size: float | None = None, *, bold: bool = False, text: str = "") -> QFont:
        """Return the interface font; size in points, body by default; text is the text to draw, which may be CJK."""
        families = _families()
        font = QFont(families)
        if families[0] in current().cjk_families and not (_has_ideograph(text) or language() == "zh_CN"):
            # Such a family draws “” and ’ as wide as an ideograph, which splits English words; in a Chinese sentence,
            # and in a Chinese window, that width is right: narrow commas would join clauses.
            font.setFeature(QFont.Tag("pwid"), 1)
        font.setPointSizeF(size or self._tokens.body)
        if bold:
            font.setWeight(QFont.Weight.DemiBold)
        return font

    def monospace(self, size: float | None = None) -> QFont:
        """Return the font for code and raw text."""
        font = QFont([*MONOSPACE_FAMILIES, *current().cjk_families])
        font.setStyleHint(QFont.StyleHint.Monospace)
        font.setPointSizeF(size or self._tokens.body - 0.5)
        return font

    def scaled(self, pixels: int) -> int:
        """Return a length at the text size of the window; at 100 percent it is the same."""
        return round(pixels * self._tokens.body / LIGHT.body)

    def icon(self, name: str, color: str | None = None, size: int = 16) -> QIcon:
        """Return an icon of resources/icons in a colour (text_muted by default), at the screen's resolution.

        Args:
            name: File name without its ending.
            color: "#rrggbb".
            size: Width and height in pixels at a text size of 100 percent; larger text has larger icons.
        """
        size = self.scaled(size)
        key = (name, color or self._tokens.text_muted, size)
        if key not in self._icons:
            screen = QGuiApplication.primaryScreen()
            ratio = max(1.0, screen.devicePixelRatio() if screen else 1.0)
            pixmap = render_icon(name, key[1], size, ratio)
            icon = QIcon(pixmap)
            icon.addPixmap(_tinted(pixmap, self._tokens.text_disabled), QIcon.Mode.Disabled)
            self._icons[key] = icon
        return self._icons[key]

    def pixmap(self, name: str, color: str | None = None, size: int = 16, *, ratio: float = 2.0) -> QPixmap:
        """Return an icon as a pixmap, for labels and delegates; its size depends on the text size as in icon()."""
        return render_icon(name, color or self._tokens.text_muted, self.scaled(size), ratio)

    def _resolve(self) -> Tokens:
        is_dark = QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
        if self._choice in ("light", "dark"):
            is_dark = self._choice == "dark"
        return sized(DARK if is_dark else LIGHT, self._percent)

    @Slot()
    def _on_scheme_changed(self) -> None:
        self._refresh()

    def _refresh(self) -> None:
        resolved = self._resolve()
        if resolved == self._tokens:
            return
        self._tokens = resolved
        self._icons.clear()
        self.apply()
        self.changed.emit()


def sized(tokens: Tokens, percent: int) -> Tokens:
    """Return the tokens with another text size; the same object at 100 percent."""
    if percent == 100:
        return tokens
    sizes = {name: getattr(tokens, name) * percent / 100 for name in ("caption", "body", "title", "heading")}
    return tokens._replace(**sizes)


@cache
def render_icon(name: str, color: str, size: int, ratio: float) -> QPixmap:
    """Render an icon of resources/icons in a colour; an unknown name is logged and gives an empty pixmap."""
    pixmap = QPixmap(round(size * ratio), round(size * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    source = resource("icons", f"{name}.svg")
    if not source.is_file():
        logger.warning("There is no icon %s", name)
        return pixmap
    svg = source.read_text(encoding="utf-8").replace("currentColor", color)
    painter = QPainter(pixmap)
    QSvgRenderer(QByteArray(svg.encode())).render(painter, QRectF(0, 0, size, size))
    painter.end()
    return pixmap


def _tinted(pixmap: QPixmap, color: str) -> QPixmap:
    """Return the same shape in one colour, in a tenth of the time of rendering it again."""
    tinted = QPixmap(pixmap)
    painter = QPainter(tinted)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
    painter.fillRect(tinted.rect(), QColor(color))
    painter.end()
    return tinted


def _has_ideograph(text: str) -> bool:
    return any(first <= character <= last for character in text for first, last in IDEOGRAPHS)


@cache
def _template(name: str) -> Template:
    return Template(resource("styles", name).read_text(encoding="utf-8"))


@cache
def _families() -> list[str]:
    """Return the system's interface font, then fallbacks for Chinese, Japanese and Korean."""
    system = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).family()
    if system not in FALLBACK_FAMILIES:
        return [system, *current().cjk_families]
    # Queried one by one: listing all installed families takes 6 ms.
    found = filter(QFontDatabase.hasFamily, PREFERRED_FAMILIES)
    return [*islice(found, 1), *current().cjk_families, system]


def _palette(tokens: Tokens) -> QPalette:
    palette = QPalette()
    role = QPalette.ColorRole
    colours = {
        role.Window: tokens.window,
        role.WindowText: tokens.text,
        role.Base: tokens.surface,
        role.AlternateBase: tokens.surface_sunken,
        role.Text: tokens.text,
        role.PlaceholderText: tokens.text_muted,
        role.Button: tokens.surface,
        role.ButtonText: tokens.text,
        role.ToolTipBase: tokens.surface_raised,
        role.ToolTipText: tokens.text,
        role.Highlight: tokens.accent,
        role.HighlightedText: tokens.accent_text,
        role.Link: tokens.accent,
        role.LinkVisited: tokens.accent,
        role.Accent: tokens.accent,
        role.Mid: tokens.border,
        role.Midlight: tokens.border,
        role.Dark: tokens.border_strong,
        role.Light: tokens.surface,
        role.Shadow: tokens.border_strong,
    }
    for name, colour in colours.items():
        palette.setColor(name, QColor(colour))
    for name in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, name, QColor(tokens.text_disabled))
    return palette
