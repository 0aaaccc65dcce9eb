"""What the chat says before there is an answer; knows no Qt."""

# Icon, title and sentence of the empty chat.
READY_TO_ASK = (
    "chat",
    "Ask about your documents",
    "Every claim of an answer carries its source. Press a number to see the passage on its page.",
)
NO_DOCUMENTS = (
    "file-plus",
    "Add documents first",
    "Drop files or folders anywhere on this window. Then ask about them here.",
)
