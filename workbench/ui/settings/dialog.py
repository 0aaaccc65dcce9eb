"""The settings dialog: what answers, how documents are indexed, limits, appearance."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QDialog, QHBoxLayout, QScrollArea, QTabWidget, QVBoxLayout, QWidget

from workbench.settings import Settings, declaration
from workbench.ui.controls import button, frame, label
from workbench.ui.settings.embedder_change import EmbedderCard
from workbench.ui.settings.embedder_presenter import EmbedderPresenter
from workbench.ui.settings.fields import SettingRow
from workbench.ui.settings.presenter import SettingsPresenter
from workbench.ui.settings.profiles import ProfilesPage
from workbench.ui.settings.reranking import RerankingCard, is_used
from workbench.ui.settings.tool_servers import ToolServersCard
from workbench.ui.settings.web_search import WebSearchCard
from workbench.ui.theme import Theme
from workbench.ui.toast import Banner

PAGES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Indexing", ("embedder", "embedding_backend", "chunk_tokens", "chunk_overlap")),
    (
        "Search",
        (
            "reranking",
            "rerank_model",
            "rerank_url",
            "rerank_format",
            "rerank_name",
            "rerank_key_env",
            "rerank_patience",
            "evaluate_again",
        ),
    ),
    (
        "Answers",
        (
            "search_results",
            "context_tokens",
            "answer_tokens",
            "tool_calls",
            "rounds",
            "run_seconds",
            "reading_calls",
            "run_tokens",
            "check_answers",
            "plan",
            "plan_steps",
            "plan_review",
        ),
    ),
    ("Files", ("parser_seconds", "parser_megabytes", "bin_days")),
    ("Scans and tables", ("ocr", "ocr_engine", "ocr_languages", "layout_model")),
    ("Web and databases", ("fetch_megabytes", "fetch_seconds", "allow_private_addresses", "topic_url", "query_rows")),
    (
        "Tools",
        (
            "ask_before_tools",
            "network_tools",
            "web_search_url",
            "web_search_format",
            "web_search_results",
            "web_search_key_env",
            "weather_url",
            "geocoding_url",
        ),
    ),
    (
        "Retrievers",
        (
            "retriever_seconds",
            "retriever_characters",
            "plugin_megabytes",
            "context_file_characters",
            "context_characters",
        ),
    ),
    ("Memory", ("memory", "memory_days")),
    ("Window", ("theme", "text_percent", "reduce_motion", "notifications")),
)
"""“profile” is chosen on the page of the models, “agent” where questions are asked."""


class SettingsDialog(QDialog):
    """Changes take effect at once; there is nothing to confirm."""

    def __init__(self, presenter: SettingsPresenter, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Settings")
        self.resize(880, 560)
        self._rows: dict[str, SettingRow] = {}
        self._banner = Banner(theme)
        self._tabs = QTabWidget()
        self._tabs.setAccessibleName("Pages of the settings")
        self._tabs.setDocumentMode(True)
        self._tabs.addTab(ProfilesPage(presenter, theme), "Models")
        self._pages: dict[str, QWidget] = {}
        for title, keys in PAGES:
            self._tabs.addTab(self._page(title, keys, presenter, theme), title)
        self._add_card("Search", RerankingCard(presenter))
        self._add_card("Tools", ToolServersCard(presenter.tool_servers))
        self._add_card("Tools", WebSearchCard(presenter))
        foot = QHBoxLayout()
        foot.setContentsMargins(20, 10, 20, 14)
        foot.addWidget(label("Settings belong to this library and take effect at once.", "caption"))
        foot.addStretch(1)
        foot.addWidget(button("Close", "secondary", self.accept))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 8, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._banner)
        layout.addWidget(self._tabs, 1)
        layout.addWidget(frame("divider"))
        layout.addLayout(foot)
        presenter.settings_changed.connect(self._on_settings)
        presenter.failed.connect(self._banner.show_error)
        self._on_settings(presenter.settings)

    def show_embedder(self, presenter: EmbedderPresenter) -> None:
        """Say below the settings of indexing how the change of the embedding model stands."""
        self._add_card("Indexing", EmbedderCard(presenter))

    def _add_card(self, page: str, card: QWidget) -> None:
        layout = self._pages[page].layout()
        if isinstance(layout, QVBoxLayout):
            layout.insertWidget(1, card)

    def show_models(self) -> None:
        """Show the page of the model profiles."""
        self._tabs.setCurrentIndex(0)

    def show_setting(self, key: str) -> None:
        """Show one setting, with the keyboard on it."""
        row = self._rows.get(key)
        for index in range(self._tabs.count() if row is not None else 0):
            page = self._tabs.widget(index)
            if row is not None and page is not None and page.isAncestorOf(row):
                self._tabs.setCurrentIndex(index)
                if isinstance(page, QScrollArea):
                    page.ensureWidgetVisible(row)
                row.focus()

    def _page(self, title: str, keys: tuple[str, ...], presenter: SettingsPresenter, theme: Theme) -> QWidget:
        card = frame("card")
        rows = QVBoxLayout(card)
        rows.setContentsMargins(0, 4, 0, 4)
        rows.setSpacing(0)
        for number, key in enumerate(keys):
            if number:
                rows.addWidget(frame("divider"))
            self._rows[key] = SettingRow(declaration(key), presenter, theme)
            rows.addWidget(self._rows[key])
        page = self._pages[title] = QWidget()
        layout = QVBoxLayout(page)
        layout.setContentsMargins(20, 16, 20, 16)
        layout.setSpacing(12)
        layout.addWidget(card)
        layout.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setWidget(page)
        return scroll

    @Slot(object)
    def _on_settings(self, settings: Settings) -> None:
        for key, row in self._rows.items():
            row.show_value(getattr(settings, key))
            row.setEnabled(is_used(key, settings))
