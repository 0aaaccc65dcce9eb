"""Who answers the next question, and what leaves the machine with it; knows no Qt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from workbench.model.agent import Agent
from workbench.model.profile import OFFLINE, ModelProfile
from workbench.settings import Settings
from workbench.ui.settings.presets import is_local


@dataclass(frozen=True, slots=True)
class Answerer:
    """What the next question is answered by; agent is None where it is not known yet."""

    profile: ModelProfile = OFFLINE
    settings: Settings = field(default_factory=Settings)
    agent: Agent | None = None

    @classmethod
    def of(cls, settings: Settings, profiles: Iterable[ModelProfile], agent: Agent | None) -> Answerer:
        """Return who answers: the agent's own profile goes before that of the settings."""
        wanted = (agent.profile if agent else "") or settings.profile
        return cls(next((one for one in profiles if one.name == wanted), OFFLINE), settings, agent)

    @property
    def is_here(self) -> bool:
        """Whether the model is on this machine."""
        return self.profile.is_offline or is_local(self.profile.base_url)

    @property
    def hosts(self) -> tuple[str, ...]:
        """Where the question and the passages are sent: to the model's server and to the reranking server."""
        reranker = self.settings.rerank_url if self.settings.reranking == "server" else ""
        urls = ("" if self.profile.is_offline else self.profile.base_url, reranker)
        return tuple(dict.fromkeys(urlsplit(url).hostname or url for url in urls if url and not is_local(url)))

    @property
    def tools_reach_out(self) -> bool:
        """Whether tools may use the network, or are programs of others (“server.tool”); offline none is called."""
        if self.agent is None or self.profile.is_offline:
            return False
        return self.settings.network_tools == "yes" or any("." in tool or "__" in tool for tool in self.agent.tools)

    @property
    def stays_here(self) -> bool:
        """Whether nothing leaves the machine."""
        return not self.hosts and not self.tools_reach_out

    def privacy_line(self) -> tuple[str, str, str]:
        """Return what leaves the machine: a sentence, an icon and the name of a colour."""
        if self.stays_here:
            who = "Offline" if self.profile.is_offline else "Local model"
            return f"{who}: nothing leaves this machine", "shield", "ok"
        goes = f"Questions and found passages go to {' and '.join(self.hosts)}" if self.hosts else "Local model"
        return goes + ("; tools may send more" if self.tools_reach_out else ""), "globe", "warn"

    def where_it_goes(self, knowledge_base: str | None) -> str:
        """Return the line below the question field: who answers, where the question goes, what is searched.

        Offline there is nothing to warn of, and the foot of the window says so already.
        """
        if self.profile.is_offline:
            text = ""
        elif self.is_here:
            text = f"{self.profile.model} answers on this machine."
        else:
            host = urlsplit(self.profile.base_url).hostname or self.profile.base_url
            text = f"{self.profile.model} answers at {host}: your question and the passages found are sent there."
        if self.tools_reach_out:
            text += " Its tools may use the network."
        return f"{text} Asking in: {knowledge_base}".strip() if knowledge_base else text
