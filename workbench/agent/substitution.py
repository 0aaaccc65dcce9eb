"""{key} in a text -> its value, for keys that are known; everything else, a $ too, stays as it is."""

import re
from collections.abc import Mapping

from workbench.model.agent import Agent

_TOKEN = re.compile(r"\{([^{}\n]+)\}")


def substituted(text: str, values: Mapping[str, str]) -> str:
    """Return the text with {key} replaced where the key is known; what is put in is not looked at again."""
    return _TOKEN.sub(lambda match: values.get(match[1], match[0]), text) if values else text


def values_of(agent: Agent, user: str = "") -> dict[str, str]:
    """Return what an agent's texts and the user's question may name; of a key in several the first counts.

    Args:
        agent: Its state, dependencies and metadata; nothing where it does not want this.
        user: Who asks; empty where nobody knows.
    """
    if not agent.resolve_in_context:
        return {}
    known = {"user_id": user} if user else {}
    # A script may give numbers.
    return {key: str(one) for key, one in {**known, **agent.metadata, **agent.dependencies, **agent.state}.items()}
