"""A citation's number -> a rounded picture inside the text, in the colours of the theme."""

import html
from functools import cache

from PySide6.QtCore import QPointF, QRectF, Qt, QUrl
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter

from workbench.export.rendering import invalid_title
from workbench.language import said
from workbench.model.hit import Citation
from workbench.ui.theme import Theme, Tokens

LINK = "cite"
PICTURE = "chip"


def chip_link(citation: Citation) -> str:
    """Return the address of a citation inside an answer: by its place, since one number may cite several sentences."""
    return f"{LINK}:{citation.answer_start}-{citation.marker}"


def cited(address: QUrl, citations: tuple[Citation, ...]) -> Citation | None:
    """Return the citation at an address made by chip_link; None for any other address."""
    if address.scheme() != LINK:
        return None
    return next((citation for citation in citations if chip_link(citation) == address.toString()), None)


def chip_html(tokens: Tokens, citation: Citation, href: str) -> str:
    """Return a chip for a text document of Qt: a picture in a link, or struck text for an invented number."""
    if citation.valid:
        picture = f'<img src="{PICTURE}:{citation.marker}" style="vertical-align: middle">'
        return f'<a href="{html.escape(href)}">{picture}</a>'
    title = html.escape(said(invalid_title(citation)))
    return (
        f'<span title="{title}" style="color: {tokens.danger}; background-color: {tokens.danger_soft};'
        f' text-decoration: line-through">[{citation.marker}]</span>'
    )


def chip_image(theme: Theme, address: QUrl, ratio: float) -> QImage | None:
    """Return the picture of a chip's address, None for any other address: nothing else is ever loaded."""
    if address.scheme() != PICTURE or not address.path().isdigit():
        return None
    return _draw(address.path(), theme.tokens(), theme.font(theme.tokens().caption - 0.5, bold=True).toString(), ratio)


@cache
def _draw(number: str, tokens: Tokens, font_name: str, ratio: float) -> QImage:
    font = QFont()
    font.fromString(font_name)
    metrics = QFontMetricsF(font)
    # As high as the digits need and no higher: a picture taller than the text would push the lines apart.
    height = round(metrics.capHeight()) + 7
    width = max(height + 2, round(metrics.horizontalAdvance(number)) + 10)
    # A margin at both sides inside the picture keeps neighbouring chips apart and off the word before.
    margin = 1
    image = QImage(
        round((width + 2 * margin) * ratio), round(height * ratio), QImage.Format.Format_ARGB32_Premultiplied
    )
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(tokens.accent_soft))
    pill = QRectF(margin, 0, width, height)
    painter.drawRoundedRect(pill, height / 2, height / 2)
    painter.setPen(QColor(tokens.accent))
    painter.setFont(font)
    baseline = (height + metrics.capHeight()) / 2
    painter.drawText(QPointF(margin + (width - metrics.horizontalAdvance(number)) / 2, baseline), number)
    painter.end()
    return image
