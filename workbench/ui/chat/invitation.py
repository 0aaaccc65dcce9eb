"""What the chat says before there is an answer; knows no Qt."""

from workbench.language import mark

# Icon, title and sentence of the empty chat.
READY_TO_ASK = (
    "chat",
    mark("Ask about your documents"),
    mark("Every claim of an answer carries its source. Press a number to see the passage on its page."),
)
# What the empty question field says, and what is said of it under the pointer: three icons leave it 200 pixels.
ASK = (
    mark("Ask about your documents"),
    mark("@ names a document to ask, # a tag; Shift+Enter breaks the line."),
)
ADD_FIRST = (mark("Add documents, then ask"), "")
NO_DOCUMENTS = (
    "library",
    mark("Welcome"),
    mark(
        "Add your documents, and ask about them in your own words. Every claim of an answer carries a number that opens"
        " its passage on its page. All this happens on this machine, without an account or a key."
    ),
)
SAMPLES = mark("Try it with sample documents")
EXAMPLES = {
    "harbour-survey.pdf": "What is the limit for tributyltin?",
    "merewake-m4-manual.md": "How long does the battery last?",
    "corran-gate-maintenance.zh.md": "启闭机减速箱的润滑油多久更换一次？",
    "forum-minutes.txt": "Who is the world chess champion?",  # what none of them holds: it says so
}
"""A question for each of the sample documents, once all of them can be asked."""
