"""What each part of an export is, and what leaves the machine with it, in words."""

from workbench.model.export import Inventory, Part, Parts
from workbench.ui.library.review_sheet import size_words
from workbench.ui.library.wording import count

ALWAYS = "Questions, answers and the cited passages"

PARTS: dict[Part, tuple[str, str]] = {
    Part.PAGES: ("Pictures of the cited pages", "Each with the passage marked."),
    Part.STEPS: ("Steps", "What was done on the way to each answer."),
    Part.TOOLS: ("Arguments and results of tools", "What the tools were asked, and what they said."),
    Part.REASONING: ("Thoughts", "What the model thought, where it said so."),
    Part.SEARCHES: ("Searches", "Every passage that was found, with its scores."),
    Part.PROMPTS: ("Prompts", "What the model was told, word for word."),
    Part.ORIGINALS: ("The documents themselves", "The files as they are; whoever gets the bundle can open them."),
}
"""What can be left out: its name, and what it is."""

_NAMED: dict[Part, str] = {
    Part.PAGES: "pictures of their pages",
    Part.STEPS: "steps",
    Part.TOOLS: "what tools said",
    Part.REASONING: "the model's thoughts",
    Part.SEARCHES: "all passages found",
    Part.PROMPTS: "the prompts",
    Part.ORIGINALS: "the documents themselves",
}
_INSIDE_STEPS = (Part.TOOLS, Part.REASONING)


def shown_parts(offered: Parts, inventory: Inventory | None) -> list[Part]:
    """Return the parts of which there is anything, in the order in which they are shown."""
    known = inventory.parts if inventory is not None else {}
    return [part for part in PARTS if part in offered and (inventory is None or known[part].count)]


def amount(part: Part, inventory: Inventory) -> str:
    """Return how much there is of a part: "12, about 1.8 MB"."""
    size = inventory.parts[part]
    about = "" if part is Part.ORIGINALS else "about "
    return f"{size.count:,}, {about}{size_words(size.bytes)}"


def total(inventory: Inventory, parts: Parts) -> str:
    """Return about how large the file will be."""
    held = sum(size.bytes for part, size in inventory.parts.items() if part in effective(parts))
    return f"About {size_words(inventory.questions.bytes + held)}, often less"


def effective(parts: Parts) -> Parts:
    """Return the parts that there will be: without the steps nothing of them is."""
    return parts if Part.STEPS in parts else parts - set(_INSIDE_STEPS)


def what_leaves(inventory: Inventory, parts: Parts) -> str:
    """Return in one line what whoever gets the file will know."""
    documents = count(len(inventory.documents), "document")
    cited = f"{count(inventory.passages, 'passage')} out of {documents} by name"
    kept = [
        count(inventory.questions.count, "question") + " with the answers",
        *([cited] if inventory.passages else []),
        *(_NAMED[part] for part in PARTS if part in effective(parts) and inventory.parts[part].count),
    ]
    listed = ", ".join(kept[:-1]) + (f" and {kept[-1]}" if len(kept) > 1 else kept[0])
    return f"Whoever gets the file will have {listed}. Exporting sends nothing anywhere."
