"""Presenters of the settings, the model profiles and the search settings of knowledge bases.

They work without a window.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from workbench import operations
from workbench.language import tr, translate, trn
from workbench.model.document import Document
from workbench.model.evaluation import Promotion, SearchSettings
from workbench.model.knowledge_base import KnowledgeBase
from workbench.model.profile import NO_KEYRING, OFFLINE, KeyNotStored, ModelProfile
from workbench.model.search_configuration import DEFAULT_SEARCH, SearchConfiguration
from workbench.settings import DECLARATIONS, Settings, declaration
from workbench.ui.bridge import Bridge
from workbench.ui.network.offline_mode import OfflineModePresenter
from workbench.ui.settings.model_fetch import ModelFetch
from workbench.ui.settings.model_packages_notice import ModelPackagesPresenter
from workbench.ui.settings.model_servers import ModelServers
from workbench.ui.settings.store_presenter import StorePresenter
from workbench.ui.settings.tool_servers_presenter import ToolServersPresenter

if TYPE_CHECKING:
    from workbench.operations import Library


class SettingsPresenter(QObject):
    """Presenter of the settings and profiles of the open library.

    Signals:
        settings_changed: The Settings in force.
        profiles_changed: A list of ModelProfile, the offline one first.
        reranker_tried: The result of the reranker test, or a message about its key.
        reranker_failed: The error and its details.
        word_vectors_measured: The number of passages with word vectors, and the bytes that these take on disk.
        key_not_stored: The name of a profile whose key is kept only until the program ends.
        search_key_kept: The key of the web search was stored or removed; False if only until the program ends.
        search_key_failed: The error and its details.
        failed: An error and its details.
    """

    settings_changed = Signal(object)
    profiles_changed = Signal(list)
    reranker_tried = Signal(str)
    reranker_failed = Signal(object, str)
    word_vectors_measured = Signal(int, object)
    key_not_stored = Signal(str)
    search_key_kept = Signal(bool)
    search_key_failed = Signal(object, str)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.settings = Settings()
        self.profiles: list[ModelProfile] = [OFFLINE]
        self.tool_servers = ToolServersPresenter(bridge, self)
        self.resetting = SettingsReset(bridge, self)
        self.outdated = OutdatedDocuments(bridge, self)
        self.base_search = BaseSearchPresenter(bridge, self)
        self.model_servers = ModelServers(bridge, self)
        self.offline_mode = OfflineModePresenter(bridge, self)
        self.model_fetch = ModelFetch(bridge, self)
        self.model_packages = ModelPackagesPresenter(bridge, self)
        self.vector_store = StorePresenter(bridge, self)
        self.resetting.changed.connect(self._on_settings)
        self.settings_changed.connect(self.outdated.follow)
        self.settings_changed.connect(self.vector_store.follow)
        self.vector_store.settings_changed.connect(self._on_settings)
        self.vector_store.ended.connect(self.refresh)
        # Each of these changes may affect the need for the network, and switching offline mode changes a setting.
        for changed in (self.settings_changed, self.profiles_changed, self.tool_servers.changed):
            changed.connect(self.offline_mode.refresh)
        self.offline_mode.switched.connect(self.refresh)
        for part in (self.resetting, self.outdated, self.base_search, self.offline_mode, self.model_fetch):
            part.failed.connect(self.failed)
        self._bridge = bridge
        self._not_stored = ""
        self._library: operations.Library | None = None

    def set_library(self, library: operations.Library | None) -> None:
        """Load the settings and profiles of another library."""
        self._library = library
        for part in (self.tool_servers, self.resetting, self.outdated, self.base_search):
            part.set_library(library)
        for other in (self.model_servers, self.model_fetch, self.model_packages, self.offline_mode, self.vector_store):
            other.set_library(library)
        if library is not None:
            self.refresh()
            self._list_profiles(library)

    def refresh_all(self) -> None:
        """Load settings, profiles and tool servers again after another program changed them."""
        self.refresh()
        self.tool_servers.refresh()
        if self._library is not None:
            self._list_profiles(self._library)

    @Slot()
    def refresh(self) -> None:
        """Load the settings again after something else changed them."""
        if self._library is not None:
            self._bridge.submit(operations.load_settings(self._library), done=self._on_settings, failed=self._on_failed)

    @property
    def profile(self) -> ModelProfile:
        """Profile used for answers; the offline one if it does not exist."""
        return next((one for one in self.profiles if one.name == self.settings.profile), OFFLINE)

    def put(self, key: str, value: Any) -> None:
        """Change one setting."""
        if self._library is not None and getattr(self.settings, key) != value:
            self._bridge.submit(
                operations.put_setting(self._library, key, value), done=self._on_settings, failed=self._on_refused
            )

    def reset(self, keys: Sequence[str]) -> None:
        """Reset settings to their defaults; `resetting.undo` restores the values."""
        self.resetting.reset(keys, self.settings)

    def put_profile(self, profile: ModelProfile, key: str | None) -> None:
        """Save a profile; a key of None keeps the stored key."""
        if self._library is not None:
            self._bridge.submit(
                operations.put_profile(self._library, profile, key=key),
                done=self._on_profiles,
                event=self._on_profile_event,
                failed=self._on_failed,
            )

    def remove_profile(self, name: str) -> None:
        """Remove a profile; if it is used for answers, switch to the offline one."""
        if self._library is None:
            return
        if self.settings.profile == name:
            self.put("profile", OFFLINE.name)
        self._bridge.submit(
            operations.remove_profile(self._library, name), done=self._on_profiles, failed=self._on_failed
        )

    def try_reranker(self) -> None:
        """Test the reranker of the settings on a few sentences."""
        if self._library is not None:
            self._bridge.submit(
                operations.check_reranker(self._library),
                done=self._on_reranker_tried,
                failed=self.reranker_failed.emit,
            )

    def measure_word_vectors(self) -> None:
        """Load the number and size of the word vectors that the library stores."""
        if self._library is not None:
            self._bridge.submit(
                operations.word_vector_size(self._library), done=self._on_word_vectors, failed=self.failed.emit
            )

    def put_rerank_key(self, key: str) -> None:
        """Store the key of the reranking server; an empty one removes it."""
        if self._library is not None:
            self._bridge.submit(
                operations.put_rerank_key(self._library, key),
                done=self._on_rerank_key,
                failed=self.reranker_failed.emit,
            )

    def put_web_search_key(self, key: str) -> None:
        """Store the key of the server that searches the web; an empty one removes it."""
        if self._library is not None:
            self._bridge.submit(
                operations.put_web_search_key(self._library, key),
                done=self._on_search_key,
                failed=self.search_key_failed.emit,
            )

    def _list_profiles(self, library: operations.Library) -> None:
        self._bridge.submit(operations.list_profiles(library), done=self._on_profiles, failed=self._on_failed)

    def _on_word_vectors(self, size: tuple[int, int]) -> None:
        self.word_vectors_measured.emit(*size)

    def _on_reranker_tried(self, sentence: str) -> None:
        self.reranker_tried.emit(translate(sentence))

    def _on_search_key(self, is_stored: bool) -> None:
        self.search_key_kept.emit(is_stored)

    def _on_rerank_key(self, is_stored: bool) -> None:
        self.reranker_tried.emit(tr("Saved.") if is_stored else tr(NO_KEYRING))

    def _on_profile_event(self, event: object) -> None:
        if isinstance(event, KeyNotStored):
            self._not_stored = event.profile

    @Slot(object)
    def _on_settings(self, settings: Settings) -> None:
        self.settings = settings
        self.settings_changed.emit(settings)

    def _on_profiles(self, profiles: list[ModelProfile]) -> None:
        self.profiles = profiles
        self.profiles_changed.emit(profiles)
        # Emitted after profiles_changed: the form then shows the profile again and clears its message.
        profile, self._not_stored = self._not_stored, ""
        if profile:
            self.key_not_stored.emit(profile)

    def _on_refused(self, error: BaseException, details: str) -> None:
        # The field shows the value in force again.
        self.settings_changed.emit(self.settings)
        self._on_failed(error, details)

    def _on_failed(self, error: BaseException, details: str) -> None:
        self.failed.emit(error, details)


class SettingsReset(QObject):
    """Presenter that resets settings of the open library.

    Signals:
        changed: The Settings in force.
        notified: A message about the reset, which can be undone.
        failed: An error and its details.
    """

    changed = Signal(object)
    notified = Signal(str)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: operations.Library | None = None
        self._before: dict[str, Any] = {}
        self._pending_resets = 0

    def set_library(self, library: operations.Library | None) -> None:
        """Switch to another library; a reset in the previous one can no longer be undone."""
        self._library = library
        self._before, self._pending_resets = {}, 0

    def reset(self, keys: Sequence[str], settings: Settings) -> None:
        """Reset those settings that differ from their defaults."""
        changed = {key: getattr(settings, key) for key in keys if getattr(settings, key) != declaration(key).default}
        if self._library is None or not changed:
            return
        self._before, self._pending_resets = changed, len(changed)
        for key in changed:
            resetting = operations.reset_setting(self._library, key)
            self._bridge.submit(resetting, done=self._on_reset, failed=self.failed.emit)

    @Slot()
    def undo(self) -> None:
        """Restore the values of the settings that were reset last."""
        before, self._before = self._before, {}
        if self._library is not None:
            for key, value in before.items():
                putting = operations.put_setting(self._library, key, value)
                self._bridge.submit(putting, done=self.changed.emit, failed=self.failed.emit)

    def _on_reset(self, settings: Settings) -> None:
        self.changed.emit(settings)
        self._pending_resets -= 1
        if self._pending_resets == 0 and self._before:
            self.notified.emit(_describe_reset(tuple(self._before)))


def _describe_reset(keys: tuple[str, ...]) -> str:
    if len(keys) == 1:
        return tr("“{title}” was reset.", title=translate(declaration(keys[0]).title))
    return trn("{n:,} setting was reset.", "{n:,} settings were reset.", len(keys))


_KEYS = tuple(one.key for one in DECLARATIONS if one.needs_reindex)


class OutdatedDocuments(QObject):
    """Presenter that counts the documents indexed with earlier settings; works without a window.

    Signals:
        found: The number of documents that keep the earlier values; 0 for none.
        reindex_asked: The identifiers of the documents to index again, a list.
        failed: An error and its details.
    """

    found = Signal(int)
    reindex_asked = Signal(list)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: operations.Library | None = None
        self._indexed_values: tuple[object, ...] | None = None
        self._now: tuple[object, ...] = ()

    def set_library(self, library: operations.Library | None) -> None:
        """Switch to another library; earlier changes of its settings are unknown."""
        self._library, self._indexed_values = library, None
        self.found.emit(0)

    @Slot(object)
    def follow(self, settings: Settings) -> None:
        """Store the settings in force, and count the documents if these need to be indexed again."""
        before, self._now = self._now, tuple(getattr(settings, key) for key in _KEYS)
        if self._indexed_values is None:
            self._indexed_values = self._now
        elif self._now == self._indexed_values:
            self.found.emit(0)
        elif self._now != before and self._library is not None:
            describing = operations.describe_knowledge_bases(self._library)
            self._bridge.submit(describing, done=self._on_bases, failed=self.failed.emit)

    @Slot()
    def reindex(self) -> None:
        """Request that all documents are indexed again."""
        if self._library is not None:
            listing = operations.list_documents(self._library)
            self._bridge.submit(listing, done=self._on_documents, failed=self.failed.emit)

    def _on_bases(self, bases: Sequence[KnowledgeBase]) -> None:
        if self._now != self._indexed_values:
            self.found.emit(sum(base.documents for base in bases))

    def _on_documents(self, documents: Sequence[Document]) -> None:
        self._indexed_values = self._now
        self.found.emit(0)
        self.reindex_asked.emit([document.id for document in documents])


class BaseSearchPresenter(QObject):
    """Presenter of the search settings of the chosen knowledge base.

    Signals:
        bases_changed: The list of knowledge bases was loaded.
        changed: Another knowledge base was chosen, or its search settings changed.
        notified: A message about a change, which can be undone.
        failed: An error and its details.
    """

    bases_changed = Signal()
    changed = Signal()
    notified = Signal(str)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: Library | None = None
        self._last: Promotion | None = None
        self.bases: tuple[str, ...] = ()
        self.base: str | None = None
        self.configuration = DEFAULT_SEARCH
        self.is_own = False

    def set_library(self, library: Library | None) -> None:
        """Switch to another library."""
        self._library, self._last = library, None
        self.bases, self.base = (), None
        self._on_settings(SearchSettings(None, DEFAULT_SEARCH, is_own=False))

    @Slot()
    def refresh(self) -> None:
        """Load the knowledge bases and the search settings of the chosen one again."""
        if self._library is not None:
            listing = operations.list_knowledge_bases(self._library)
            self._bridge.submit(listing, done=self._on_bases, failed=self.failed.emit)

    def choose(self, base: str | None) -> None:
        """Choose a knowledge base; None stands for all that have no settings of their own."""
        self.base = base
        if self._library is not None:
            asking = operations.search_settings(self._library, base)
            self._bridge.submit(asking, done=self._on_settings, failed=self.failed.emit)

    def put(self, configuration: SearchConfiguration) -> None:
        """Set the search configuration of the chosen knowledge base."""
        if configuration != self.configuration:
            self._promote(configuration)

    def reset(self) -> None:
        """Remove the settings of the chosen knowledge base, or restore the defaults if all are chosen."""
        self._promote(None)

    @Slot()
    def undo(self) -> None:
        """Undo the last change."""
        last, self._last = self._last, None
        if last is not None and self._library is not None:
            promoting = operations.promote(self._library, last.knowledge_base, last.before)
            self._bridge.submit(promoting, done=self._on_undone, failed=self.failed.emit)

    def _promote(self, configuration: SearchConfiguration | None) -> None:
        if self._library is not None:
            promoting = operations.promote(self._library, self.base, configuration)
            self._bridge.submit(promoting, done=self._on_promoted, failed=self._on_refused)

    def _on_bases(self, names: list[str]) -> None:
        self.bases = tuple(names)
        self.base = self.base if self.base in self.bases else None
        self.bases_changed.emit()
        self.choose(self.base)

    def _on_settings(self, found: SearchSettings) -> None:
        # The result may belong to a knowledge base that is no longer chosen.
        if found.knowledge_base == self.base:
            self.configuration, self.is_own = found.configuration, found.is_own
            self.changed.emit()

    def _on_promoted(self, promotion: Promotion) -> None:
        self._last = promotion
        self.choose(self.base)
        name = promotion.knowledge_base
        if name is None:
            self.notified.emit(tr("Changed the common search settings."))
        elif promotion.now is None:
            self.notified.emit(tr("“{name}” uses the common search settings again.", name=name))
        else:
            self.notified.emit(tr("“{name}” now has its own search settings.", name=name))

    def _on_undone(self, _promotion: Promotion) -> None:
        self.choose(self.base)

    def _on_refused(self, error: BaseException, details: str) -> None:
        self.changed.emit()  # the fields show the configuration in force again
        self.failed.emit(error, details)
