"""Reads, changes and resets settings, model profiles and the search settings of knowledge bases.

Works without a window.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from workbench.language import said, tr, trn
from workbench.model.document import Document
from workbench.model.evaluation import Promotion, SearchSettings
from workbench.model.knowledge_base import KnowledgeBase
from workbench.model.profile import NO_KEYRING, OFFLINE, KeyNotStored, ModelProfile
from workbench.model.search_configuration import DEFAULT_SEARCH, SearchConfiguration
from workbench.settings import DECLARATIONS, Settings, declaration
from workbench.ui.bridge import Bridge
from workbench.ui.lazy_operations import operations
from workbench.ui.network.air_gap import AirGapPresenter
from workbench.ui.settings.model_fetch import ModelFetch
from workbench.ui.settings.model_servers import ModelServers
from workbench.ui.settings.tool_servers_presenter import ToolServersPresenter

if TYPE_CHECKING:
    from workbench.operations import Library


class SettingsPresenter(QObject):
    """The settings and profiles of the open library.

    Signals:
        settings_changed: The Settings in force.
        profiles_changed: A list of ModelProfile, the offline one first.
        reranker_tried: What the trial of the reranker said, or that its key is kept.
        reranker_failed: Why it failed: the error and its details.
        word_vectors_measured: How many passages have word vectors, and how many bytes these take on disk.
        key_not_stored: The name of a profile whose key is kept until the program ends only.
        search_key_kept: The key of the web search is kept, or gone; False where it is so until the program ends only.
        search_key_failed: Why it is not: the error and its details.
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
        self.air_gap = AirGapPresenter(bridge, self)
        self.model_fetch = ModelFetch(bridge, self)
        self.resetting.changed.connect(self._on_settings)
        self.settings_changed.connect(self.outdated.follow)
        # Whatever is set up may need the network, and what switches the air gap changes a setting.
        for changed in (self.settings_changed, self.profiles_changed, self.tool_servers.changed):
            changed.connect(self.air_gap.refresh)
        self.air_gap.switched.connect(self.refresh)
        for part in (self.resetting, self.outdated, self.base_search, self.air_gap, self.model_fetch):
            part.failed.connect(self.failed)
        self._bridge = bridge
        self._not_stored = ""
        self._library: operations.Library | None = None

    def set_library(self, library: operations.Library | None) -> None:
        """Read another library's settings and profiles."""
        self._library = library
        for part in (self.tool_servers, self.resetting, self.outdated, self.base_search):
            part.set_library(library)
        for other in (self.model_servers, self.model_fetch, self.air_gap):
            other.set_library(library)
        if library is not None:
            self.refresh()
            self._list_profiles(library)

    def refresh_all(self) -> None:
        """Read settings, profiles and tool servers again: another program changed them."""
        self.refresh()
        self.tool_servers.refresh()
        if self._library is not None:
            self._list_profiles(self._library)

    @Slot()
    def refresh(self) -> None:
        """Read the settings again: something else changed them."""
        if self._library is not None:
            self._bridge.submit(operations.load_settings(self._library), done=self._on_settings, failed=self._on_failed)

    @property
    def profile(self) -> ModelProfile:
        """The profile that answers."""
        return next((one for one in self.profiles if one.name == self.settings.profile), OFFLINE)

    def put(self, key: str, value: Any) -> None:
        """Change one setting."""
        if self._library is not None and getattr(self.settings, key) != value:
            self._bridge.submit(
                operations.put_setting(self._library, key, value), done=self._on_settings, failed=self._on_refused
            )

    def reset(self, keys: Sequence[str]) -> None:
        """Put settings back to their defaults; resetting.undo takes it back."""
        self.resetting.reset(keys, self.settings)

    def put_profile(self, profile: ModelProfile, key: str | None) -> None:
        """Keep a profile; key None leaves a stored key as it is."""
        if self._library is not None:
            self._bridge.submit(
                operations.put_profile(self._library, profile, key=key),
                done=self._on_profiles,
                event=self._on_profile_event,
                failed=self._on_failed,
            )

    def remove_profile(self, name: str) -> None:
        """Remove a profile; when it was the one that answers, the offline one answers."""
        if self._library is None:
            return
        if self.settings.profile == name:
            self.put("profile", OFFLINE.name)
        self._bridge.submit(
            operations.remove_profile(self._library, name), done=self._on_profiles, failed=self._on_failed
        )

    def try_reranker(self) -> None:
        """Try the reranker of the settings on a few sentences."""
        if self._library is not None:
            self._bridge.submit(
                operations.check_reranker(self._library),
                done=self._on_reranker_tried,
                failed=self.reranker_failed.emit,
            )

    def measure_word_vectors(self) -> None:
        """Measure the word vectors that the library keeps."""
        if self._library is not None:
            self._bridge.submit(
                operations.word_vector_size(self._library), done=self._on_word_vectors, failed=self.failed.emit
            )

    def put_rerank_key(self, key: str) -> None:
        """Keep the key of the reranking server; an empty one removes it."""
        if self._library is not None:
            self._bridge.submit(
                operations.put_rerank_key(self._library, key),
                done=self._on_rerank_key,
                failed=self.reranker_failed.emit,
            )

    def put_web_search_key(self, key: str) -> None:
        """Keep the key of the server that searches the web; an empty one removes it."""
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
        self.reranker_tried.emit(said(sentence))

    def _on_search_key(self, is_stored: bool) -> None:
        self.search_key_kept.emit(is_stored)

    def _on_rerank_key(self, is_stored: bool) -> None:
        self.reranker_tried.emit(tr("Kept.") if is_stored else tr(NO_KEYRING))

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
        # Behind it: the form shows the profile anew, and forgets what it said before.
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
    """Resets settings of the open library.

    Signals:
        changed: The Settings in force.
        said: A sentence on what was reset, which can be undone.
        failed: An error and its details.
    """

    changed = Signal(object)
    said = Signal(str)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: operations.Library | None = None
        self._before: dict[str, Any] = {}
        self._left = 0

    def set_library(self, library: operations.Library | None) -> None:
        """Take another library; what was reset in the one before stays so."""
        self._library = library
        self._before, self._left = {}, 0

    def reset(self, keys: Sequence[str], settings: Settings) -> None:
        """Give settings their defaults; those are left out that have them in settings."""
        changed = {key: getattr(settings, key) for key in keys if getattr(settings, key) != declaration(key).default}
        if self._library is None or not changed:
            return
        self._before, self._left = changed, len(changed)
        for key in changed:
            resetting = operations.reset_setting(self._library, key)
            self._bridge.submit(resetting, done=self._on_reset, failed=self.failed.emit)

    @Slot()
    def undo(self) -> None:
        """Give the settings that were reset last the values that they had."""
        before, self._before = self._before, {}
        if self._library is not None:
            for key, value in before.items():
                putting = operations.put_setting(self._library, key, value)
                self._bridge.submit(putting, done=self.changed.emit, failed=self.failed.emit)

    def _on_reset(self, settings: Settings) -> None:
        self.changed.emit(settings)
        self._left -= 1
        if self._left == 0 and self._before:
            self.said.emit(_words(tuple(self._before)))


