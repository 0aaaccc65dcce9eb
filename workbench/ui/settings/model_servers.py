"""Model servers: presets of common ones, discovery of those that run on this machine, and the connection test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from workbench import operations
from workbench.language import mark, tr
from workbench.model.egress import is_here
from workbench.model.profile import LOCAL_SERVERS, ConnectionReport, FoundServer, ModelAbility, ModelProfile
from workbench.ui.bridge import Bridge

if TYPE_CHECKING:
    from workbench.operations import Library
    from workbench.worker.job import JobHandle


class ModelServers(QObject):
    """Presenter that sends requests to model servers, one at a time and only on demand.

    Signals:
        found_out: A ModelAbility that was just tested.
        examined: The ConnectionReport of all tests.
        listed: The models of a server, a tuple of names.
        servers_found: The servers of this machine, a tuple of FoundServer.
        busy_changed: Whether a request is running.
        failed: The error of a request and its details.
    """

    found_out = Signal(object)
    examined = Signal(object)
    listed = Signal(tuple)
    servers_found = Signal(tuple)
    busy_changed = Signal(bool)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._job: JobHandle[Any] | None = None

    @property
    def is_busy(self) -> bool:
        """True while a request is running."""
        return self._job is not None

    def set_library(self, library: Library | None) -> None:
        """Cancel the running request and switch to another library."""
        self.cancel()
        self._library = library

    def examine(self, profile: ModelProfile, key: str | None) -> None:
        """Test the abilities of a profile's server and model; a key of None stands for the stored one."""
        if self._library is not None:
            self._ask(operations.examine_profile(self._library, profile, key=key), self._on_examined)

    def list_models(self, profile: ModelProfile, key: str | None) -> None:
        """Request the list of models from a profile's server."""
        if self._library is not None:
            self._ask(operations.list_server_models(self._library, profile, key=key), self._on_listed)

    @Slot()
    def look_around(self) -> None:
        """Look for common servers on this machine."""
        if self._library is not None:
            self._ask(operations.find_model_servers(self._library), self._on_servers)

    @Slot()
    def cancel(self) -> None:
        """Cancel the running request."""
        if self._job is not None:
            self._job.cancel()

    def _ask(self, operation: Any, done: Any) -> None:
        if self._job is not None:
            return
        self._job = self._bridge.submit(
            operation, done=done, event=self._on_event, failed=self._on_failed, cancelled=self._end
        )
        self.busy_changed.emit(True)

    def _end(self) -> None:
        self._job = None
        self.busy_changed.emit(False)

    def _on_event(self, event: object) -> None:
        if isinstance(event, ModelAbility):
            self.found_out.emit(event)

    def _on_examined(self, report: ConnectionReport) -> None:
        self._end()
        self.examined.emit(report)

    def _on_listed(self, models: tuple[str, ...]) -> None:
        self._end()
        self.listed.emit(models)

    def _on_servers(self, servers: tuple[FoundServer, ...]) -> None:
        self._end()
        self.servers_found.emit(servers)

    def _on_failed(self, error: BaseException, details: str) -> None:
        self._end()
        self.failed.emit(error, details)


@dataclass(frozen=True, slots=True)
class Preset:
    """Kind of model server.

    Attributes:
        title: Name of the product, or a text of the program that is marked for translation.
        about: Description in one sentence.
        made_by: Owner that the server reports for its models, if this identifies it among servers at the same port.
        leaves_machine: Whether questions and passages are sent over the network.
    """

    title: str
    name: str
    base_url: str
    model: str
    about: str
    made_by: str = ""
    leaves_machine: bool = False


_HERE = mark("Runs on this computer. Nothing leaves it.")
PRESETS: tuple[Preset, ...] = (
    Preset("Ollama", "ollama", LOCAL_SERVERS["ollama"], "llama3.2", _HERE, "library"),
    Preset("LM Studio", "lm-studio", LOCAL_SERVERS["lm-studio"], "", _HERE, "organization_owner"),
    Preset("llama.cpp", "llama-cpp", LOCAL_SERVERS["llama-cpp"], "", _HERE, "llamacpp"),
    Preset("vLLM", "vllm", LOCAL_SERVERS["vllm"], "", _HERE, "vllm"),
    Preset(
        "OpenAI",
        "openai",
        "https://api.openai.com/v1",
        "",
        mark("Needs an API key. Questions and the passages found for them are sent to OpenAI."),
        leaves_machine=True,
    ),
    Preset(mark("Another server"), "model", "", "", mark("Any server with an OpenAI-compatible API.")),
)


def preset_of(server: FoundServer) -> Preset:
    """Return the preset of a server that was found: by the owner of its models, else by its address, else the last."""
    by_owner = (one for one in PRESETS if one.made_by and one.made_by == server.made_by)
    by_address = (one for one in PRESETS if one.base_url == server.base_url)
    return next(by_owner, None) or next(by_address, None) or PRESETS[-1]


def profile_title(profile: ModelProfile) -> str:
    """Return the name by which people know a profile."""
    return tr("Quotes only, no model") if profile.is_offline else profile.name


def privacy(base_url: str) -> str:
    """Return a sentence on the data that leaves the machine with a server at an address."""
    if not base_url.strip():
        return tr("Nothing leaves this computer.")
    if is_local(base_url):
        return tr("This server runs on this computer. Nothing leaves it.")
    return tr("Questions and the passages found for them are sent to this server, but no whole documents.")


def is_local(base_url: str) -> bool:
    """Return whether an address is on this machine."""
    host = base_url.split("://", 1)[-1].split("/", 1)[0].rsplit("@", 1)[-1]
    bare = host[1:].split("]", 1)[0] if host.startswith("[") else host.split(":", 1)[0]
    return is_here(bare)
