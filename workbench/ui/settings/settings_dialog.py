"""Settings dialog, and its notice that documents must be indexed again."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtGui import QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from workbench.language import mark, tr, trn
from workbench.settings import Settings, declaration
from workbench.ui.actions import command, key_words
from workbench.ui.controls import button, frame, label
from workbench.ui.dialog import Dialog
from workbench.ui.messages import Banner, Toast, announce
from workbench.ui.settings.base_search import FIELD_TITLES, TITLE, BaseSearchCard
from workbench.ui.settings.elsewhere import found_elsewhere
from workbench.ui.settings.embedder_card import EmbedderCard, EmbedderPresenter
from workbench.ui.settings.model_servers import PRESETS
from workbench.ui.settings.presenter import OutdatedDocuments, SettingsPresenter
from workbench.ui.settings.profile_form import SAMPLING_SYNONYMS
from workbench.ui.settings.profiles_page import ProfilesPage
from workbench.ui.settings.service_cards import NetworkCard, RerankingCard, WebSearchCard
from workbench.ui.settings.settings_pages import OF_CARDS, PAGES, ProfileRow, SettingRow, SettingsPage
from workbench.ui.settings.settings_search import SettingsSearch, finds, in_both
from workbench.ui.settings.store_card import StoreCard
from workbench.ui.settings.tool_servers_card import ToolServersCard
from workbench.ui.theme import Theme

_MODELS = mark("Models")
_MODELS_TEXTS = (_MODELS, mark("Model profiles"), mark("Test connection"), mark("Address"), mark("API key"))
_MODELS_SYNONYMS = (
    "llm ai gpt chatgpt openai ollama claude deepseek qwen llama gemini mistral server url endpoint password token"
    f" secret keyring {SAMPLING_SYNONYMS} 大模型 模型 密钥 钥匙串 密码 服务器 地址 通义 千问"
)
_EMBEDDER_TEXTS = (mark("Embedding model in use"), mark("Switch back"), mark("Split documents again"))
_RERANKING_TEXTS = (mark("Reranking"), mark("API key of the reranking server"), mark("Test"))
_SERVERS_TEXTS = (mark("Tool servers"), "Model Context Protocol (MCP)", mark("Allow this command"))
_BASE_SEARCH_SYNONYMS = (
    "keywords hybrid dense semantic bm25 threshold similarity cutoff score 混合 语义 关键词 阈值 相似度 得分"
)
_SERVERS_SYNONYMS = "mcp plugin extension token password function 插件 扩展 工具 密码 令牌"
_NETWORK_TEXTS = (mark("Offline mode"), mark("Show network activity"))
_WEB_SEARCH_TEXTS = (mark("Web search"), mark("API key of the web search"))
_KEY_SYNONYMS = "password token secret 密钥 密码"
BASIC = mark("Basic")
_MODELS_PAGE = 1
"""Number of the page of the models in the list of pages; the first page has number 0."""
BASIC_KEYS = ("profile", "language", "theme", "text_percent", "offline_mode", "ocr", "check_answers", "memory")
"""Settings that most people change; all but the profile are also on the page of their topic."""
_OWN = mark("These settings are yours and apply in every library.")
_OF_LIBRARY = mark("These settings apply to this library.")
_MIXED = mark("Language, appearance and text size are yours; the other settings apply to this library.")


class SettingsDialog(Dialog):
    """Dialog of the settings; changes take effect immediately and need no confirmation."""

    def __init__(self, presenter: SettingsPresenter, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Settings"))
        self.resize(1000, 640)
        self._presenter = presenter
        self._banner = Banner(theme)
        self._search = SettingsSearch([BASIC, _MODELS, *(title for title, _keys in PAGES)])
        self._scope = label("", "caption")
        self._models = ProfilesPage(presenter, theme)
        self._models_texts = (*in_both(*_MODELS_TEXTS), *(preset.title for preset in PRESETS), _MODELS_SYNONYMS)
        self._theme = theme
        self._basic = SettingsPage(BASIC, BASIC_KEYS, self._row)
        self._pages = {title: SettingsPage(title, keys, self._row) for title, keys in PAGES}
        self._filling = QTimer(self)
        self._filling.timeout.connect(self._fill_another)
        self._found: list[SettingRow] = []
        self._stack = QStackedWidget()
        self._nothing = label("", "muted", wrap=True)
        self._elsewhere = label("", "muted", wrap=True)
        search, tools = self._pages["Search"], self._pages["Tools"]
        base_search = (*in_both(TITLE, *FIELD_TITLES), _BASE_SEARCH_SYNONYMS)
        search.add_card(partial(RerankingCard, presenter), (*in_both(*_RERANKING_TEXTS), _KEY_SYNONYMS))
        search.add_card(partial(BaseSearchCard, presenter.base_search), base_search)
        self._pages["Network"].add_card(partial(NetworkCard, presenter.offline_mode, theme), in_both(*_NETWORK_TEXTS))
        tools.add_card(partial(WebSearchCard, presenter), (*in_both(*_WEB_SEARCH_TEXTS), _KEY_SYNONYMS))
        servers = partial(ToolServersCard, presenter.tool_servers, presenter.offline_mode)
        tools.add_card(servers, (*in_both(*_SERVERS_TEXTS), _SERVERS_SYNONYMS))
        self._lay_out()
        self._toast = Toast(theme, self)
        self._connect()
        self._search.show_page(0)
        self._on_settings(presenter.settings)

    def show_embedder(self, presenter: EmbedderPresenter) -> None:
        """Add cards for the embedding model and the vector store below the indexing settings."""
        card = partial(EmbedderCard, presenter, self._presenter)
        self._pages["Indexing"].add_card(card, in_both(*_EMBEDDER_TEXTS))
        store = partial(StoreCard, self._presenter.vector_store, self._presenter.offline_mode)
        self._pages["Indexing"].add_card(store, _texts_of(OF_CARDS))

    def show_models(self) -> None:
        """Show the page of the model profiles."""
        self._search.look_for_everything()
        self._search.show_page(_MODELS_PAGE)

    def show_setting(self, key: str) -> None:
        """Show one setting and set the keyboard focus to it."""
        page = next((one for one in self._pages.values() if key in one.keys), None)
        if key in OF_CARDS:
            self._search.look_for_everything()
            self._search.show_page(_MODELS_PAGE + 1 + list(self._pages).index(OF_CARDS[key]))
        elif page is not None:
            self._search.look_for_everything()
            self._go_to(next(row for row in page.rows if row.key == key))

    def fill(self) -> None:
        """Fill all pages now; otherwise they are filled one by one after the dialog is shown."""
        while self._fill_another():
            pass

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._filling.start(0)

    @property
    def found(self) -> tuple[str, ...]:
        """Keys of the settings that the search found, from the first page to the last."""
        return tuple(row.key for row in self._found)

    @property
    def _filled(self) -> tuple[SettingsPage, ...]:
        """Pages of settings in the order of the list; the page of the models is between the first two."""
        return (self._basic, *self._pages.values())

    def _row(self, key: str) -> SettingRow:
        if key == "profile":
            row = ProfileRow(declaration(key), self._presenter, self._theme)
            row.models_asked.connect(self.show_models)
            return row
        return SettingRow(declaration(key), self._presenter, self._theme)

    @Slot()
    def _fill_another(self) -> bool:
        """Fill the next page that is empty; return whether there was one."""
        if any(page.fill() for page in self._filled):
            return True
        self._filling.stop()
        return False

    def _lay_out(self) -> None:
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        for page in (self._basic, self._models, *self._pages.values(), self._nothing):
            self._stack.addWidget(page)
        notice = OutdatedNotice(self._presenter.outdated)
        right = QVBoxLayout()
        right.setSpacing(0)
        self._elsewhere.setContentsMargins(24, 12, 20, 0)
        self._elsewhere.hide()
        right.addWidget(notice)
        right.addWidget(self._elsewhere)
        right.addWidget(self._stack, 1)
        columns = QHBoxLayout()
        columns.setContentsMargins(16, 12, 0, 0)
        columns.setSpacing(0)
        columns.addWidget(self._search)
        columns.addLayout(right, 1)
        foot = QHBoxLayout()
        foot.setContentsMargins(20, 10, 20, 14)
        foot.addWidget(self._scope)
        foot.addStretch(1)
        foot.addWidget(button(tr("Close"), "secondary", self.accept))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._banner)
        layout.addLayout(columns, 1)
        layout.addSpacing(8)
        layout.addWidget(frame("divider"))
        layout.addLayout(foot)

    def _connect(self) -> None:
        presenter = self._presenter
        self._search.looked.connect(self._on_looked)
        self._search.page_chosen.connect(self._on_page)
        self._search.next_asked.connect(self._on_next)
        for page in self._filled:
            page.reset_asked.connect(presenter.reset)
        presenter.settings_changed.connect(self._on_settings)
        presenter.failed.connect(self._banner.show_error)
        presenter.resetting.notified.connect(self._on_reset)
        presenter.base_search.notified.connect(self._on_base_search)
        presenter.offline_mode.notified.connect(self._on_offline_mode)
        for keys, slot in (("Ctrl+F", self._search.focus), ("F3", self._on_next)):
            QShortcut(QKeySequence(keys), self).activated.connect(slot)

    def _go_to(self, row: SettingRow) -> None:
        for number, page in enumerate(self._pages.values(), start=_MODELS_PAGE + 1):
            if row in page.rows:
                self._search.show_page(number)
                page.ensureWidgetVisible(row)
                row.focus()

    def _find(self, elsewhere: str) -> list[int]:
        """Show the matches, and return their number on each page; -1 stands for matches that are not counted.

        Args:
            elsewhere: What found_elsewhere says about the words; if nothing, parts of words are matched, too.
        """
        numbers = self._show_found(within=False)
        if not any(numbers) and not elsewhere:
            numbers = self._show_found(within=True)
        self._models.show_found(self._search.words)
        self._search.show_found(numbers)
        return numbers

    def _show_found(self, *, within: bool) -> list[int]:
        words, only_changed = self._search.words, self._search.only_changed
        is_there = finds(words, self._models_texts, within=within, parts=within) and not only_changed
        # The settings of the first page are found where their topic is; otherwise each would be found twice.
        numbers, self._found = [0, -1 if is_there else 0], []
        for page in self._pages.values():
            found = page.show_found(words, only_changed=only_changed, within=within)
            self._found += found
            numbers.append(len(found) or (-1 if page.finds_cards else 0))
        return numbers

    @Slot()
    def _on_looked(self) -> None:
        elsewhere = found_elsewhere(self._search.words)
        numbers = self._find(elsewhere)
        self._elsewhere.setText(elsewhere)
        self._elsewhere.setVisible(bool(elsewhere) and any(numbers))
        if not any(numbers):
            self._nothing.setText(self._describe_nothing(elsewhere))
            self._stack.setCurrentWidget(self._nothing)
        else:
            if self._search.words or not numbers[max(0, self._search.page)]:
                self._search.show_page(self._first(numbers))
            self._on_page(self._search.page)
        if self._search.is_looking:
            announce(self, tr("{n} found", n=len(self._found)))

    def _describe_nothing(self, elsewhere: str) -> str:
        """Return that nothing was found, and what to do about it."""
        if not self._search.words:
            return tr("All settings have their default values.")
        if self._search.only_changed:
            said = tr("No changed setting matches “{text}”.", text=self._search.text)
            return f"{said}\n{tr('Clear “Only changed settings” to search all of them.')}"
        palette = command("palette")
        hint = tr(
            "Try another word, or look for a command: “{command}” ({key}).",
            command=palette.plain,
            key=key_words(palette.key),
        )
        return f"{tr('No setting matches “{text}”.', text=self._search.text)}\n{elsewhere or hint}"

    def _first(self, numbers: list[int]) -> int:
        """Return the page that matches best.

        That is the first one with a title or synonym equal to the text, else one with the words in a title, else one
        with the text among its texts, else any match.
        """
        words, text = self._search.words, " ".join(self._search.words)
        titles = [(*in_both(one.title), *(word for row in one.rows for word in row.titles)) for one in self._filled]
        titles.insert(_MODELS_PAGE, (*in_both(_MODELS), *(one.replace("_", " ") for one in _MODELS_SYNONYMS.split())))
        texts = [[text for row in one.rows for text in row.texts] for one in self._filled]
        texts.insert(_MODELS_PAGE, list(self._models_texts))
        for candidates, is_match in (
            (titles, lambda title: title.casefold() == text),
            (titles, lambda title: finds(words, (title,))),
            (texts, lambda shown: text in shown.casefold()),
        ):
            for page, number in enumerate(numbers):
                if number and any(map(is_match, candidates[page])):
                    return page
        return next(page for page, number in enumerate(numbers) if number)

    @Slot()
    def _on_next(self) -> None:
        """Move the focus to the match after the focused one, from the last back to the first."""
        if not self._found:
            return
        focused = self.focusWidget()
        at = next((place for place, row in enumerate(self._found) if row.isAncestorOf(focused or self)), None)
        here = (row for row in self._found if row.isVisibleTo(self))
        self._go_to(self._found[(at + 1) % len(self._found)] if at is not None else next(here, self._found[0]))

    @Slot(int)
    def _on_page(self, page: int) -> None:
        keys: tuple[str, ...] = ()
        if page != _MODELS_PAGE:
            shown = self._filled[max(0, page - 1)]
            shown.fill()
            keys = shown.keys
        own = {declaration(key).personal for key in keys}
        self._scope.setText(tr(_MIXED if len(own) == 2 else _OWN if own == {True} else _OF_LIBRARY))
        self._stack.setCurrentIndex(max(0, page))

    @Slot(object)
    def _on_settings(self, settings: Settings) -> None:
        for page in self._filled:
            page.show_settings(settings)
        if self._search.only_changed:
            self._find(found_elsewhere(self._search.words))

    @Slot(str)
    def _on_reset(self, text: str) -> None:
        self._toast.show_message(text, action=tr("Undo"), on_action=self._presenter.resetting.undo)

    @Slot(str)
    def _on_base_search(self, text: str) -> None:
        self._toast.show_message(text, action=tr("Undo"), on_action=self._presenter.base_search.undo)

    @Slot(str, bool)
    def _on_offline_mode(self, text: str, undoable: bool) -> None:
        if self.isVisible():
            undo = self._presenter.offline_mode.undo if undoable else None
            self._toast.show_message(text, action=tr("Undo") if undo else "", on_action=undo, icon="shield")


def _texts_of(keys: Iterable[str]) -> tuple[str, ...]:
    """Return the texts of the settings that a card changes, and their synonyms."""
    declared = [declaration(key) for key in keys]
    return (
        *in_both(*(text for one in declared for text in (one.title, one.help))),
        *(one.synonyms for one in declared),
        *(one.key for one in declared),
    )


class OutdatedNotice(QWidget):
    """Notice that documents keep the values of earlier settings; hidden if there are none."""

    def __init__(self, outdated: OutdatedDocuments) -> None:
        super().__init__()
        self._text = label("", wrap=True)
        box = frame("banner", tone="warn")
        row = QHBoxLayout(box)
        row.setContentsMargins(12, 6, 8, 6)
        row.addWidget(self._text, 1)
        row.addWidget(button(tr("Re-index now"), "secondary", outdated.reindex))
        row.addWidget(button(tr("Later"), "ghost", self.hide))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 12, 20, 0)
        layout.addWidget(box)
        outdated.found.connect(self._on_found)
        self.hide()

    @property
    def text(self) -> str:
        """Text of the notice."""
        return self._text.text()

    @Slot(int)
    def _on_found(self, documents: int) -> None:
        text = trn(
            "{n:,} document uses earlier settings. Re-index to apply your changes.",
            "{n:,} documents use earlier settings. Re-index to apply your changes.",
            documents,
        )
        self._text.setText(text)
        self.setVisible(documents > 0)
        if documents > 0:
            announce(self, text)
