"""Several filters -> one: those of an agent and of a run, those of the user and of the model."""

import json
from collections.abc import Mapping
from typing import Any

from workbench.errors import RetrievalError
from workbench.model.filter import ChunkFilter
from workbench.retrieval.filters.forms import Form, expressions_of


def merged(agent: Form, run: Form) -> Form:
    """Return what holds for a run of an agent that has a filter of its own, as a form.

    Of two dicts the run's values win; a run's dict replaces an agent's list. A run's list adds to what the agent has,
    list or dict: both hold.

    Raises:
        RetrievalError: One of them is no filter.
    """
    if not run:
        return agent
    if not agent:
        return run
    if _is_dict(agent) and _is_dict(run):
        return {**agent, **run}
    if _is_dict(run):
        return run
    return [*expressions_of(agent), *expressions_of(run)]


def with_agentic(user: ChunkFilter, given: object) -> ChunkFilter:
    """Return the user's filter with what a model asked for on top: both must hold, so that it can only find less.

    Args:
        user: What the user, or the agent's maker, allows.
        given: As the model wrote it: a list of {"key", "value"}, a dict of keys and values, an expression of forms.py,
            any of these as JSON text; or nothing.

    Raises:
        RetrievalError: It cannot be understood. A key that there is not is no error: the search finds nothing, and
            says why.
    """
    if isinstance(given, str):
        try:
            given = json.loads(given) if given.strip() else None
        except (ValueError, RecursionError) as error:
            raise RetrievalError("The filters cannot be read.", 'Give a list of {"key": ..., "value": ...}.') from error
    if isinstance(given, Mapping) and set(given) == {"key", "value"}:
        given = [given]
    return user.restricted(*expressions_of(given)) if given else user


def _is_dict(form: Any) -> bool:
    return isinstance(form, Mapping) and "op" not in form
