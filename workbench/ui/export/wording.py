"""What each part of an export is, and what leaves the machine with it, in words."""

from workbench.language import mark, tr, trn
from workbench.model.session import Inventory, Part, Parts
from workbench.ui.library.wording import listed, size_words

ALWAYS = mark("Questions, answers and the cited passages")

PARTS: dict[Part, tuple[str, str]] = {
    Part.PAGES: (mark("Pictures of the cited pages"), mark("Each with the passage marked.")),
    Part.STEPS: (mark("Steps"), mark("What was done on the way to each answer.")),
    Part.TOOLS: (mark("Arguments and results of tools"), mark("What the tools were asked, and what they said.")),
    Part.REASONING: (mark("Thoughts"), mark("What the model thought, where it said so.")),
    Part.SEARCHES: (mark("Searches"), mark("Every passage that was found, with its scores.")),
    Part.PROMPTS: (mark("Prompts"), mark("What the model was told, word for word.")),
    Part.ORIGINALS: (
        mark("The documents themselves"),
        mark("The files as they are; whoever gets the bundle can open them."),
    ),
}
"""What can be left out: its name, and what it is."""

_NAMED: dict[Part, str] = {
    Part.PAGES: mark("pictures of their pages"),
    Part.STEPS: mark("steps"),
    Part.TOOLS: mark("what tools said"),
    Part.REASONING: mark("the model's thoughts"),
    Part.SEARCHES: mark("all passages found"),
    Part.PROMPTS: mark("the prompts"),
    Part.ORIGINALS: mark("the documents themselves"),
}
_INSIDE_STEPS = (Part.TOOLS, Part.REASONING)


def shown_parts(offered: Parts, inventory: Inventory | None) -> list[Part]:
    """Return the parts of which there is anything, in the order in which they are shown."""
    known = inventory.parts if inventory is not None else {}
    return [part for part in PARTS if part in offered and (inventory is None or known[part].count)]


def amount(part: Part, inventory: Inventory) -> str:
    """Return how much there is of a part: "12, about 1.8 MB"."""
    size = inventory.parts[part]
    if part is Part.ORIGINALS:
        return tr("{n:,}, {size}", n=size.count, size=size_words(size.bytes))
    return tr("{n:,}, about {size}", n=size.count, size=size_words(size.bytes))


def total(inventory: Inventory, parts: Parts) -> str:
    """Return about how large the file will be."""
    held = sum(size.bytes for part, size in inventory.parts.items() if part in effective(parts))
    return tr("About {size}, often less", size=size_words(inventory.questions.bytes + held))


def effective(parts: Parts) -> Parts:
    """Return the parts that there will be: without the steps nothing of them is."""
    return parts if Part.STEPS in parts else parts - set(_INSIDE_STEPS)


def what_leaves(inventory: Inventory, parts: Parts) -> str:
    """Return in one line what whoever gets the file will know."""
    asked = inventory.questions.count
    kept = [
        trn("{n:,} question with the answers", "{n:,} questions with the answers", asked),
        *([_cited(inventory)] if inventory.passages else []),
        *(tr(_NAMED[part]) for part in PARTS if part in effective(parts) and inventory.parts[part].count),
    ]
    *first, last = kept
    things = tr("{things} and {last}", things=listed(first), last=last) if first else last
    return tr("Whoever gets the file will have {things}. Exporting sends nothing anywhere.", things=things)


def _cited(inventory: Inventory) -> str:
    documents = trn("{n:,} document", "{n:,} documents", len(inventory.documents))
    return trn(
        "{n:,} passage out of {documents} by name",
        "{n:,} passages out of {documents} by name",
        inventory.passages,
        documents=documents,
    )
