"""Pages of the settings: the settings of each page, and the row that edits one setting."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QScrollArea,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from workbench.language import LANGUAGES, mark, tr, translate
from workbench.model.reranker import RERANKERS
from workbench.model.setting import Setting
from workbench.settings import Settings
from workbench.ui.controls import IconButton, button, frame, label
from workbench.ui.settings.model_servers import profile_title
from workbench.ui.settings.presenter import SettingsPresenter
from workbench.ui.settings.service_cards import is_used
from workbench.ui.settings.settings_search import Words, finds, in_both, show_marked
from workbench.ui.theme import Theme


class SettingsPage(QScrollArea):
    """Page with some settings; during a search only the matches are visible.

    It is empty until it is filled: all pages at once would take half a second when the dialog opens.

    Signals:
        reset_asked: The keys of the settings to reset, a tuple.
    """

    reset_asked = Signal(tuple)

    def __init__(self, title: str, keys: Sequence[str], row_of: Callable[[str], SettingRow]) -> None:
        """Store the title, the keys of the settings, and the function that creates a row."""
        super().__init__()
        self.setAccessibleName(tr(title))
        self.title = title
        self.keys = tuple(keys)
        self._row_of = row_of
        self._settings = Settings()
        self._rows: tuple[SettingRow, ...] = ()
        self._dividers: list[QFrame] = []
        self._pending_cards: list[tuple[Callable[[], QWidget], tuple[str, ...]]] = []
        self._cards: list[tuple[QWidget, tuple[str, ...]]] = []
        self._reset = button(tr("Reset this page"), "ghost", self._on_reset)
        self._box = frame("card")
        self._column = QVBoxLayout()
        self.setWidgetResizable(True)

    @property
    def rows(self) -> tuple[SettingRow, ...]:
        """Rows of the settings from top to bottom."""
        self.fill()
        return self._rows

    @property
    def changed(self) -> tuple[str, ...]:
        """Keys of the settings that differ from their defaults."""
        return tuple(row.key for row in self._rows if row.is_changed)

    def add_card(self, make: Callable[[], QWidget], texts: tuple[str, ...]) -> None:
        """Add a card below the settings; a search finds it by `texts`."""
        self._pending_cards.append((make, texts))
        if self._rows:
            self._make_cards()

    def fill(self) -> bool:
        """Create the content unless this was done before; return whether there was anything to do."""
        if self._rows:
            return False
        self._rows = tuple(self._row_of(key) for key in self.keys)
        for row in self._rows:
            row.reset_asked.connect(self._on_reset_asked)
        self._lay_out()
        self._make_cards()
        self.show_settings(self._settings)
        return True

    def show_settings(self, settings: Settings) -> None:
        """Show the values in force."""
        self._settings = settings
        for row in self._rows:
            row.show_value(getattr(settings, row.key))
            row.setEnabled(is_used(row.key, settings))
        self._reset.setVisible(bool(self.changed))

    def show_found(self, words: Words, *, only_changed: bool, within: bool) -> tuple[SettingRow, ...]:
        """Show only the matches, with the words highlighted, and return the rows among them.

        With within, parts of words match, too.
        """
        names = (tr(self.title), self.title)

        def is_found(texts: Sequence[str]) -> bool:
            return finds(words, (*names, *texts), within=within, parts=within)

        found = [row for row in self.rows if is_found(row.texts) and (row.is_changed or not only_changed)]
        for row, divider in zip(self._rows, self._dividers, strict=True):
            row.setVisible(row in found)
            row.show_found(words)
            divider.setVisible(row in found and row is not found[0])
        self._box.setVisible(bool(found))
        for card, texts in self._cards:
            card.setVisible(is_found(texts) and not only_changed)
        return tuple(found)

    @property
    def finds_cards(self) -> bool:
        """True if a card of the page is among the matches."""
        return any(not card.isHidden() for card, _texts in self._cards)

    def _make_cards(self) -> None:
        for make, texts in self._pending_cards:
            card = make()
            self._cards.append((card, texts))
            self._column.insertWidget(len(self._cards), card)
        self._pending_cards.clear()

    def _lay_out(self) -> None:
        inside = QVBoxLayout(self._box)
        inside.setContentsMargins(0, 4, 0, 4)
        inside.setSpacing(0)
        for number, row in enumerate(self._rows):
            divider = frame("divider")
            self._dividers.append(divider)
            inside.addWidget(divider)
            divider.setVisible(number > 0)  # in its layout: before, it would be shown as a window of its own
            inside.addWidget(row)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(self._reset)
        self._reset.hide()
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSpacing(12)
        self._column.setSpacing(12)
        self._column.addWidget(self._box)
        column.addLayout(self._column)
        column.addLayout(foot)
        column.addStretch(1)
        self.setWidget(page)

    @Slot(str)
    def _on_reset_asked(self, key: str) -> None:
        self.reset_asked.emit((key,))

    @Slot()
    def _on_reset(self) -> None:
        self.reset_asked.emit(self.changed)


FIELD_WIDTH = 276
"""Pixels in which the longest choice fits."""
WIDEST_FIELD = 360
"""Width with large text: still wider fields would leave too little for the words beside them."""
LATER = mark("Existing documents keep the old value until you re-index them.")


class SettingRow(QWidget):
    """Row that shows one setting and saves a change without confirmation.

    Signals:
        reset_asked: The key of the setting to reset.
    """

    reset_asked = Signal(str)

    def __init__(self, declared: Setting, presenter: SettingsPresenter, theme: Theme) -> None:
        super().__init__()
        self._declared = declared
        self._presenter = presenter
        self._theme = theme
        self._title_text, self._help_text = translate(declared.title), help_words(declared)
        self._title = label(self._title_text)
        self._help = label(self._help_text, "caption", wrap=True)
        self.is_changed = False
        self.texts = self._collect_texts()
        self._field = self._make_field()
        self._fit_field()
        theme.changed.connect(self._fit_field)
        self._field.setAccessibleName(self._title_text)
        later = f" {tr(LATER)}" if declared.needs_reindex else ""
        self._field.setAccessibleDescription(f"{self._help_text}{later}")
        reset = tr("Reset “{title}” to its default", title=self._title_text)
        self._reset = IconButton(theme, "undo", reset, self._on_reset)
        policy = self._reset.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self._reset.setSizePolicy(policy)
        self._lay_out()

    @Slot()
    def _fit_field(self) -> None:
        self._field.setFixedWidth(min(self._theme.scaled(FIELD_WIDTH), WIDEST_FIELD))

    def show_value(self, value: Any) -> None:
        """Show the value in force."""
        with QSignalBlocker(self._field):
            if isinstance(self._field, QSpinBox):
                self._field.setValue(int(value))
            elif isinstance(self._field, QDoubleSpinBox):
                self._field.setValue(float(value))
            elif isinstance(self._field, QComboBox):
                self._field.setCurrentIndex(self._field.findData(value))
            elif isinstance(self._field, QLineEdit):
                self._field.setText(str(value))
                self._field.setCursorPosition(0)
        self.is_changed = value != self._declared.default
        self._reset.setVisible(self.is_changed)

    def show_found(self, words: Words) -> None:
        """Highlight words in the title and the help; no words highlight nothing."""
        show_marked(self._title, self._title_text, words, self._theme)
        show_marked(self._help, self._help_text, words, self._theme)

    def focus(self) -> None:
        """Set the keyboard focus to the field."""
        self._field.setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def key(self) -> str:
        """Key of the setting."""
        return self._declared.key

    @property
    def titles(self) -> tuple[str, ...]:
        """Title as displayed, the same in English, and each synonym."""
        return (self._title_text, self._declared.title, *self._declared.synonyms.split())

    def _collect_texts(self) -> tuple[str, ...]:
        """Return the texts to search: those displayed, the same in English, the command line's name, and synonyms."""
        declared = self._declared
        choices = in_both(*(choice_words(declared.key, choice) for choice in declared.choices))
        shown = (self._title_text, self._help_text, declared.title, declared.help, *choices)
        return (*shown, declared.key, declared.key.replace("_", " "), declared.synonyms)

    def _lay_out(self) -> None:
        heading = QHBoxLayout()
        heading.setSpacing(8)
        heading.addWidget(self._title)
        if self._declared.needs_reindex:
            heading.addWidget(self._make_marker())
        heading.addStretch(1)
        grid = QGridLayout(self)
        grid.setContentsMargins(16, 10, 10, 10)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(2)
        grid.addLayout(heading, 0, 0)
        grid.addWidget(self._help, 1, 0)
        grid.addWidget(self._field, 0, 1, 2, 1, Qt.AlignmentFlag.AlignVCenter)
        grid.addWidget(self._reset, 0, 2, 2, 1, Qt.AlignmentFlag.AlignVCenter)
        grid.setColumnStretch(0, 1)

    def _make_marker(self) -> QWidget:
        chip = frame("chip")
        chip.setToolTip(tr(LATER))
        row = QHBoxLayout(chip)
        row.setContentsMargins(8, 0, 8, 1)
        row.addWidget(label(tr("needs re-indexing"), "caption"))
        return chip

    def _make_field(self) -> QWidget:
        declared = self._declared
        if declared.type in (int, float):
            return self._make_spin_box()
        if declared.choices:
            combo = QComboBox()
            for choice in declared.choices:
                combo.addItem(tr(choice_words(declared.key, choice)), choice)
            combo.activated.connect(self._on_chosen)
            return combo
        line = QLineEdit()
        unset = tr("Built-in") if declared.key == "embedder" else tr("None")
        line.setPlaceholderText(str(declared.default) or unset)
        line.editingFinished.connect(self._on_edited)
        return line

    def _make_spin_box(self) -> QWidget:
        declared = self._declared
        spin: QSpinBox | QDoubleSpinBox
        if declared.type is int:
            spin = QSpinBox()
            spin.setRange(int(declared.minimum or 0), int(declared.maximum or 1_000_000))
            # Text for the value 0, which is not a number of tokens.
            spin.setSpecialValueText(tr("Automatic") if declared.key == "context_tokens" else "")
            spin.valueChanged.connect(self._on_changed)
        else:
            spin = QDoubleSpinBox()
            spin.setDecimals(1)
            spin.setRange(declared.minimum or 0.0, declared.maximum or 1_000_000.0)
            spin.valueChanged.connect(self._on_fraction_changed)
        spin.setKeyboardTracking(False)
        spin.setGroupSeparatorShown(True)
        spin.setSuffix(f" {tr(declared.unit)}" if declared.unit else "")
        spin.lineEdit().setTextMargins(8, 0, 0, 0)
        return spin

    @Slot(float)
    def _on_fraction_changed(self, value: float) -> None:
        self._presenter.put(self._declared.key, value)

    @Slot(int)
    def _on_changed(self, value: int) -> None:
        self._presenter.put(self._declared.key, value)

    @Slot(int)
    def _on_chosen(self, row: int) -> None:
        if isinstance(self._field, QComboBox):
            self._presenter.put(self._declared.key, self._field.itemData(row))

    @Slot()
    def _on_edited(self) -> None:
        if isinstance(self._field, QLineEdit):
            self._presenter.put(self._declared.key, self._field.text().strip())

    @Slot()
    def _on_reset(self) -> None:
        self.reset_asked.emit(self._declared.key)


