"""Configuration of a library: settings, model profiles, agents, vector store, embedding model.

Each has an asynchronous and a blocking class.
"""

from collections.abc import Callable
from pathlib import Path

from workbench import operations
from workbench.api.arguments import OnImportEvent, Texts, context
from workbench.api.waiting import Awaited, Waiting, waited
from workbench.model.agent import Agent, ImportedWorkspace, WorkspaceProblem
from workbench.model.embedder import EmbedderChanged, EmbedderChangeProgress, EmbedderState
from workbench.model.embedding_server import EmbeddingPlan, EmbeddingTrial, is_embedding_server
from workbench.model.import_progress import DocumentChanged, FileFinished
from workbench.model.options import known_options, texts_of
from workbench.model.profile import ConnectionReport, FoundServer, ModelAbility, ModelProfile
from workbench.model.setting import Setting
from workbench.model.vector_store import StoreChoice, StoreMoved, StoreMoveProgress, StoreState
from workbench.settings import DECLARATIONS, Settings, declaration
from workbench.worker.job import JobContext

SettingValue = int | float | str

StoreMoveEvent = StoreMoveProgress | StoreMoved
EmbedderEvent = EmbedderChangeProgress | EmbedderChanged | DocumentChanged

BUILT_IN = "built-in"
"""Name of the built-in embedding model; in the settings it is the empty text."""

# Aliases, because the methods named “list” below shadow the type in their classes.
ProfileList = list[ModelProfile]
AgentList = list[Agent]
Sentences = list[str]
Problems = list[WorkspaceProblem]


@known_options
class AsyncSettings(Awaited):
    """Settings of a library, the same as in the window and on the command line; library.settings."""

    async def all(self) -> Settings:
        """Return the current values as attributes: settings.search_results."""
        return await operations.load_settings(self._opened)(JobContext())

    async def get(self, key: str) -> SettingValue:
        """Return the value of a setting.

        Raises:
            SettingError: There is no such key; the message lists the keys.
        """
        value: SettingValue = getattr(await self.all(), declaration(key).key)
        return value

    async def set(self, key: str, value: int | float | str | bool) -> SettingValue:
        """Change a setting and return its value; True and False are stored as "yes" and "no".

        Raises:
            SettingError: There is no such key, or the value is invalid; the message lists the allowed ones.
        """
        yes_no = {True: "yes", False: "no"}
        declared = declaration(key)
        new_value = yes_no[value] if isinstance(value, bool) and declared.type is str else value
        settings = await operations.put_setting(self._opened, declared.key, new_value)(JobContext())
        changed: SettingValue = getattr(settings, declared.key)
        return changed

    async def reset(self, key: str) -> SettingValue:
        """Reset a setting to its default and return that.

        Raises:
            SettingError: There is no such key.
        """
        declared = declaration(key)
        settings = await operations.reset_setting(self._opened, declared.key)(JobContext())
        value: SettingValue = getattr(settings, declared.key)
        return value

    def describe(self, key: str) -> Setting:
        """Return the title, help, default, bounds and choices of a setting.

        Raises:
            SettingError: There is no such key.
        """
        return declaration(key)

    def keys(self) -> tuple[str, ...]:
        """Return the keys of all settings."""
        return tuple(one.key for one in DECLARATIONS)


@known_options
class AsyncProfiles(Awaited):
    """Model profiles, which define how chat models are reached; library.profiles."""

    async def list(self) -> ProfileList:
        """Return the profiles, the offline one first."""
        return await operations.list_profiles(self._opened)(JobContext())

    async def put(self, profile: ModelProfile, *, key: str | None = None) -> None:
        """Store a profile, so that it can be used here and in the window.

        Args:
            profile: The profile; it replaces one of the same name.
            key: API key to store in the system's keyring; None keeps the stored one. profile.key_env names an
                environment variable instead.

        Raises:
            SettingError: The name is that of the built-in profile, or the address is invalid.
        """
        await operations.put_profile(self._opened, profile, key=key)(JobContext())

    async def delete(self, name: str) -> None:
        """Delete a profile and its key.

        Raises:
            NotFound: There is no profile of that name.
        """
        await operations.remove_profile(self._opened, name)(JobContext())

    async def check(self, name: str, *, on_event: Callable[[ModelAbility], object] | None = None) -> ConnectionReport:
        """Test the abilities of a profile's server and model; report.works is True if nothing failed.

        Args:
            name: Name of the profile.
            on_event: Called with each ability as it is determined.

        Raises:
            NotFound: There is no profile of that name.
            ModelKeyRefused: The key cannot be read.
        """
        profile = await self._opened.on_store(self._opened.profiles.get, name)
        return await operations.examine_profile(self._opened, profile)(context(on_event))

    async def find_servers(self) -> tuple[FoundServer, ...]:
        """Return the common model servers that respond on this machine, with the models that they list."""
        return await operations.find_model_servers(self._opened)(JobContext())


