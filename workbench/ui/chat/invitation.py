"""What the chat says before there is an answer, and who will give it; knows no Qt."""

from urllib.parse import urlsplit

from workbench.model.profile import ModelProfile
from workbench.ui.settings.presets import is_local

# Icon, title and sentence of the empty chat.
READY_TO_ASK = (
    "chat",
    "Ask about your documents",
    "Every claim of an answer carries its source. Press a number to see the passage on its page.",
)
NO_DOCUMENTS = (
    "file-plus",
    "Add documents first",
    "Drop files or folders anywhere on this window. Then ask about them here.",
)


def stays_here(profile: ModelProfile) -> bool:
    """Return whether nothing leaves the machine with this profile."""
    return profile.is_offline or is_local(profile.base_url)


def where_it_goes(profile: ModelProfile, knowledge_base: str | None) -> str:
    """Return the line below the question field: who answers, where the question goes, what is searched.

    Offline there is nothing to warn of, and the foot of the window says so already.
    """
    if profile.is_offline:
        text = ""
    elif stays_here(profile):
        text = f"{profile.model} answers on this machine."
    else:
        host = urlsplit(profile.base_url).hostname or profile.base_url
        text = f"{profile.model} answers at {host}: your question and the passages found are sent there."
    return f"{text} Asking in: {knowledge_base}".strip() if knowledge_base else text