class ProfileRow(SettingRow):
    """Row that chooses the model profile that answers.

    Signals:
        models_asked: The page of the model profiles is requested.
    """

    models_asked = Signal()

    def show_value(self, value: Any) -> None:
        """Show the profile in use."""
        if isinstance(self._field, QComboBox):
            self._fill(self._field)
        super().show_value(value)

    def _make_field(self) -> QWidget:
        combo = QComboBox()
        self._fill(combo)
        combo.activated.connect(self._on_profile)
        self._presenter.profiles_changed.connect(self._on_profiles)
        return combo

    def _fill(self, combo: QComboBox) -> None:
        combo.clear()
        for profile in self._presenter.profiles:
            combo.addItem(profile_title(profile), profile.name)
        combo.insertSeparator(combo.count())
        combo.addItem(tr("Add a model…"), None)

    @Slot()
    def _on_profiles(self) -> None:
        self.show_value(self._presenter.profile.name)

    @Slot(int)
    def _on_profile(self, row: int) -> None:
        if isinstance(self._field, QComboBox) and self._field.itemData(row) is None:
            self._on_profiles()
            self.models_asked.emit()
        else:
            self._on_chosen(row)


PAGES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (mark("Indexing"), ("embedder", "embedder_key_env", "embedding_backend", "chunk_tokens", "chunk_overlap")),
    (
        mark("Search"),
        (
            "reranking",
            "token_codes",
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
        mark("Answers"),
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
    (mark("Files"), ("parser_seconds", "parser_megabytes", "follow_links", "bin_days")),
    (mark("Scans and tables"), ("ocr", "ocr_engine", "ocr_languages", "layout_model")),
    (mark("Network"), ("offline_mode", "model_hub", "update_feed")),
    (
        mark("Web and databases"),
        ("fetch_megabytes", "fetch_seconds", "allow_private_addresses", "topic_url", "query_rows"),
    ),
    (
        mark("Tools"),
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
        mark("Retrievers"),
        (
            "retriever_seconds",
            "retriever_characters",
            "plugin_megabytes",
            "context_file_characters",
            "context_characters",
        ),
    ),
    (mark("Memory"), ("memory", "memory_days")),
    (mark("Window"), ("language", "theme", "text_percent", "reduce_motion", "notifications", "log_detail")),
)
"""Not listed: “profile” is chosen on the first page and on that of the models, “agent” where questions are asked."""

OF_CARDS: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(("vector_store", "vector_store_url", "vector_store_key_env"), "Indexing")
)
"""Settings that a card changes instead of a row, and the page of the card: changing the store moves the vectors."""

