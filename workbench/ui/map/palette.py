"""Colours of documents, distinguishable in light and dark themes and with colour vision deficiency."""

from workbench.ui.theme import Tokens

LIGHT = ("#488ff2", "#cc8302", "#075c4e", "#f16659", "#5335ac", "#a44ea2", "#823913", "#922bf6")
DARK = ("#709ee3", "#cc6c2b", "#45d6a0", "#e2bc6e", "#7973ed", "#a7d4f6", "#b17a5c", "#f28cc3")
"""Colours of the documents with most passages; all others share a grey. Found by search: any two of them and the grey
differ by 18 in CIELAB with full colour vision, protanopia, deuteranopia and tritanopia, and each has a contrast of 3:1
on the surface (a test checks both)."""

GREY_LIGHT, GREY_DARK = "#8d9299", "#7f858e"


def colours(tokens: Tokens) -> tuple[str, ...]:
    """Return the colours of the documents with most passages, followed by the grey of all others."""
    return (*DARK, GREY_DARK) if tokens.dark else (*LIGHT, GREY_LIGHT)


def colour_of(place: int, tokens: Tokens) -> str:
    """Return a colour by its index in the palette; higher indexes get the grey."""
    found = colours(tokens)
    return found[min(place, len(found) - 1)]
