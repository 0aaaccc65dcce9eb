"""How a library is set up: settings, profiles, agents, vector store, embedding model. Awaited, and waited for."""

from collections.abc import Callable
from pathlib import Path

from workbench import operations
from workbench.api.arguments import OnImportEvent, Texts, context
from workbench.api.waiting import Awaited, Waiting, waited
from workbench.model.agent import Agent, ImportedWorkspace, WorkspaceProblem
from workbench.model.embedder import EmbedderChanged, EmbedderChangeProgress, EmbedderState
from workbench.model.import_progress import DocumentChanged, FileFinished
from workbench.model.options import known_options, texts_of
from workbench.model.profile import ConnectionReport, FoundServer, ModelAbility, ModelProfile
from workbench.model.setting import Setting
from workbench.model.vector_store import StoreMoved, StoreMoveProgress, StoreState
from workbench.settings import DECLARATIONS, Settings, declaration
from workbench.worker.job import JobContext

SettingValue = int | float | str

StoreMoveEvent = StoreMoveProgress | StoreMoved
EmbedderEvent = EmbedderChangeProgress | EmbedderChanged | DocumentChanged

BUILT_IN = "built-in"
"""What the built-in embedding model is called, which the settings call nothing."""

# Methods are called “list” below, which then is no type there.
ProfileList = list[ModelProfile]
AgentList = list[Agent]
Sentences = list[str]
Problems = list[WorkspaceProblem]


@known_options
class AsyncSettings(Awaited):
    """The settings of a library; library.settings. They are those of the window and the command line."""

    async def all(self) -> Settings:
        """Return the values in force, each under its key: settings.search_results."""
        return await operations.load_settings(self._opened)(JobContext())

    async def get(self, key: str) -> SettingValue:
        """Return the value of one.

        Raises:
            SettingError: There is none of that key; the message lists them.
        """
        value: SettingValue = getattr(await self.all(), declaration(key).key)
        return value

    async def set(self, key: str, value: int | float | str | bool) -> SettingValue:
        """Change one and return its value; True and False are "yes" and "no".

        Raises:
            SettingError: There is none of that key, or it cannot have that value; the message says which it can.
        """
        words = {True: "yes", False: "no"}
        asked = words[value] if isinstance(value, bool) and declaration(key).type is str else value
        settings = await operations.put_setting(self._opened, key, asked)(JobContext())
        changed: SettingValue = getattr(settings, key)
        return changed

    async def reset(self, key: str) -> SettingValue:
        """Give one its default back and return that.

        Raises:
            SettingError: There is none of that key.
        """
        value: SettingValue = getattr(await operations.reset_setting(self._opened, key)(JobContext()), key)
        return value

    def describe(self, key: str) -> Setting:
        """Return the title, help, default, bounds and choices of one.

        Raises:
            SettingError: There is none of that key.
        """
        return declaration(key)

    def keys(self) -> tuple[str, ...]:
        """Return the keys of all."""
        return tuple(one.key for one in DECLARATIONS)


@known_options
class AsyncProfiles(Awaited):
    """Model profiles: how chat models are reached; library.profiles."""

    async def list(self) -> ProfileList:
        """Return them, the offline one first."""
        return await operations.list_profiles(self._opened)(JobContext())

    async def put(self, profile: ModelProfile, *, key: str | None = None) -> None:
        """Keep one, so that it can answer here and in the window.

        Args:
            profile: With a name of its own, or that of the one whose place it takes.
            key: Is kept in the system's keyring; None leaves what is kept. profile.key_env names a variable instead.

        Raises:
            SettingError: The name is that of the built-in one, or the address is not one.
        """
        await operations.put_profile(self._opened, profile, key=key)(JobContext())

    async def delete(self, name: str) -> None:
        """Remove one, and its key.

        Raises:
            NotFound: There is none of that name.
        """
        await operations.remove_profile(self._opened, name)(JobContext())

    async def check(self, name: str, *, on_event: Callable[[ModelAbility], object] | None = None) -> ConnectionReport:
        """Try what a profile's server and model can do; report.works says whether nothing failed.

        Args:
            name: Of the profile.
            on_event: Told each thing as it is found out.

        Raises:
            NotFound: There is none of that name.
            ModelKeyRefused: The key cannot be had.
        """
        profile = await self._opened.on_store(self._opened.profiles.get, name)
        return await operations.examine_profile(self._opened, profile)(context(on_event))

    async def find_servers(self) -> tuple[FoundServer, ...]:
        """Return the usual model servers that answer on this machine, with the models that they list."""
        return await operations.find_model_servers(self._opened)(JobContext())