CHOICES: Mapping[str, str] = MappingProxyType(
    {
        "auto": mark("Automatic"),
        "system": mark("Same as the system"),
        "light": mark("Light"),
        "dark": mark("Dark"),
        "no": mark("No"),
        "yes": mark("Yes"),
        "off": mark("Off"),
        "on": mark("On"),
        **{one.name: one.title for one in RERANKERS.values()},
        "usual": mark("Normal"),
        "more": mark("Detailed"),
        "never": mark("Never"),
        "asked": mark("When I choose it"),
        "always": mark("Always"),
        "network": mark("Only if data leaves or changes"),
        "text": mark("On this computer"),
        "fp32": mark("Exact (fp32)"),
        "int8": mark("Faster (int8)"),
        "rapidocr": "RapidOCR",
        "tesseract": "Tesseract",
        "cohere": "Cohere",
        "jina": mark("Jina and others"),
        "tei": "Text Embeddings Inference",
        "searxng": "SearXNG",
        "brave": "Brave Search",
        "tavily": "Tavily",
        **LANGUAGES,
    }
)
"""Displayed names of choices."""

_SPECIAL_CHOICES: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        ("check_answers", "model"): mark("On this computer and by the model"),
    }
)
"""Displayed names of choices that differ from those of the same value in other settings."""


def choice_words(key: str, choice: str) -> str:
    """Return the displayed name of a choice in English; tr() translates it."""
    return _SPECIAL_CHOICES.get((key, choice)) or CHOICES.get(choice, choice)


def help_words(declared: Setting) -> str:
    """Return the help of a setting, with the values in it replaced by their displayed names."""
    text = translate(declared.help)
    for choice in declared.choices:
        text = text.replace(f"“{choice}”", f"“{tr(choice_words(declared.key, choice))}”")
    return text