def _words(keys: tuple[str, ...]) -> str:
    if len(keys) == 1:
        return tr("“{title}” has its default again.", title=said(declaration(keys[0]).title))
    return trn("{n:,} setting has its default again.", "{n:,} settings have their defaults again.", len(keys))


_KEYS = tuple(one.key for one in DECLARATIONS if one.needs_reindex)


class OutdatedDocuments(QObject):
    """Watches the settings of the open library; works without a window.

    Signals:
        found: So many documents keep the values from before; 0 for none, or none any more.
        reindex_asked: The numbers of the documents that are to be indexed again, a list.
        failed: An error and its details.
    """

    found = Signal(int)
    reindex_asked = Signal(list)
    failed = Signal(object, str)

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._library: operations.Library | None = None
        self._followed: tuple[object, ...] | None = None
        self._now: tuple[object, ...] = ()

    def set_library(self, library: operations.Library | None) -> None:
        """Take another library: what its settings were changed to before is not known."""
        self._library, self._followed = library, None
        self.found.emit(0)

    @Slot(object)
    def follow(self, settings: Settings) -> None:
        """Take note of the settings in force."""
        before, self._now = self._now, tuple(getattr(settings, key) for key in _KEYS)
        if self._followed is None:
            self._followed = self._now
        elif self._now == self._followed:
            self.found.emit(0)
        elif self._now != before and self._library is not None:
            describing = operations.describe_knowledge_bases(self._library)
            self._bridge.submit(describing, done=self._on_bases, failed=self.failed.emit)

    @Slot()
    def reindex(self) -> None:
        """Have all documents indexed again."""
        if self._library is not None:
            listing = operations.list_documents(self._library)
            self._bridge.submit(listing, done=self._on_documents, failed=self.failed.emit)

    def _on_bases(self, bases: Sequence[KnowledgeBase]) -> None:
        if self._now != self._followed:
            self.found.emit(sum(base.documents for base in bases))

    def _on_documents(self, documents: Sequence[Document]) -> None:
        self._followed = self._now
        self.found.emit(0)
        self.reindex_asked.emit([document.id for document in documents])


