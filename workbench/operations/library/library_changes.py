"""Change requests for everything in a library except documents, from one program to another."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench import operations
from workbench.model.agent import Agent, WorkspaceProblem
from workbench.model.egress import OfflineMode, OfflineModeChoice
from workbench.model.extensions import PluginInfo, ToolServer
from workbench.model.integrity_report import Backup
from workbench.model.memory import Memory, MemoryKind
from workbench.model.profile import ModelProfile, ToolCalling, WireApi
from workbench.model.session import ImportedSession
from workbench.model.vector_store import StoreChoice
from workbench.operations.library.document_changes import Change, Whole
from workbench.operations.library.library import Library
from workbench.worker.job import JobContext, Operation


def _without_result(done: Operation[Any]) -> Operation[None]:
    """Return an operation that does the same but returns None: the other program reads the new state itself."""

    async def operation(context: JobContext) -> None:
        await done(context)

    return operation


@dataclass(frozen=True, slots=True)
class AddBase(Change[str]):
    """Request to add an empty knowledge base; its result is the name."""

    name: str

    def operation(self, library: Library) -> Operation[str]:
        """Return the operation that adds it."""
        return operations.add_knowledge_base(library, self.name)


@dataclass(frozen=True, slots=True)
class RenameBase(Change[str]):
    """Request to rename a knowledge base; its result is the new name."""

    name: str
    new: str

    def operation(self, library: Library) -> Operation[str]:
        """Return the operation that renames it."""
        return operations.rename_knowledge_base(library, self.name, self.new)


@dataclass(frozen=True, slots=True)
class RemoveBase(Change[None]):
    """Request to remove a knowledge base with everything in it."""

    name: str

    def operation(self, library: Library) -> Operation[None]:
        """Return the operation that removes it."""
        return _without_result(operations.remove_knowledge_base(library, self.name))


@dataclass(frozen=True, slots=True)
class PutSetting(Change[None]):
    """Request to change a setting; the value is text as the user enters it."""

    is_of_setup = True
    key: str
    value: str

    def operation(self, library: Library) -> Operation[None]:
        """Return the operation that sets it."""
        return _without_result(operations.put_setting(library, self.key, self.value))


@dataclass(frozen=True, slots=True)
class ResetSetting(Change[None]):
    """Request to reset a setting to its default."""

    is_of_setup = True
    key: str

    def operation(self, library: Library) -> Operation[None]:
        """Return the operation that resets it."""
        return _without_result(operations.reset_setting(library, self.key))


@dataclass(frozen=True, slots=True)
class PutOfflineMode(Change[OfflineMode]):
    """Request to switch offline mode on, off, or to automatic."""

    is_of_setup = True
    choice: OfflineModeChoice

    def operation(self, library: Library) -> Operation[OfflineMode]:
        """Return the operation that switches it."""
        return operations.put_offline_mode(library, self.choice)


@dataclass(frozen=True, slots=True)
class ClearNetwork(Change[int]):
    """Request to delete all requests from the ledger; its result is their number."""

    def operation(self, library: Library) -> Operation[int]:
        """Return the operation that deletes them."""
        return operations.clear_network_requests(library)


@dataclass(frozen=True, slots=True)
class PutProfile(Change[None]):
    """Request to add or replace a model profile; its stored key is kept."""

    is_of_setup = True
    name: str
    base_url: str
    model: str
    api: WireApi
    key_env: str
    tools: ToolCalling

    def operation(self, library: Library) -> Operation[None]:
        """Return the operation that stores it."""
        api, tools = self.api, self.tools
        profile = ModelProfile(self.name, self.base_url, self.model, api, self.key_env, tool_calling=tools)
        return _without_result(operations.put_profile(library, profile))


@dataclass(frozen=True, slots=True)
class RemoveProfile(Change[None]):
    """Request to remove a model profile and its key."""

    is_of_setup = True
    name: str

    def operation(self, library: Library) -> Operation[None]:
        """Return the operation that removes it."""
        return _without_result(operations.remove_profile(library, self.name))


@dataclass(frozen=True, slots=True)
class PutAgent(Change[None]):
    """Request to add or replace an agent."""

    is_of_setup = True
    agent: Agent

    def operation(self, library: Library) -> Operation[None]:
        """Return the operation that stores it."""
        return _without_result(operations.put_agent(library, self.agent))


@dataclass(frozen=True, slots=True)
class RemoveAgent(Change[Agent]):
    """Request to remove an agent; its result is the removed agent."""

    is_of_setup = True
    name: str

    def operation(self, library: Library) -> Operation[Agent]:
        """Return the operation that removes it."""
        return operations.remove_agent(library, self.name)


@dataclass(frozen=True, slots=True)
class ImportAgents(Change[tuple[list[Agent], tuple[WorkspaceProblem, ...]]]):
    """Request to import the agents of a folder; its result is the agents and the problems of the folder."""

    is_of_setup = True
    folder: Path

    def operation(self, library: Library) -> Operation[tuple[list[Agent], tuple[WorkspaceProblem, ...]]]:
        """Return the operation that imports them."""
        return operations.import_agents(library, self.folder)


@dataclass(frozen=True, slots=True)
class AddMemory(Change[Memory]):
    """Request to add a memory for a user."""

    user: str
    text: str
    kind: MemoryKind

    def operation(self, library: Library) -> Operation[Memory]:
        """Return the operation that adds it."""
        return operations.put_memory(library, self.text, self.kind, user=self.user)


@dataclass(frozen=True, slots=True)
class EditMemory(Change[Memory]):
    """Request to change the text of a memory of a user."""

    user: str
    number: Whole
    text: str

    def operation(self, library: Library) -> Operation[Memory]:
        """Return the operation that changes it."""
        return operations.edit_memory(library, self.number, self.text, user=self.user)


@dataclass(frozen=True, slots=True)
class RemoveMemory(Change[Memory]):
    """Request to delete a memory of a user; its result is the deleted memory."""

    user: str
    number: Whole

    def operation(self, library: Library) -> Operation[Memory]:
        """Return the operation that deletes it."""
        return operations.remove_memory(library, self.number, user=self.user)


@dataclass(frozen=True, slots=True)
class ClearMemories(Change[list[Memory]]):
    """Request to delete all memories of a user; its result is the deleted memories."""

    user: str

    def operation(self, library: Library) -> Operation[list[Memory]]:
        """Return the operation that deletes them."""
        return operations.clear_memories(library, user=self.user)


@dataclass(frozen=True, slots=True)
class PutToolServer(Change[None]):
    """Request to set up an MCP server, without consent to it: the sending program stores the consent for the user."""

    is_of_setup = True
    name: str
    command: tuple[str, ...]
    url: str
    variables: tuple[str, ...]
    token_env: str

    def operation(self, library: Library) -> Operation[None]:
        """Return the operation that sets it up."""
        server = ToolServer(self.name, self.command, self.url, self.variables, self.token_env)
        return operations.put_tool_server(library, server)


@dataclass(frozen=True, slots=True)
class ForbidToolServer(Change[None]):
    """Request to withdraw the consent to a server."""

    is_of_setup = True
    name: str

    def operation(self, library: Library) -> Operation[None]:
        """Return the operation that withdraws it."""
        return operations.forbid_tool_server(library, self.name)


@dataclass(frozen=True, slots=True)
class RemoveToolServer(Change[None]):
    """Request to delete a server, the consent to it and its token."""

    is_of_setup = True
    name: str

    def operation(self, library: Library) -> Operation[None]:
        """Return the operation that deletes it."""
        return _without_result(operations.remove_tool_server(library, self.name))


@dataclass(frozen=True, slots=True)
class ForbidPlugin(Change[PluginInfo]):
    """Request to withdraw the consent to a plug-in file."""

    is_of_setup = True
    name: str

    def operation(self, library: Library) -> Operation[PluginInfo]:
        """Return the operation that forbids it."""
        return operations.forbid_plugin(library, self.name)


@dataclass(frozen=True, slots=True)
class ImportSession(Change[ImportedSession]):
    """Request to import a session from a file for a user; its documents are written to a folder and added, if given."""

    is_of_setup = True
    user: str
    file: Path
    documents: Path | None

    def operation(self, library: Library) -> Operation[ImportedSession]:
        """Return the operation that imports it."""
        return operations.import_session(library, self.file, documents=self.documents, user=self.user)


@dataclass(frozen=True, slots=True)
class RemoveReading(Change[None]):
    """Request to delete an exhaustive reading."""

    is_of_setup = True
    number: Whole

    def operation(self, library: Library) -> Operation[None]:
        """Return the operation that deletes it."""
        return operations.remove_reading(library, self.number)


@dataclass(frozen=True, slots=True)
class DrawMap(Change[None]):
    """Request to compute a new layout of the map."""

    is_of_setup = True

    def operation(self, library: Library) -> Operation[None]:
        """Return the operation that draws it."""
        return _without_result(operations.draw_map(library))


@dataclass(frozen=True, slots=True)
class CreateBackup(Change[Backup]):
    """Request to create a backup of the database."""

    def operation(self, library: Library) -> Operation[Backup]:
        """Return the operation that creates it."""
        return operations.create_backup(library)


@dataclass(frozen=True, slots=True)
class MoveStore(Change[None]):
    """Request to move the library, or one knowledge base, to another vector store.

    Attributes:
        name: Name of the store; LIBRARY_STORE moves a knowledge base back.
        url: Address of a server; empty for files.
        knowledge_base: Name of the knowledge base; empty for the library.
    """

    is_of_setup = True
    name: str
    url: str = ""
    knowledge_base: str = ""

    def operation(self, library: Library) -> Operation[None]:
        """Return the operation that moves the vectors to it."""
        choice = StoreChoice(self.name, self.url)
        if self.knowledge_base:
            return _without_result(operations.move_base_to_store(library, self.knowledge_base, choice))
        return _without_result(operations.move_vector_store(library, choice))


@dataclass(frozen=True, slots=True)
class DeleteOtherStores(Change[None]):
    """Request to delete the copies of the vectors that other vector stores contain."""

    is_of_setup = True

    def operation(self, library: Library) -> Operation[None]:
        """Return the operation that deletes them."""
        return _without_result(operations.delete_other_stores(library))


@dataclass(frozen=True, slots=True)
class RevertEmbedder(Change[None]):
    """Request to revert to the embedding model before the last change."""

    is_of_setup = True

    def operation(self, library: Library) -> Operation[None]:
        """Return the operation that reverts to it."""
        return _without_result(operations.revert_embedder(library))


@dataclass(frozen=True, slots=True)
class KeepEmbedder(Change[None]):
    """Request to keep the current embedding model, and to delete the vectors of the previous one."""

    is_of_setup = True

    def operation(self, library: Library) -> Operation[None]:
        """Return the operation that deletes them."""
        return _without_result(operations.confirm_embedder(library))


@dataclass(frozen=True, slots=True)
class ChangeEmbedder(Change[None]):
    """Request to change the embedding model, after a download if hosts are allowed for it.

    An empty name is the built-in model; None is the model of the settings.
    """

    is_of_setup = True
    name: str | None
    allow_hosts: tuple[str, ...] = ()

    def operation(self, library: Library) -> Operation[None]:
        """Return the operation that changes to it."""

        async def operation(context: JobContext) -> None:
            if self.allow_hosts:
                model = library.setting_values.load().embedder if self.name is None else self.name
                await operations.download_model(library, model, allow_hosts=self.allow_hosts)(context)
            if self.name is not None:
                await operations.put_setting(library, "embedder", self.name)(context)
            await operations.change_embedder(library)(context)

        return operation


LIBRARY_CHANGES: tuple[type[Change[Any]], ...] = (
    *(
        AddBase,
        RenameBase,
        RemoveBase,
        PutSetting,
        ResetSetting,
        PutOfflineMode,
        ClearNetwork,
        PutProfile,
        RemoveProfile,
    ),
    *(PutAgent, RemoveAgent, ImportAgents, AddMemory, EditMemory, RemoveMemory, ClearMemories),
    *(PutToolServer, ForbidToolServer, RemoveToolServer, ForbidPlugin),
    *(ImportSession, RemoveReading, DrawMap, CreateBackup, ChangeEmbedder, RevertEmbedder, KeepEmbedder),
    *(MoveStore, DeleteOtherStores),
)
"""All changes that a message may request, except those of documents."""
