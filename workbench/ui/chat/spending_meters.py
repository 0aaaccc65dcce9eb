"""What an answer has taken of what it may take, as small meters among its steps."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt, Slot
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.ui.chat.flow_layout import FlowLayout
from workbench.ui.chat.spending import Meter
from workbench.ui.controls import label, restyle
from workbench.ui.theme import Theme

_HEIGHT = 3
# From here on a limit is near.
_NEAR = 0.8


class SpendingMeters(QWidget):
    """A line of meters that goes on in the next where the width ends; hidden where there is nothing to show."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._meters: dict[str, _MeterView] = {}
        self._flow = FlowLayout(self, spacing=16)
        self.hide()

    @property
    def texts(self) -> list[str]:
        """What the meters say, from left to right."""
        return [view.text for view in self._meters.values()]

    def show_meters(self, meters: Sequence[Meter]) -> None:
        """Show how much was taken until now."""
        for kind in [kind for kind in self._meters if kind not in {meter.kind for meter in meters}]:
            gone = self._meters.pop(kind)
            self._flow.removeWidget(gone)
            gone.hide()
            gone.deleteLater()
        for meter in meters:
            if meter.kind not in self._meters:
                self._meters[meter.kind] = _MeterView(self._theme)
                self._flow.addWidget(self._meters[meter.kind])
            self._meters[meter.kind].show_meter(meter)
        self.setVisible(bool(meters))


class _MeterView(QWidget):
    """A few words above a bar."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._label = label("", "caption")
        self._bar = _Bar(theme)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 5)
        layout.setSpacing(2)
        layout.addWidget(self._label)
        layout.addWidget(self._bar)

    @property
    def text(self) -> str:
        """What it says."""
        return self._label.text()

    def show_meter(self, meter: Meter) -> None:
        """Show how much was taken."""
        # Ten times a second while the time runs: what stays is not touched.
        if self._label.text() != meter.text:
            self._label.setText(meter.text)
        tone = "warn" if meter.reached else ""
        if self._label.property("tone") != tone:
            restyle(self._label, tone=tone)
        self._bar.show_share(meter.share)


class _Bar(QWidget):
    """A thin bar, as full as what it measures; the words above it say the same."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._share: float | None = None
        self.setFixedHeight(_HEIGHT)
        theme.changed.connect(self._on_theme_changed)

    def show_share(self, share: float | None) -> None:
        """Be as full as that; None is no bar at all."""
        if share != self._share:
            self._share = share
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._share is None:
            return
        tokens = self._theme.tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        whole = QRectF(self.rect())
        painter.setBrush(QColor(tokens.border))
        painter.drawRoundedRect(whole, _HEIGHT / 2, _HEIGHT / 2)
        painter.setBrush(QColor(tokens.warn if self._share >= _NEAR else tokens.accent))
        whole.setWidth(whole.width() * self._share)
        painter.drawRoundedRect(whole, _HEIGHT / 2, _HEIGHT / 2)

    @Slot()
    def _on_theme_changed(self) -> None:
        self.update()