@known_options
class AsyncAgents(Awaited):
    """The agents that are kept; library.agents. library.ask(question, agent=name) asks one."""

    async def list(self) -> AgentList:
        """Return them, the built-in one first."""
        return await operations.list_agents(self._opened)(JobContext())

    async def get(self, name: str) -> Agent:
        """Return one.

        Raises:
            NotFound: There is none of that name.
        """
        return await operations.get_agent(self._opened, name)(JobContext())

    async def put(self, agent: Agent) -> None:
        """Keep one, so that it can be asked by its name here and in the window.

        Raises:
            SettingError: Its name is taken, or cannot be one; or what it needs cannot be.
            RetrievalError: Its filter cannot be understood.
        """
        await operations.put_agent(self._opened, agent)(JobContext())

    async def delete(self, name: str) -> Agent:
        """Remove one and return it as it was.

        Raises:
            NotFound: There is none of that name.
            SettingError: It is the built-in one.
        """
        return await operations.remove_agent(self._opened, name)(JobContext())

    async def import_workspace(self, folder: str | Path) -> ImportedWorkspace:
        """Keep the agents of a folder with agents/NAME/AGENT.md in it, in place of those that came from it before.

        Raises:
            NotFound: There is no such folder.
            SettingError: An agent has a name that cannot be.
        """
        agents, problems = await operations.import_agents(self._opened, Path(folder))(JobContext())
        return ImportedWorkspace(tuple(agents), problems)

    async def problems(self) -> dict[str, Sentences]:
        """Return a sentence for each thing that keeps an agent from working, by the agents' names; runs no plug-in."""
        return await operations.problems_of_agents(self._opened)(JobContext())

    async def workspace_problems(self, folder: str | Path | None = None) -> Problems:
        """Return what is wrong in a folder of agents, or in all that were imported; nothing is kept or changed.

        Raises:
            NotFound: There is no such folder.
        """
        if folder is None:
            return await operations.workspace_problems(self._opened)(JobContext())
        return [*(await operations.open_workspace(self._opened, Path(folder))(JobContext())).problems]


@known_options
class AsyncVectorStore(Awaited):
    """The vector store of a library; library.vector_store. Searches go on during a move."""

    async def state(self) -> StoreState:
        """Return which store is in use, which one is wanted, and which ones a move has left behind."""
        return await operations.vector_store_state(self._opened)(JobContext())

    async def move(
        self, name: str, url: str = "", *, on_event: Callable[[StoreMoveEvent], object] | None = None
    ) -> StoreState:
        """Put the vectors of the library into another store, then search in that; a move back is short.

        Args:
            name: "faiss", "lancedb", "chroma", "qdrant", "milvus", "pgvector", or that of an installed package.
            url: Address of its server; empty for files in the library.
            on_event: Told how many vectors the new store holds.

        Raises:
            IndexUnavailable: The store cannot be used; the library is searched in the old one.
            SettingError: There is no such store, or it lacks its address.
        """
        await operations.put_setting(self._opened, "vector_store_url", url)(JobContext())
        await operations.put_setting(self._opened, "vector_store", name)(JobContext())
        return await operations.move_vector_store(self._opened)(context(on_event))

    async def set_key(self, key: str) -> bool:
        """Keep the password or key of the server; an empty one removes it. Returns whether it is kept past this run.

        Raises:
            SettingError: The setting "vector_store_url" is empty.
        """
        return await operations.put_vector_store_key(self._opened, key)(JobContext())

    async def delete_others(self) -> StoreState:
        """Delete what every other store holds of the library."""
        return await operations.delete_other_stores(self._opened)(JobContext())


