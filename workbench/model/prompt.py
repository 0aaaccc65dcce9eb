"""What a model was told, in parts that a person can tell apart."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PromptSection:
    """One part of a prompt; label is for people and is not sent, text is sent as it stands."""

    label: str
    text: str
