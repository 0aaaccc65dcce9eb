"""Changes of what a library has besides documents, that one program may have another one make."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.model.agent import Agent, WorkspaceProblem
from workbench.model.egress import AirGap, AirGapChoice
from workbench.model.extensions import PluginInfo, ToolServer
from workbench.model.integrity_report import Backup
from workbench.model.memory import Memory, MemoryKind
from workbench.model.profile import ModelProfile, ToolCalling, WireApi
from workbench.model.session import ImportedSession
from workbench.operations.integrity.integrity_and_backups import create_backup
from workbench.operations.library import embedder_change, knowledge_bases
from workbench.operations.library.document_changes import Change, Whole
from workbench.operations.library.egress import clear_network_requests, download_model, put_air_gap
from workbench.operations.library.library import Library
from workbench.operations.library.map import draw_map
from workbench.operations.library.profiles import put_profile, remove_profile
from workbench.operations.library.settings import put_setting, reset_setting
from workbench.operations.questions import memories, plugin_files, tool_servers
from workbench.operations.questions.agents import import_agents, put_agent, remove_agent
from workbench.operations.read_all.exhaustive_records import remove_reading
from workbench.operations.sessions.session_import import import_session
from workbench.worker.job import JobContext, Operation


def _silently(done: Operation[Any]) -> Operation[None]:
    """Return an operation that does the same and comes to nothing: what there is then, the other program reads."""

    async def operation(context: JobContext) -> None:
        await done(context)

    return operation


@dataclass(frozen=True, slots=True)
class AddBase(Change[str]):
    """An empty knowledge base; comes to its name."""

    name: str

    def operation(self, library: Library) -> Operation[str]:
        """Return the operation that adds it."""
        return knowledge_bases.add_knowledge_base(library, self.name)


@dataclass(frozen=True, slots=True)
class RenameBase(Change[str]):
    """Another name for a knowledge base; comes to that name."""

    name: str
    new: str

    def operation(self, library: Library) -> Operation[str]:
        """Return the operation that gives it."""
        return knowledge_bases.rename_knowledge_base(library, self.name, self.new)


@dataclass(frozen=True, slots=True)
class RemoveBase(Change[None]):
    """A knowledge base removed with everything in it."""

    name: str

    def operation(self, library: Library) -> Operation[None]:
        """Return the operation that removes it."""
        return _silently(knowledge_bases.remove_knowledge_base(library, self.name))


@dataclass(frozen=True, slots=True)
class PutSetting(Change[None]):
    """Another value of a setting, as a person types it."""

    is_of_setup = True
    key: str
    value: str

    def operation(self, library: Library) -> Operation[None]:
        """Return the operation that puts it."""
        return _silently(put_setting(library, self.key, self.value))


@dataclass(frozen=True, slots=True)
class ResetSetting(Change[None]):
    """A setting as it is without anybody's doing."""

    is_of_setup = True
    key: str

    def operation(self, library: Library) -> Operation[None]:
        """Return the operation that resets it."""
        return _silently(reset_setting(library, self.key))


@dataclass(frozen=True, slots=True)
class PutAirGap(Change[AirGap]):
    """The air gap on, off, or by itself."""

    is_of_setup = True
    choice: AirGapChoice

    def operation(self, library: Library) -> Operation[AirGap]:
        """Return the operation that switches it."""
        return put_air_gap(library, self.choice)


@dataclass(frozen=True, slots=True)
class ClearNetwork(Change[int]):
    """All requests forgotten; comes to how many there were."""

    def operation(self, library: Library) -> Operation[int]:
        """Return the operation that forgets them."""
        return clear_network_requests(library)