@known_options
class AsyncEmbedder(Awaited):
    """The embedding model of a library; library.embedder. Searches go on while it is changed."""

    async def state(self) -> EmbedderState:
        """Return which one is in use, which was before, and what there is to know about it."""
        return await operations.embedder_state(self._opened)(JobContext())

    async def change(
        self,
        model: str = "",
        *,
        allow_hosts: Texts = (),
        on_event: Callable[[EmbedderEvent], object] | None = None,
    ) -> EmbedderState:
        """Embed everything by another model, then search with that; revert goes back.

        Args:
            model: A folder, a name at the hub, or "built-in"; empty means that of the setting "embedder".
            allow_hosts: Servers that the model may be fetched from although the air gap is on, for this once; with
                "huggingface.co" those are meant, too, that it has its files at.
            on_event: Told how far it is.

        Raises:
            NetworkClosed: The air gap is on, and another server would have to be asked.
            EmbeddingError: The model cannot be loaded, or failed; the library is searched as before.
        """
        if allowed := texts_of("allow_hosts", allow_hosts):
            asked = model or (await operations.load_settings(self._opened)(JobContext())).embedder
            name = "" if asked == BUILT_IN else asked
            await operations.download_model(self._opened, name, allow_hosts=allowed)(JobContext())
        if model:
            await operations.put_setting(self._opened, "embedder", "" if model == BUILT_IN else model)(JobContext())
        await operations.change_embedder(self._opened)(context(on_event))
        return await self.state()

    async def revert(self, *, on_event: Callable[[EmbedderEvent], object] | None = None) -> EmbedderState:
        """Go back to the model of before the last change: only what was added since has to be embedded.

        Raises:
            NotFound: There is none.
        """
        return await operations.revert_embedder(self._opened)(context(on_event))

    async def confirm(self) -> EmbedderState:
        """Delete the vectors of the model of before: there is no way back then."""
        return await operations.confirm_embedder(self._opened)(JobContext())

    async def recut(self, *, on_event: OnImportEvent = None) -> list[FileFinished]:
        """Cut and embed those documents anew that have passages longer than the model sees."""
        return await operations.recut_documents(self._opened)(context(on_event))


class SettingsOf(Waiting[AsyncSettings]):
    """The settings of a library; library.settings. They are those of the window and the command line."""

    all = waited(AsyncSettings.all)
    get = waited(AsyncSettings.get)
    set = waited(AsyncSettings.set)
    reset = waited(AsyncSettings.reset)

    def describe(self, key: str) -> Setting:
        """Return the title, help, default, bounds and choices of one; see AsyncSettings.describe."""
        return self._awaited.describe(key)

    def keys(self) -> tuple[str, ...]:
        """Return the keys of all."""
        return self._awaited.keys()


class Profiles(Waiting[AsyncProfiles]):
    """Model profiles: how chat models are reached; library.profiles."""

    list = waited(AsyncProfiles.list)
    put = waited(AsyncProfiles.put)
    delete = waited(AsyncProfiles.delete)
    check = waited(AsyncProfiles.check)
    find_servers = waited(AsyncProfiles.find_servers)


class Agents(Waiting[AsyncAgents]):
    """The agents that are kept; library.agents."""

    list = waited(AsyncAgents.list)
    get = waited(AsyncAgents.get)
    put = waited(AsyncAgents.put)
    delete = waited(AsyncAgents.delete)
    import_workspace = waited(AsyncAgents.import_workspace)
    problems = waited(AsyncAgents.problems)
    workspace_problems = waited(AsyncAgents.workspace_problems)


class VectorStoreOf(Waiting[AsyncVectorStore]):
    """The vector store of a library; library.vector_store."""

    state = waited(AsyncVectorStore.state)
    move = waited(AsyncVectorStore.move)
    set_key = waited(AsyncVectorStore.set_key)
    delete_others = waited(AsyncVectorStore.delete_others)


class EmbedderOf(Waiting[AsyncEmbedder]):
    """The embedding model of a library; library.embedder."""

    state = waited(AsyncEmbedder.state)
    change = waited(AsyncEmbedder.change)
    revert = waited(AsyncEmbedder.revert)
    confirm = waited(AsyncEmbedder.confirm)
    recut = waited(AsyncEmbedder.recut)
