"""Who asks: users of one library, each with their own sessions, readings and memories: separated, not protected."""

import unicodedata

from workbench.errors import SettingError
from workbench.language import mark
from workbench.model.visible import visible_name

DEFAULT_USER = ""
"""Who gives no name."""
UNNAMED = mark("who gives no name")
"""What people call that one."""
LONGEST_USER = 80
"""Characters; a name that is longer fits into no menu."""
NO_PROTECTION = mark(
    "This separates, it does not protect: whoever can open the library's folder can read what all of its users"
    " asked, and what is remembered of them."
)


def user_name(typed: str) -> str:
    """Return a user's name as it is kept and compared: Unicode NFC, one blank between words, case as typed.

    Raises:
        SettingError: It is too long, or holds a character that nobody would see.
    """
    name = unicodedata.normalize("NFC", " ".join(typed.split()))
    if len(name) > LONGEST_USER or visible_name(name) != name or any("\ud800" <= letter <= "\udfff" for letter in name):
        raise SettingError(
            f"A user's name has at most {LONGEST_USER} characters, and none that is not seen.", "Choose another name."
        )
    return name
