"""Where the pages of a Word document begin, as Word laid it out when it was last saved."""

from collections.abc import Sequence

from workbench.parsing.ooxml import OfficePackage
from workbench.parsing.zip_package import local_name, whole_number

_TOLERANCE = 0.05
"""Share of the pages by which marks and Word's own count may differ; a table over a page can hide a mark."""


def trusted_starts(starts: Sequence[int], package: OfficePackage) -> list[tuple[int, str]]:
    """Return the pages' beginnings, or none where they cannot be trusted.

    Word leaves a mark wherever a page began, and counts the pages in the properties. Where both agree, the numbers are
    those that people see; another program that edited the file leaves the marks where they were, and a citation of
    the wrong page is worse than one without.
    """
    root = package.tree("docProps/app.xml")
    said = next((entry.text or "" for entry in (root if root is not None else ()) if local_name(entry) == "Pages"), "")
    pages = len(starts) + 1
    if not starts or abs(whole_number(said) - pages) > _TOLERANCE * pages:
        return []
    return [(0, ""), *((start, "") for start in starts)]
