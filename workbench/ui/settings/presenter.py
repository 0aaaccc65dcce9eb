"""Reads and changes settings and model profiles; works without a window."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from workbench.language import said, tr
from workbench.model.profile import NO_KEYRING, OFFLINE, KeyNotStored, ModelProfile
from workbench.settings import Settings
from workbench.ui.bridge import Bridge
from workbench.ui.network.air_gap import AirGapPresenter
from workbench.ui.settings.base_search_presenter import BaseSearchPresenter
from workbench.ui.settings.model_fetch import ModelFetch
from workbench.ui.settings.model_servers import ModelServers
from workbench.ui.settings.outdated import Outdated
from workbench.ui.settings.resetting import Resetting
from workbench.ui.settings.tool_servers_presenter import ToolServersPresenter
from workbench.ui.verbs import operations


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
        self.resetting = Resetting(bridge, self)
        self.outdated = Outdated(bridge, self)
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

    def set_library(self, library: "operations.Library | None") -> None:
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

    def _list_profiles(self, library: "operations.Library") -> None:
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
