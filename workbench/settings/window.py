"""Settings: how the window looks."""

from workbench.language import LANGUAGES
from workbench.model.setting import Setting

WINDOW: tuple[Setting, ...] = (
    Setting(
        "language",
        str,
        "system",
        "Language",
        "Of the window and of what it exports. Your documents, questions and answers stay as they are.",
        choices=("system", *LANGUAGES),
    ),
    Setting(
        "theme",
        str,
        "system",
        "Appearance",
        "Light, dark, or as the system has it.",
        choices=("system", "light", "dark"),
    ),
    Setting(
        "text_percent",
        int,
        100,
        "Text size",
        "In percent of the usual size, everywhere in the window.",
        minimum=80,
        maximum=200,
        unit="%",
    ),
    Setting(
        "reduce_motion",
        str,
        "no",
        "Reduce motion",
        "Nothing turns, slides or blinks; what goes on is said in words.",
        choices=("no", "yes"),
    ),
    Setting(
        "notifications",
        str,
        "yes",
        "Notifications",
        "When something that took more than half a minute ends while you look at another window, the system says so. "
        "Never what stands in a document.",
        choices=("yes", "no"),
    ),
    Setting(
        "log_detail",
        str,
        "usual",
        "Log",
        "How much the program writes down of itself, for the day something goes wrong: “more” while you look for a fault. Never the text of a document, a question or a key.",
        choices=("usual", "more"),
    ),
)
