"""Description of the answerer of the next question, and of the data that leaves the machine with it; without Qt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from workbench.language import mark, tr, translate
from workbench.model.agent import Agent
from workbench.model.egress import OfflineMode
from workbench.model.profile import OFFLINE, ModelProfile
from workbench.settings import Settings
from workbench.ui.settings.model_servers import is_local


@dataclass(frozen=True, slots=True)
class Answerer:
    """Profile, settings and agent that answer the next question; agent and offline_mode are None while not known."""

    profile: ModelProfile = OFFLINE
    settings: Settings = field(default_factory=Settings)
    agent: Agent | None = None
    offline_mode: OfflineMode | None = None

    @classmethod
    def of(
        cls,
        settings: Settings,
        profiles: Iterable[ModelProfile],
        agent: Agent | None,
        offline_mode: OfflineMode | None = None,
    ) -> Answerer:
        """Return the answerer: the profile of the agent takes precedence over that of the settings."""
        name = (agent.profile if agent else "") or settings.profile
        return cls(next((one for one in profiles if one.name == name), OFFLINE), settings, agent, offline_mode)

    @property
    def is_here(self) -> bool:
        """True if the model runs on this machine."""
        return self.profile.is_offline or is_local(self.profile.base_url)

    @property
    def hosts(self) -> tuple[str, ...]:
        """Remote hosts that receive the question and the passages: the server of the model and the reranking server."""
        reranker = self.settings.rerank_url if self.settings.reranking == "server" else ""
        urls = ("" if self.profile.is_offline else self.profile.base_url, reranker)
        return tuple(dict.fromkeys(urlsplit(url).hostname or url for url in urls if url and not is_local(url)))

    @property
    def tools_reach_out(self) -> bool:
        """True if tools may use the network or belong to other programs (“server.tool”); False offline."""
        if self.agent is None or self.profile.is_offline:
            return False
        return self.settings.network_tools == "yes" or any("." in tool or "__" in tool for tool in self.agent.tools)

    @property
    def is_shut(self) -> bool:
        """True if offline mode is on without exceptions, so that nothing leaves the machine with any settings."""
        return self.offline_mode is not None and self.offline_mode.is_shut

    @property
    def why_so(self) -> str:
        """Reason why offline mode is on or off, as a sentence; empty while not known."""
        return translate(self.offline_mode.sentence) if self.offline_mode is not None else ""

    @property
    def stays_here(self) -> bool:
        """True if nothing leaves the machine."""
        return self.is_shut or (not self.hosts and not self.tools_reach_out)

    def privacy_line(self) -> tuple[str, str, str]:
        """Return a statement of the data that leaves the machine: a sentence, an icon and the name of a colour."""
        if self.is_shut and self.hosts:
            return tr("Offline mode on: {hosts} cannot be reached", hosts=self._hosts_words), "shield", "warn"
        if self.is_shut:
            return tr("Offline mode on: nothing leaves this computer"), "shield", "ok"
        if self.offline_mode is not None and self.stays_here:
            if self.offline_mode.is_on:
                return tr("Offline mode on, with exceptions; questions stay on this computer"), "shield", "text_muted"
            return tr("Offline mode off; questions stay on this computer"), "shield-off", "text_muted"
        if self.stays_here:
            offline = mark("No model: nothing leaves this computer")
            local = mark("Local model: nothing leaves this computer")
            return tr(offline if self.profile.is_offline else local), "shield", "ok"
        if not self.hosts:
            return tr("Local model; tools may send more"), "globe", "warn"
        hosts = self._hosts_words
        if self.tools_reach_out:
            goes = tr("Questions and found passages go to {hosts}; tools may send more", hosts=hosts)
        else:
            goes = tr("Questions and found passages go to {hosts}", hosts=hosts)
        return goes, "globe", "warn"

    @property
    def _hosts_words(self) -> str:
        first, *others = self.hosts
        return tr("{one} and {other}", one=first, other=others[0]) if others else first

    def where_it_goes(self, knowledge_base: str | None) -> str:
        """Return the line below the question field: model, destination of the question, scope of the search.

        Offline there is no model to name, and the foot of the window already states that nothing leaves the machine.
        """
        model, url = self.profile.model, self.profile.base_url
        text = ""
        if not self.is_here:
            host = urlsplit(url).hostname or url
            sent = mark("{model} at {host} answers. Your question and the passages found are sent there.")
            shut = mark("{model} at {host} cannot answer: offline mode is on.")
            text = tr(shut if self.is_shut else sent, model=model, host=host)
        elif not self.profile.is_offline:
            text = tr("{model} answers on this computer.", model=model)
        if self.tools_reach_out and not self.is_shut:
            text = _append(text, tr("Its tools may use the network."))
        if knowledge_base:
            text = _append(text, tr("Knowledge base: {knowledge_base}", knowledge_base=knowledge_base))
        return text


def _append(text: str, more: str) -> str:
    return tr("{first} {second}", first=text, second=more) if text else more