@dataclass(frozen=True, slots=True)
class PutProfile(Change[None]):
    """A model profile added or replaced; its key stays where it is."""

    is_of_setup = True
    name: str
    base_url: str
    model: str
    api: WireApi
    key_env: str
    tools: ToolCalling

    def operation(self, library: Library) -> Operation[None]:
        """Return the operation that puts it."""
        api, tools = self.api, self.tools
        profile = ModelProfile(self.name, self.base_url, self.model, api, self.key_env, tool_calling=tools)
        return _silently(put_profile(library, profile))


@dataclass(frozen=True, slots=True)
class RemoveProfile(Change[None]):
    """A model profile removed, with its key."""

    is_of_setup = True
    name: str

    def operation(self, library: Library) -> Operation[None]:
        """Return the operation that removes it."""
        return _silently(remove_profile(library, self.name))


@dataclass(frozen=True, slots=True)
class PutAgent(Change[None]):
    """An agent added or replaced."""

    is_of_setup = True
    agent: Agent

    def operation(self, library: Library) -> Operation[None]:
        """Return the operation that puts it."""
        return _silently(put_agent(library, self.agent))


@dataclass(frozen=True, slots=True)
class RemoveAgent(Change[Agent]):
    """An agent removed; comes to what it was."""

    is_of_setup = True
    name: str

    def operation(self, library: Library) -> Operation[Agent]:
        """Return the operation that removes it."""
        return remove_agent(library, self.name)


@dataclass(frozen=True, slots=True)
class ImportAgents(Change[tuple[list[Agent], tuple[WorkspaceProblem, ...]]]):
    """The agents of a folder; comes to them and to what is wrong there."""

    is_of_setup = True
    folder: Path

    def operation(self, library: Library) -> Operation[tuple[list[Agent], tuple[WorkspaceProblem, ...]]]:
        """Return the operation that reads it."""
        return import_agents(library, self.folder)


@dataclass(frozen=True, slots=True)
class AddMemory(Change[Memory]):
    """A sentence remembered for a user."""

    user: str
    text: str
    kind: MemoryKind

    def operation(self, library: Library) -> Operation[Memory]:
        """Return the operation that remembers it."""
        return memories.put_memory(library, self.text, self.kind, user=self.user)


@dataclass(frozen=True, slots=True)
class EditMemory(Change[Memory]):
    """Another text for what is remembered of a user."""

    user: str
    number: Whole
    text: str

    def operation(self, library: Library) -> Operation[Memory]:
        """Return the operation that puts it."""
        return memories.edit_memory(library, self.number, self.text, user=self.user)


@dataclass(frozen=True, slots=True)
class RemoveMemory(Change[Memory]):
    """Something about a user forgotten; comes to what it was."""

    user: str
    number: Whole

    def operation(self, library: Library) -> Operation[Memory]:
        """Return the operation that forgets it."""
        return memories.remove_memory(library, self.number, user=self.user)


@dataclass(frozen=True, slots=True)
class ClearMemories(Change[list[Memory]]):
    """Everything about a user forgotten; comes to what it was."""

    user: str

    def operation(self, library: Library) -> Operation[list[Memory]]:
        """Return the operation that forgets it."""
        return memories.clear_memories(library, user=self.user)


@dataclass(frozen=True, slots=True)
class PutToolServer(Change[None]):
    """An MCP server set up. The consent to it never travels: whoever types it keeps it where the user's own are."""

    is_of_setup = True
    name: str
    command: tuple[str, ...]
    url: str
    variables: tuple[str, ...]
    token_env: str

    def operation(self, library: Library) -> Operation[None]:
        """Return the operation that sets it up."""
        server = ToolServer(self.name, self.command, self.url, self.variables, self.token_env)
        return tool_servers.put_tool_server(library, server)


@dataclass(frozen=True, slots=True)
class ForbidToolServer(Change[None]):
    """The consent to a server taken back."""

    is_of_setup = True
    name: str

    def operation(self, library: Library) -> Operation[None]:
        """Return the operation that takes it back."""
        return tool_servers.forbid_tool_server(library, self.name)