class BaseSearchPresenter(QObject):
    """Knows the knowledge bases, which of them is looked at, and how it is searched.

    Signals:
        bases_changed: There are other knowledge bases.
        changed: Another one is looked at, or it is searched otherwise.
        said: A sentence on what was changed, which can be undone.
        failed: An error and its details.
    """

    bases_changed = Signal()
    changed = Signal()
    said = Signal(str)
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
        """Take another library."""
        self._library, self._last = library, None
        self.bases, self.base = (), None
        self._on_settings(SearchSettings(None, DEFAULT_SEARCH, is_own=False))

    @Slot()
    def refresh(self) -> None:
        """Ask anew which knowledge bases there are, and how the one that is looked at is searched."""
        if self._library is not None:
            listing = operations.list_knowledge_bases(self._library)
            self._bridge.submit(listing, done=self._on_bases, failed=self.failed.emit)

    def choose(self, base: str | None) -> None:
        """Look at another knowledge base; None is for all that have nothing of their own."""
        self.base = base
        if self._library is not None:
            asking = operations.search_settings(self._library, base)
            self._bridge.submit(asking, done=self._on_settings, failed=self.failed.emit)

    def put(self, configuration: SearchConfiguration) -> None:
        """Search the one that is looked at like this from now on."""
        if configuration != self.configuration:
            self._promote(configuration)

    def reset(self) -> None:
        """Search the one that is looked at like all others again; all of them as the program has it."""
        self._promote(None)

    @Slot()
    def undo(self) -> None:
        """Take the last change back."""
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
        # It may be the answer for one that is looked at no more.
        if found.knowledge_base == self.base:
            self.configuration, self.is_own = found.configuration, found.is_own
            self.changed.emit()

    def _on_promoted(self, promotion: Promotion) -> None:
        self._last = promotion
        self.choose(self.base)
        name = promotion.knowledge_base
        if name is None:
            self.said.emit(tr("All knowledge bases without settings of their own are searched like this now."))
        elif promotion.now is None:
            self.said.emit(tr("“{name}” is searched like all others again.", name=name))
        else:
            self.said.emit(tr("“{name}” has search settings of its own now.", name=name))

    def _on_undone(self, _promotion: Promotion) -> None:
        self.choose(self.base)

    def _on_refused(self, error: BaseException, details: str) -> None:
        self.changed.emit()  # the fields show what is in force again
        self.failed.emit(error, details)
