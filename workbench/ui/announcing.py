"""What a screen reader is told of its own accord: politely after what it says now, or at once."""

from PySide6.QtWidgets import QWidget


def announce(widget: QWidget, text: str, *, at_once: bool = False) -> None:
    """Have a screen reader say a text; at once for errors and what waits for the person, else when it has time."""
    # Imported when something is said: what PySide makes for accessibility would take 3 ms of the first paint.
    from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent

    if not text.strip() or not QAccessible.isActive():
        return
    event = QAccessibleAnnouncementEvent(widget, text)
    urgent = QAccessible.AnnouncementPoliteness.Assertive
    event.setPoliteness(urgent if at_once else QAccessible.AnnouncementPoliteness.Polite)
    QAccessible.updateAccessibility(event)
