"""A value of the model with something changed wherever it stands in it, however deep."""

import dataclasses
from collections.abc import Callable
from typing import Any


def rewritten(value: Any, change: Callable[[Any], Any]) -> Any:
    """Return the value with change applied to every dataclass in it, the inner ones first.

    What is not changed is not copied either: a session of 500 questions has a million values.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        inner = {name: rewritten(inside, change) for name, inside in fields.items()}
        changed = {name: inside for name, inside in inner.items() if inside is not fields[name]}
        return change(dataclasses.replace(value, **changed) if changed else value)
    if isinstance(value, tuple):
        made = [rewritten(item, change) for item in value]
        return tuple(made) if any(new is not old for new, old in zip(made, value, strict=True)) else value
    return value