@known_options
class AsyncAgents(Awaited):
    """Stored agents; library.agents. library.ask(question, agent=name) uses one."""

    async def list(self) -> AgentList:
        """Return the agents, the built-in one first."""
        return await operations.list_agents(self._opened)(JobContext())

    async def get(self, name: str) -> Agent:
        """Return an agent.

        Raises:
            NotFound: There is no agent of that name.
        """
        return await operations.get_agent(self._opened, name)(JobContext())

    async def put(self, agent: Agent) -> None:
        """Store an agent, so that it can be used by name here and in the window.

        Raises:
            SettingError: Its name is taken or invalid, or one of its values is invalid.
            RetrievalError: Its filter is invalid.
        """
        await operations.put_agent(self._opened, agent)(JobContext())

    async def delete(self, name: str) -> Agent:
        """Delete an agent and return it.

        Raises:
            NotFound: There is no agent of that name.
            SettingError: It is the built-in one.
        """
        return await operations.remove_agent(self._opened, name)(JobContext())

    async def import_workspace(self, folder: str | Path) -> ImportedWorkspace:
        """Import the agents of a folder that contains agents/NAME/AGENT.md, replacing those imported from it before.

        Raises:
            NotFound: There is no such folder.
            SettingError: The name of an agent is invalid.
        """
        agents, problems = await operations.import_agents(self._opened, Path(folder))(JobContext())
        return ImportedWorkspace(tuple(agents), problems)

    async def problems(self) -> dict[str, Sentences]:
        """Return by agent name one sentence per problem that keeps the agent from working; runs no plug-in."""
        return await operations.problems_of_agents(self._opened)(JobContext())

    async def workspace_problems(self, folder: str | Path | None = None) -> Problems:
        """Return the problems of a folder of agents, or of all imported ones; nothing is stored or changed.

        Raises:
            NotFound: There is no such folder.
        """
        if folder is None:
            return await operations.workspace_problems(self._opened)(JobContext())
        return [*(await operations.open_workspace(self._opened, Path(folder))(JobContext())).problems]


@known_options
class AsyncVectorStore(Awaited):
    """Vector store of a library; library.vector_store. Searches continue during a move."""

    async def state(self) -> StoreState:
        """Return the store in use, the one requested by the settings, and those kept after a move."""
        return await operations.vector_store_state(self._opened)(JobContext())

    async def move(
        self,
        name: str,
        url: str = "",
        *,
        knowledge_base: str = "",
        on_event: Callable[[StoreMoveEvent], object] | None = None,
    ) -> StoreState:
        """Copy the vectors of the library, or of a knowledge base, to another store, then search in that.

        Args:
            name: "faiss", "lancedb", "chroma", "qdrant", "milvus", "pgvector", or a store of an installed package;
                "library" moves a knowledge base back to the store of the library.
            url: Address of its server; empty for files in the library.
            knowledge_base: Move only the vectors of this knowledge base.
            on_event: Called with the number of vectors in the new store.

        Raises:
            IndexUnavailable: The store cannot be used; the old one is searched.
            NotFound: There is no knowledge base of that name.
            SettingError: There is no such store, or it lacks its address.
        """
        choice = StoreChoice(name, url)
        if knowledge_base:
            return await operations.move_base_to_store(self._opened, knowledge_base, choice)(context(on_event))
        return await operations.move_vector_store(self._opened, choice)(context(on_event))

    async def set_key(self, key: str) -> bool:
        """Store the password or key of the server; an empty one removes it.

        Returns:
            True if it is kept after the program ends.

        Raises:
            SettingError: The setting "vector_store_url" is empty.
        """
        return await operations.put_vector_store_key(self._opened, key)(JobContext())

    async def delete_others(self) -> StoreState:
        """Delete the data of the library from all stores except the one in use."""
        return await operations.delete_other_stores(self._opened)(JobContext())


