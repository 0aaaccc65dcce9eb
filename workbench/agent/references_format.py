"""What was found -> the text that a model is handed: JSON or YAML, by one writer for every way it gets there."""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from workbench.agent.retrievers.rendering import outside_result
from workbench.model.agent import ReferencesFormat
from workbench.model.hit import NumberedHit
from workbench.parsing.yaml_values import BrokenYaml, yaml_values

# A document that holds the closing tag, however it is written, must not end the block that it stands in. Both formats
# know this way of writing a stroke, and read it as one: the text arrives as it is.
_CLOSING = re.compile(r"(<\s*)/(?=\s*references)", re.IGNORECASE)
_ESCAPED = r"\1\\/"
DEFAULT_BASE = "default"
# YAML takes these for line ends, which it does not keep outside of quotation marks.
_OTHER_LINE_ENDS = "\x85\u2028\u2029"


def rendered(results: Sequence[Mapping[str, Any] | str], format: ReferencesFormat) -> str:
    """Return results as text; no character is escaped, and what the format does not know is written as text."""
    plain = [_plain(result) for result in results]
    if format is ReferencesFormat.YAML:
        return _as_yaml(plain)
    return _CLOSING.sub(_ESCAPED, json.dumps(plain, indent=2, ensure_ascii=False))


def parsed(text: str) -> Any:
    """Return what was rendered, in either format.

    Raises:
        ValueError: It is neither.
    """
    try:
        return json.loads(text)
    except ValueError:
        try:
            return yaml_values(text)
        except BrokenYaml as error:
            raise ValueError("neither JSON nor YAML") from error


def rendered_hits(results: Iterable[tuple[NumberedHit, str]], format: ReferencesFormat) -> str:
    """Return hits, each with as much of its text as is handed over."""
    return rendered([result_of(numbered, text) for numbered, text in results], format)


def result_of(numbered: NumberedHit, text: str) -> dict[str, Any]:
    """Return a hit as a model sees it: a fixed order of keys, no ids and no scores."""
    hit = numbered.hit
    if hit.is_outside:
        return outside_result(numbered, text)
    return {
        "name": hit.document_title or hit.document_name,
        "meta_data": {
            "citation": numbered.number,
            "document": hit.document_name,
            # Which one says something only where there are several: the first is called “default”.
            **({"knowledge_base": hit.knowledge_base} if hit.knowledge_base not in ("", DEFAULT_BASE) else {}),
            hit.page_kind.value: hit.page,
            **({"name": hit.label_of(hit.page)} if hit.label_of(hit.page) else {}),
            "chunk": hit.chunk.ordinal + 1,
            "heading": " > ".join(hit.headings),
        },
        "content": text,
    }


def _plain(value: Any) -> Any:
    """Return a value of which JSON and YAML know every part."""
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    return str(value)


def _as_yaml(plain: Any) -> str:
    import yaml  # seldom asked for

    class Writer(yaml.SafeDumper):
        """Writes texts of several lines as they stand."""

    def text(writer: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
        quoted = value.endswith("\n") or any(sign in value for sign in _OTHER_LINE_ENDS)
        style = '"' if quoted or _CLOSING.search(value) else "|" if "\n" in value else None
        return writer.represent_scalar("tag:yaml.org,2002:str", value, style=style)

    Writer.add_representer(str, text)
    written: str = yaml.dump(
        plain, Dumper=Writer, default_flow_style=False, sort_keys=True, allow_unicode=True, width=math.inf
    )
    return _CLOSING.sub(_ESCAPED, written.rstrip("\n"))
