"""Passages that are no chunk of the library: what a retriever or a tool brought, citable like any other."""

import hashlib
from dataclasses import dataclass

from workbench.model.chunk import Chunk
from workbench.model.document import BlockKind
from workbench.model.hit import Hit, Scores
from workbench.model.visible import visible_name


@dataclass(frozen=True, slots=True)
class OutsidePassage:
    """A text and what was said of it.

    Attributes:
        name: What it is called; empty where nobody said.
        meta_data: Whatever else was said of it, as a JSON object; empty for nothing.
        uri: Where it came from; an address that can be opened, or nothing.
        is_cut: It is the beginning of a longer text.
    """

    text: str
    name: str = ""
    meta_data: str = ""
    uri: str = ""
    is_cut: bool = False


def outside_hit(passage: OutsidePassage, *, origin: str, rank: int) -> Hit:
    """Return a passage as a hit, so that it is numbered, cited, shown and kept like those of the library.

    Its chunk is of no document; its id is negative and made of its content, so that the same passage that is found
    twice in a run keeps its number, and never takes that of a chunk.

    Args:
        passage: The passage.
        origin: The name of the retriever or tool that gave it.
        rank: Its place in what was found, from 1.
    """
    said = "\0".join((origin, passage.name, passage.uri, passage.text)).encode("utf-8", "surrogatepass")
    # 15 hexadecimal digits: fits the 64 bits of an id whatever its sign.
    number = -1 - int(hashlib.sha256(said).hexdigest()[:15], 16)
    chunk = Chunk(0, 0, len(passage.text), passage.text, None, None, (), BlockKind.PARAGRAPH, 0, id=number)
    return Hit(
        rank,
        chunk,
        visible_name(passage.name or origin),
        visible_name(passage.name),
        passage.uri,
        "",
        Scores(),
        origin=origin,
        meta_data=passage.meta_data,
    )
