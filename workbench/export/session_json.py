"""A session as JSON with nothing left out, after the schema in resources/schema/session-1.schema.json.

The number in the schema's name grows when a field changes its meaning or goes away; new fields do not change it.
"""

import json
import re
from typing import Any, ClassVar

from workbench.errors import ExportError
from workbench.export.base import READING, ExportContext
from workbench.export.json_codec import from_json, to_json
from workbench.language import mark
from workbench.model.export import Part, Parts
from workbench.model.run import Run
from workbench.model.session import Session, SessionInfo

SCHEMA = "knowledge-workbench/session/1"

# Inside JSON strings only: lone surrogates cannot be UTF-8, the others make a text editor show another order than the
# file's, or break a line where there is none.
_SPELT_OUT = re.compile("[\ud800-\udfff\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]")


class JsonExporter:
    """Writes a session as JSON."""

    format: ClassVar[str] = "json"
    suffix: ClassVar[str] = ".json"
    title: ClassVar[str] = "JSON"
    description: ClassVar[str] = mark("Everything that was recorded, for programs.")
    offered: ClassVar[Parts] = READING | {Part.PROMPTS}
    usual: ClassVar[Parts] = READING | {Part.PROMPTS}

    def render(self, session: Session, context: ExportContext) -> bytes:
        """Return the whole file, UTF-8."""
        content = {
            "schema": SCHEMA,
            "program": {"name": "Knowledge Workbench", "version": context.version},
            "exported": context.exported,
            "library": context.library,
            "session": to_json(session.info),
            "runs": [to_json(run) for run in session.runs],
        }
        return as_json(content)


def as_json(content: Any) -> bytes:
    """Return JSON that is UTF-8 and shows in an editor what it says."""
    text = json.dumps(content, ensure_ascii=False, indent=2)
    return (_SPELT_OUT.sub(lambda match: f"\\u{ord(match[0]):04x}", text) + "\n").encode("utf-8")


def read_session(data: bytes) -> Session:
    """Return the session that was exported, equal to what it was.

    Raises:
        ExportError: The bytes are not such an export, or one of a later version.
    """
    try:
        content: Any = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ExportError("This file is not JSON.", "Choose a file that was exported as JSON.") from error
    schema = content.get("schema") if isinstance(content, dict) else None
    if schema != SCHEMA:
        raise ExportError(
            f"This file is not a session in the form {SCHEMA}.", "A later version of the program may have written it."
        )
    return Session(
        info=from_json(SessionInfo, content.get("session")), runs=from_json(tuple[Run, ...], content.get("runs"))
    )
