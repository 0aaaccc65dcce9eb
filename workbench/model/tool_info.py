"""A tool that agents may name, as it stands in a list."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ToolInfo:
    """A tool, and whether it may be called.

    Attributes:
        name: What agents and models call it.
        title: For people.
        help: One sentence for people.
        needs_network: It sends something away from this machine.
        has_side_effects: It changes the library, or something outside it.
        is_on: Whether the settings let it be called: tools that need the network are off until the user allows them.
    """

    name: str
    title: str
    help: str
    needs_network: bool
    has_side_effects: bool
    is_on: bool
