"""A passage from outside the library as a model sees it."""

import json
from typing import Any

from workbench.model.hit import NumberedHit


def outside_result(numbered: NumberedHit, text: str) -> dict[str, Any]:
    """Return name, meta_data and content; the number to cite by is ours, whatever the passage says of itself.

    Args:
        numbered: The hit under its number.
        text: What is handed over of it.
    """
    hit = numbered.hit
    said = json.loads(hit.meta_data) if hit.meta_data else {}
    others = {key: value for key, value in said.items() if key != "citation"}
    name = {"name": hit.document_title} if hit.document_title else {}
    return {**name, "meta_data": {"citation": numbered.number, "from": hit.origin, **others}, "content": text}
