"""Declaration of a setting: its key, type, default and bounds, and its texts for users."""

import math
from dataclasses import dataclass
from typing import Any

from workbench.errors import SettingError
from workbench.language import mark

_SWITCHES = {"on": "yes", "true": "yes", "off": "no", "false": "no"}
"""Other words for the values of a setting that is “yes” or “no”."""
_KINDS = {int: mark("Give a whole number."), float: mark("Give a number.")}
"""Hints by type; any value can be text."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Declaration of a setting: the command line and the rows of the settings window are generated from it.

    Attributes:
        key: Field name in Settings.
        needs_reindex: Documents indexed before a change keep the old value until they are indexed again.
        minimum: Smallest value allowed, for numbers.
        maximum: Largest value allowed, for numbers.
        choices: The values allowed, for text with a fixed set.
        holds: Text that the value must contain.
        unit: Unit of a number, as written after it.
        personal: It belongs to the user and holds in every library; otherwise it belongs to the library.
        synonyms: Further search words for the settings window, in English and Chinese; not displayed.
    """

    key: str
    type: type
    default: Any
    title: str
    help: str
    needs_reindex: bool = False
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    holds: str = ""
    unit: str = ""
    personal: bool = False
    synonyms: str = ""

    def check(self, value: Any) -> Any:
        """Return the value in the setting's type; “on” and “off” (and True and False) stand for “yes” and “no”.

        Raises:
            SettingError: It is of another type, out of bounds, or not among the choices.
        """
        if set(self.choices) == {"yes", "no"}:
            value = _SWITCHES.get(str(value).lower(), value)
        try:
            if isinstance(value, bool) and self.type is not bool:
                raise TypeError("True is no number")
            if isinstance(value, float) and self.type is int and not value.is_integer():
                raise ValueError(value)
            checked = self.type(value)
            if isinstance(checked, float) and not math.isfinite(checked):
                raise ValueError(value)
        except (TypeError, ValueError, OverflowError) as error:
            raise SettingError(f"“{self.title}” cannot be {value!r}.", _KINDS.get(self.type, "")) from error
        if (self.minimum is not None and checked < self.minimum) or (
            self.maximum is not None and checked > self.maximum
        ):
            raise SettingError(
                f"“{self.title}” cannot be {checked}.", f"Give a value from {self.minimum} to {self.maximum}."
            )
        if self.choices and checked not in self.choices:
            raise SettingError(f"“{self.title}” cannot be {checked!r}.", f"Choose one of {', '.join(self.choices)}.")
        if self.holds and self.holds not in checked:
            raise SettingError(f"“{self.title}” cannot be {checked!r}.", f"It must contain {self.holds}.")
        return checked