@dataclass(frozen=True, slots=True)
class RemoveToolServer(Change[None]):
    """A server forgotten, with the consent to it and its token."""

    is_of_setup = True
    name: str

    def operation(self, library: Library) -> Operation[None]:
        """Return the operation that forgets it."""
        return _silently(tool_servers.remove_tool_server(library, self.name))


@dataclass(frozen=True, slots=True)
class ForbidPlugin(Change[PluginInfo]):
    """A plug-in file that may run no longer."""

    is_of_setup = True
    name: str

    def operation(self, library: Library) -> Operation[PluginInfo]:
        """Return the operation that forbids it."""
        return plugin_files.forbid_plugin(library, self.name)


@dataclass(frozen=True, slots=True)
class ImportSession(Change[ImportedSession]):
    """A session from a file, for a user; documents of it are written to a folder and added, where one is named."""

    is_of_setup = True
    user: str
    file: Path
    documents: Path | None

    def operation(self, library: Library) -> Operation[ImportedSession]:
        """Return the operation that takes it in."""
        return import_session(library, self.file, documents=self.documents, user=self.user)


@dataclass(frozen=True, slots=True)
class RemoveReading(Change[None]):
    """A reading of every passage deleted."""

    is_of_setup = True
    number: Whole

    def operation(self, library: Library) -> Operation[None]:
        """Return the operation that deletes it."""
        return remove_reading(library, self.number)


@dataclass(frozen=True, slots=True)
class DrawMap(Change[None]):
    """The map laid out anew."""

    is_of_setup = True

    def operation(self, library: Library) -> Operation[None]:
        """Return the operation that draws it."""
        return _silently(draw_map(library))


@dataclass(frozen=True, slots=True)
class CreateBackup(Change[Backup]):
    """A backup of the database."""

    def operation(self, library: Library) -> Operation[Backup]:
        """Return the operation that makes it."""
        return create_backup(library)


@dataclass(frozen=True, slots=True)
class RevertEmbedder(Change[None]):
    """The embedding model of before the last change."""

    is_of_setup = True

    def operation(self, library: Library) -> Operation[None]:
        """Return the operation that goes back to it."""
        return _silently(embedder_change.revert_embedder(library))


@dataclass(frozen=True, slots=True)
class KeepEmbedder(Change[None]):
    """The vectors of the embedding model of before deleted."""

    is_of_setup = True

    def operation(self, library: Library) -> Operation[None]:
        """Return the operation that deletes them."""
        return _silently(embedder_change.confirm_embedder(library))


@dataclass(frozen=True, slots=True)
class ChangeEmbedder(Change[None]):
    """Another embedding model, first downloaded where hosts are allowed for that; empty is the built-in one.

    None as its name leaves it to the settings.
    """

    is_of_setup = True
    name: str | None
    allow_hosts: tuple[str, ...] = ()

    def operation(self, library: Library) -> Operation[None]:
        """Return the operation that goes over to it."""

        async def operation(context: JobContext) -> None:
            if self.allow_hosts:
                asked = library.setting_values.load().embedder if self.name is None else self.name
                await download_model(library, asked, allow_hosts=self.allow_hosts)(context)
            if self.name is not None:
                await put_setting(library, "embedder", self.name)(context)
            await embedder_change.change_embedder(library)(context)

        return operation


LIBRARY_CHANGES: tuple[type[Change[Any]], ...] = (
    *(AddBase, RenameBase, RemoveBase, PutSetting, ResetSetting, PutAirGap, ClearNetwork, PutProfile, RemoveProfile),
    *(PutAgent, RemoveAgent, ImportAgents, AddMemory, EditMemory, RemoveMemory, ClearMemories),
    *(PutToolServer, ForbidToolServer, RemoveToolServer, ForbidPlugin),
    *(ImportSession, RemoveReading, DrawMap, CreateBackup, ChangeEmbedder, RevertEmbedder, KeepEmbedder),
)
"""All of them: what a message may ask for."""