@known_options
class AsyncEmbedder(Awaited):
    """Embedding model of a library; library.embedder. Searches continue while it is changed."""

    async def state(self) -> EmbedderState:
        """Return the current model, the previous one, and notes about them."""
        return await operations.embedder_state(self._opened)(JobContext())

    async def change(
        self,
        model: str = "",
        *,
        allow_hosts: Texts = (),
        may_send: bool = False,
        on_event: Callable[[EmbedderEvent], object] | None = None,
    ) -> EmbedderState:
        """Embed everything with another model, then use that model for searches; revert goes back.

        Args:
            model: A folder, a name on the hub, a server such as "openai:http://127.0.0.1:11434/v1#nomic-embed-text",
                or "built-in"; empty uses the setting "embedder".
            allow_hosts: Servers from which the model may be fetched although offline mode is on, for this call only;
                "huggingface.co" includes the servers on which it stores its files.
            may_send: True if a server on another machine may receive all passages and questions, from now on; plan
                tells how many and what that costs.
            on_event: Called with the progress.

        Raises:
            NetworkClosed: Offline mode is on, and a server that is not allowed would be contacted.
            EmbeddingError: The model cannot be loaded, or failed; searches use the previous model.
        """
        choice = model or (await operations.load_settings(self._opened)(JobContext())).embedder
        name = "" if choice == BUILT_IN else choice
        if is_embedding_server(name):
            if may_send:
                await operations.allow_embedding_server(self._opened, name)(JobContext())
        elif allowed := texts_of("allow_hosts", allow_hosts):
            await operations.download_model(self._opened, name, allow_hosts=allowed)(JobContext())
        if model:
            await operations.put_setting(self._opened, "embedder", name)(JobContext())
        await operations.change_embedder(self._opened)(context(on_event))
        return await self.state()

    async def plan(self, model: str = "", *, price: float | None = None) -> EmbeddingPlan | None:
        """Return what a server would receive if it embedded the library, and what that costs; sends nothing.

        Args:
            model: As for change.
            price: Price in US dollars per million tokens; None takes that of a known service.

        Returns:
            None if the model is not on a server.

        Raises:
            SettingError: The model is meant as a server but is invalid.
        """
        return await operations.plan_embedding_server(self._opened, model, price=price)(JobContext())

    async def try_server(self, model: str) -> EmbeddingTrial:
        """Have a server embed test sentences, none of them from the library.

        Raises:
            EmbeddingError: The server cannot be used.
            SettingError: The model is not on a server.
        """
        return await operations.try_embedding_server(self._opened, model)(JobContext())

    async def set_key(self, model: str, key: str) -> bool:
        """Store the key of a server in the system's keyring; an empty one removes it.

        Returns:
            True if it is kept after the program ends.

        Raises:
            SettingError: The model is not on a server.
        """
        return await operations.put_embedding_server_key(self._opened, model, key)(JobContext())

    async def revert(self, *, on_event: Callable[[EmbedderEvent], object] | None = None) -> EmbedderState:
        """Return to the model used before the last change; only documents added since have to be embedded.

        Raises:
            NotFound: There is no previous model.
        """
        return await operations.revert_embedder(self._opened)(context(on_event))

    async def confirm(self) -> EmbedderState:
        """Delete the vectors of the previous model; revert is not possible afterwards."""
        return await operations.confirm_embedder(self._opened)(JobContext())

    async def recut(self, *, on_event: OnImportEvent = None) -> list[FileFinished]:
        """Chunk and embed again the documents that have passages longer than the model's input."""
        return await operations.recut_documents(self._opened)(context(on_event))


class SettingsOf(Waiting[AsyncSettings]):
    """Settings of a library, the same as in the window and on the command line; library.settings."""

    all = waited(AsyncSettings.all)
    get = waited(AsyncSettings.get)
    set = waited(AsyncSettings.set)
    reset = waited(AsyncSettings.reset)

    def describe(self, key: str) -> Setting:
        """Return the title, help, default, bounds and choices of a setting; see AsyncSettings.describe."""
        return self._awaited.describe(key)

    def keys(self) -> tuple[str, ...]:
        """Return the keys of all settings."""
        return self._awaited.keys()


class Profiles(Waiting[AsyncProfiles]):
    """Model profiles, which define how chat models are reached; library.profiles."""

    list = waited(AsyncProfiles.list)
    put = waited(AsyncProfiles.put)
    delete = waited(AsyncProfiles.delete)
    check = waited(AsyncProfiles.check)
    find_servers = waited(AsyncProfiles.find_servers)


class Agents(Waiting[AsyncAgents]):
    """Stored agents; library.agents."""

    list = waited(AsyncAgents.list)
    get = waited(AsyncAgents.get)
    put = waited(AsyncAgents.put)
    delete = waited(AsyncAgents.delete)
    import_workspace = waited(AsyncAgents.import_workspace)
    problems = waited(AsyncAgents.problems)
    workspace_problems = waited(AsyncAgents.workspace_problems)


class VectorStoreOf(Waiting[AsyncVectorStore]):
    """Vector store of a library; library.vector_store."""

    state = waited(AsyncVectorStore.state)
    move = waited(AsyncVectorStore.move)
    set_key = waited(AsyncVectorStore.set_key)
    delete_others = waited(AsyncVectorStore.delete_others)


class EmbedderOf(Waiting[AsyncEmbedder]):
    """Embedding model of a library; library.embedder."""

    state = waited(AsyncEmbedder.state)
    change = waited(AsyncEmbedder.change)
    plan = waited(AsyncEmbedder.plan)
    try_server = waited(AsyncEmbedder.try_server)
    set_key = waited(AsyncEmbedder.set_key)
    revert = waited(AsyncEmbedder.revert)
    confirm = waited(AsyncEmbedder.confirm)
    recut = waited(AsyncEmbedder.recut)
