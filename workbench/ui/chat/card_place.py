"""Where a card goes beside what it is about: never over it, and inside the screen."""

from PySide6.QtCore import QPoint, QRect, QSize

_AWAY = 6
_EDGE = 4


def beside(target: QRect, size: QSize, screen: QRect) -> tuple[QPoint, bool]:
    """Return the top left corner of a card, and whether it fits: above, below, at the right or at the left.

    Where it fits nowhere it goes to the side with the most room, and as far over the edge as it must.
    """
    left = _within(target.left(), size.width(), screen.left() + _EDGE, screen.right() - _EDGE)
    top = _within(
        target.center().y() - size.height() // 2, size.height(), screen.top() + _EDGE, screen.bottom() - _EDGE
    )
    above = QPoint(left, target.top() - _AWAY - size.height())
    below = QPoint(left, target.bottom() + _AWAY)
    for point in (
        above,
        below,
        QPoint(target.right() + _AWAY, top),
        QPoint(target.left() - _AWAY - size.width(), top),
    ):
        if screen.contains(QRect(point, size)):
            return point, True
    is_low = target.top() - screen.top() > screen.bottom() - target.bottom()
    return (above if is_low else below), False


def _within(start: int, length: int, low: int, high: int) -> int:
    return max(low, min(start, high - length))
