"""Where documents lay on the disk of whoever exports says more of a person than of an answer."""

import dataclasses
import re
from typing import Any

from workbench.export.rewriting import rewritten
from workbench.model.hit import Citation, Hit
from workbench.model.session import Session

_ON_A_DISK = re.compile(r"^(?:/|[A-Za-z]:[\\/]|\\\\|~|file:)")


def without_folders(session: Session) -> Session:
    """Return a session in which documents that lay on a disk go by their names alone; web addresses stay."""
    changed: Session = rewritten(session, _without_folder)
    return changed


def _without_folder(value: Any) -> Any:
    if isinstance(value, Citation | Hit) and _ON_A_DISK.match(value.path):
        return dataclasses.replace(value, path=value.document_name)
    return value
