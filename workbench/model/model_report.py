"""What the test of a connection found out about a model and its server."""

from dataclasses import dataclass
from enum import StrEnum


class Ability(StrEnum):
    """What is tried, in this order."""

    REACHED = "reached"
    LISTED = "listed"
    ANSWERS = "answers"
    STREAMS = "streams"
    SPEED = "speed"
    REASONS = "reasons"
    TOOLS = "tools"
    CONTEXT = "context"


class Mark(StrEnum):
    """How it turned out; PARTLY is something that works, but not as one would wish."""

    YES = "yes"
    PARTLY = "partly"
    NO = "no"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ModelAbility:
    """One thing that was tried; told as an event as soon as it is known.

    Attributes:
        words: A sentence that says what was seen.
        hint: What to do about it; empty when there is nothing to do.
    """

    ability: Ability
    mark: Mark
    words: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class ConnectionReport:
    """Everything that was tried. What cannot be tried any more after a failure is not in it.

    Attributes:
        models: What the server lists, by name; empty where it has no list.
        context: Tokens that the model sees at once; None where the server does not say.
        tokens_a_second: How fast it wrote; None where it wrote too little to tell.
    """

    abilities: tuple[ModelAbility, ...]
    models: tuple[str, ...] = ()
    context: int | None = None
    tokens_a_second: float | None = None

    @property
    def works(self) -> bool:
        """Whether nothing failed."""
        return bool(self.abilities) and all(one.mark is not Mark.NO for one in self.abilities)


@dataclass(frozen=True, slots=True)
class FoundServer:
    """A model server that runs on this machine.

    Attributes:
        base_url: Its address.
        models: What it lists, by name.
        made_by: Whose models it says they are, as it writes that itself; empty where it does not say.
        profile: The name of the profile that has this address already; empty for none.
    """

    base_url: str
    models: tuple[str, ...]
    made_by: str = ""
    profile: str = ""
