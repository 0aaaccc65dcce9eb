"""One thing that can be found in the palette."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from workbench.language import mark, tr


class Kind(StrEnum):
    """What an entry is; the order is that of the list."""

    COMMAND = mark("Command")
    DOCUMENT = mark("Document")
    SESSION = mark("Session")
    SETTING = mark("Setting")
    AGENT = mark("Agent")


@dataclass(frozen=True, slots=True)
class Entry:
    """A name, and what choosing it does.

    Attributes:
        key: Remembered of what was used, so the same from one start of the program to the next.
        detail: Where it is found otherwise: its menu, folder, page of the settings.
        keys: Its key on the keyboard, in words.
        run: A bound method, or one with its arguments.
        spans: Which characters of the text were looked for, as (start, end).
        english: Its name in English where the text is in another language; it is found by that, too.
    """

    kind: Kind
    key: str
    text: str
    run: Callable[[], object]
    detail: str = ""
    keys: str = ""
    icon: str = ""
    spans: tuple[tuple[int, int], ...] = ()
    english: str = ""

    @property
    def spoken(self) -> str:
        """What a screen reader says of it."""
        return ", ".join(part for part in (self.text, tr(self.kind.value), self.detail, self.keys) if part)
