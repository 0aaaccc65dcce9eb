"""Markdown exporter, and containment of an answer's own Markdown.

The file is CommonMark with the footnotes and tables that GitHub, GitLab, Pandoc and Obsidian support. Nothing in it
makes a reader load anything from elsewhere.

The answer is text of a model or, offline, of the documents. Unchanged, it could load an image from elsewhere, close a
<details>, leave a code fence open over everything that follows, or fake a heading; and Markdown programs do more than
CommonMark specifies: they run the code of a fence, embed other files, pass on raw HTML and TeX. The answer is parsed
with a CommonMark parser, and only markup that does one of these is changed.
"""

import dataclasses
import re
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from markdown_it import MarkdownIt
from markdown_it.token import Token

from workbench.export.base import PRINTED, READING, TITLE, ExportContext, document_list
from workbench.export.escaping import code_block, code_span, html_line, markdown_quote, markdown_text
from workbench.export.run_transcript import (
    SHORT_HASH,
    Footnote,
    TranscriptStep,
    columns,
    counted,
    ending,
    footnotes,
    is_technical,
    not_a_source,
    prompts,
    provenance,
    remarks,
    step_time,
    steps,
    when,
    with_markers,
    without_repeated_prompts,
)
from workbench.export.text_lines import flowing_quote
from workbench.language import mark, tr, translate
from workbench.model.hit import Citation, Hit, Reference
from workbench.model.run import Run
from workbench.model.session import Part, Parts, Session
from workbench.model.visible import visible
from workbench.model.web_address import may_be_opened

# Plane 15 is for private use: each marker is replaced by one such character while the answer's Markdown is parsed.
_FIRST = 0xF0000
_PRIVATE = re.compile("[\U000f0000-\U000ffffd]")
_ANSWER_LEVEL = 3


class MarkdownExporter:
    """Exporter of Markdown files."""

    format: ClassVar[str] = "md"
    suffix: ClassVar[str] = ".md"
    title: ClassVar[str] = "Markdown"
    description: ClassVar[str] = mark("Plain text with footnotes, for notes and wikis.")
    offered: ClassVar[Parts] = READING | {Part.PROMPTS}
    usual: ClassVar[Parts] = PRINTED & offered

    def render(self, session: Session, context: ExportContext) -> bytes:
        """Return the whole file, UTF-8."""
        session = without_repeated_prompts(session)
        shown = dataclasses.replace(context, version=markdown_text(context.version), library=code_span(context.library))
        head = [
            f"# {markdown_text(session.info.title) or tr('Session')}",
            tr("{questions}. {exported}", questions=counted(session), exported=provenance(shown)),
        ]
        technical = is_technical(session)
        runs = [
            part for number, run in enumerate(session.runs, start=1) for part in _run(run, number, technical=technical)
        ]
        return ("\n\n".join([*head, *runs, *_documents(context, technical=technical)]) + "\n").encode("utf-8")


def _documents(context: ExportContext, *, technical: bool) -> list[str]:
    listed = [
        f"- **{markdown_text(name)}**" + (f": {markdown_text(about)}" if about else "")
        for name, about in document_list(context, is_technical=technical)
    ]
    return [f"## {tr(TITLE)}", "\n".join(listed)] if listed else []


def _run(run: Run, number: int, *, technical: bool) -> list[str]:
    notes = footnotes(run, number=number)
    answered_by = markdown_text(translate(run.mode)) or markdown_text(run.profile)
    parts = [
        f"## {tr('Question {n}', n=number)}",
        markdown_quote(run.question),
        f"*{when(run.started)} · {answered_by} · {run.seconds:.1f} s · {markdown_text(ending(run))}*",
        f"### {tr('Answer')}",
        _answer(run, notes) or f"*{tr('No answer was given.')}*",
    ]
    parts += [f"*{markdown_text(remark)}*" for remark in remarks(run)]
    parts += [folded_steps(run), folded_searches(run), folded_prompts(run)]
    parts.append(footnote_definitions(notes, technical=technical))
    return [part for part in parts if part]


def _answer(run: Run, notes: tuple[Footnote, ...]) -> str:
    marks: list[str] = []

    def placeholder(citation: Citation, note: Footnote | None) -> str:
        marks.append(f"[^{note.label}]" if note else f"\\[{citation.marker}\\] *({not_a_source()})*")
        return chr(_FIRST + len(marks) - 1)

    if _PRIVATE.search(run.answer):
        # Such a character would be taken for a marker. The replacement keeps the length and thereby all offsets.
        run = dataclasses.replace(run, answer=_PRIVATE.sub("\ufffd", run.answer))
    text = contain_markdown(with_markers(run, notes, placeholder), below=_ANSWER_LEVEL)
    return _PRIVATE.sub(lambda match: marks[ord(match[0]) - _FIRST], text)


_INDENT = "    "


def footnote_definitions(notes: Sequence[Footnote], *, technical: bool = True) -> str:
    """Return a definition for each footnote: place and text of the passage, and with technical its offsets and hash."""
    return "\n\n".join(_definition(note, technical=technical) for note in notes)


def folded_steps(run: Run) -> str:
    """Return the steps of a run as a folded list; empty if nothing was recorded."""
    shown = steps(run)
    lines = [_step(number, step) for number, step in enumerate(shown, start=1)]
    return _fold(tr("Steps ({n})", n=len(shown)), "\n\n".join(lines)) if shown else ""


def folded_searches(run: Run) -> str:
    """Return the searches of a run with their hits and scores, folded; empty if there was none."""
    if not run.references:
        return ""
    title = tr("Searches ({n})", n=len(run.references))
    return _fold(title, "\n\n".join(_search(found) for found in run.references))


def folded_prompts(run: Run) -> str:
    """Return the prompts of a run, folded; empty if there was none or prompts are left out."""
    sections = prompts(run)
    parts = [f"**{markdown_text(part.label)}**\n\n{code_block(part.text)}" for part in sections]
    return _fold(tr("Prompts ({n})", n=len(sections)), "\n\n".join(parts)) if sections else ""


def where(citation: Citation) -> list[str]:
    """Return the place of a passage: document, page, heading path; not yet escaped."""
    parts = (citation.document_name, translate(citation.place), " › ".join(citation.headings))
    return [part for part in parts if part]


def _definition(note: Footnote, *, technical: bool) -> str:
    citation = note.citation
    name, *rest = [markdown_text(part) for part in where(citation)]
    address = [markdown_text(citation.path)] if citation.is_outside and citation.path else []
    place = ", ".join([f"**{name}**", *rest, *address])
    text = [tr("characters {start}–{end}", start=citation.start, end=citation.end)]
    text += [tr("passage {n}", n=citation.chunk_ordinal + 1)] if citation.chunk_ordinal is not None else []
    text += [f"sha256 {code_span(citation.sha256[:SHORT_HASH])}"] if citation.sha256 else []
    details = f" ({', '.join(text)})" if technical else ""
    return f"[^{note.label}]: {place}{details}\n\n{markdown_quote(flowing_quote(citation.quote), indent=_INDENT)}"


def _step(number: int, step: TranscriptStep) -> str:
    failed = f" — {tr('failed')}" if step.failed else ""
    name = step.kind if step.kind in ("think", "analyze", "tool", "plan") else ""
    title = f"**{name}** {markdown_text(step.title)}" if name else markdown_text(step.title)
    lines = [f"{number}. {title}{failed} ({step_time(step)})"]
    if step.arguments:
        lines.append(code_block(step.arguments, language="json", indent=_INDENT))
    lines += [
        f"{_INDENT}{label}: {markdown_text(text)}"
        if "\n" not in text.strip()
        else f"{_INDENT}{label}:\n\n{markdown_quote(text, indent=_INDENT)}"
        for label, text in step.fields
    ]
    return "\n\n".join(lines)


def _search(reference: Reference) -> str:
    head = tr(
        "Query: {query}, {ms:.1f} ms, {n} hits",
        query=code_span(reference.query),
        ms=reference.time * 1000,
        n=len(reference.hits),
    )
    head = (
        tr("{found}, below the minimum relevance: not used for the answer", found=head) if reference.withheld else head
    )
    if not reference.hits:
        return head
    rows = [_row(numbered.number, numbered.hit) for numbered in reference.hits]
    table = f"| {' | '.join(columns())} |\n| --: | --- | --: | --- "
    return f"{head}\n\n{table}| --: | --: | --: | --: |\n" + "\n".join(rows)


def _row(number: int, hit: Hit) -> str:
    scores = hit.scores
    cells = (
        str(number),
        markdown_text(hit.document_name),
        markdown_text(translate(hit.place)),
        markdown_text(" › ".join(hit.headings)),
        "" if scores.dense is None else f"{scores.dense:.3f}",
        "" if scores.keyword is None else f"{scores.keyword:.2f}",
        f"{scores.fused:.4f}",
        f"{scores.relevance:.2f}",
    )
    return f"| {' | '.join(cells)} |"


def _fold(title: str, body: str) -> str:
    return f"<details>\n<summary>{html_line(title)}</summary>\n\n{body}\n\n</details>"


class _LinkParser(MarkdownIt):
    """Parser that accepts every link target, as other Markdown readers do."""

    def validateLink(self, _url: str) -> bool:
        return True


_PARSER = _LinkParser("commonmark", {"html": True}).enable("table")
_DEEPEST_HEADING = 6
_DEFINITION = re.compile(r"^(\s{0,3}(?:>\s*)*)\[(?=[^\]]*\]:)", re.MULTILINE)
_IMAGE = re.compile(r"(?<!\\)!\[")
# Pandoc passes TeX through unchanged, and with these commands TeX reads and writes files and runs programs. "^^5c" is
# one of TeX's notations for a back-slash.
_TEX = re.compile(
    r"(?<!\\)(\\(?:\\\\)*+)(?=(?:input|include|read|write|open|close|new(?:read|write)|immediate|special|catcode|csname"
    r"|usepackage|import|lstinput|verbatiminput|def\b|edef|let\b|loop\b|url|href|directlua|luaexec|pdf))",
    re.IGNORECASE,
)
_END = "END-OF-ANSWER"
_ROUNDS = 8


def contain_markdown(answer: str, *, below: int) -> str:
    """Return the answer without raw HTML, images, footnotes or an open fence, its headings deeper than level below.

    An image becomes a link to it. Only links to web and mail addresses are kept.
    """
    text = visible(answer).strip("\n")
    for _ in range(_ROUNDS):
        safer = _neutralise(text)
        if safer == text:
            break
        text = safer
    else:
        # The text still changes after _ROUNDS rounds, so it is not prose: escape all of its markup.
        text = text.replace("<", "&lt;").replace("![", "!&#91;").replace("](", "]&#40;").replace("]:", "]&#58;")
    text = _demote_headings(text, below)
    return _close_fence(text)


def _neutralise(text: str) -> str:
    known: dict[str, Any] = {}
    tokens = _PARSER.parse(text, known)
    code = _code_lines(tokens)
    lines = text.split("\n")
    for token in tokens:
        if token.map is None:
            continue
        changed = _change(token)
        for number in range(token.map[0], min(token.map[1], len(lines))):
            lines[number] = changed(lines[number])
        if token.type == "fence":
            head, ticks, _info = lines[token.map[0]].partition(token.markup)
            lines[token.map[0]] = f"{head}{ticks}{_language(token.info)}"
    for number, line in enumerate(lines):
        if number not in code:
            # Entities instead of back-slashes, because the text may already have a back-slash in front.
            line = line.replace("![[", "!&#91;&#91;").replace("[^", "&#91;^").replace("`{=", "`&#123;=")
            line = _TEX.sub(r"\1\\", _DEFINITION.sub(r"\1&#91;", line)).replace("^^", "^&#94;")
            lines[number] = line.replace("]:", "]&#58;") if known.get("references") else line
    return "\n".join(lines)


def _change(token: Token) -> Callable[[str], str]:
    """Return a function that neutralises forbidden markup in a line of a block."""
    children = token.children or []
    pictures = [str(child.attrGet("src") or "") for child in children if child.type == "image"]
    links = [child for child in children if child.type == "link_open"]
    foreign = [link for link in links if not may_be_opened(str(link.attrGet("href") or ""))]
    has_tags = token.type == "html_block" or any(child.type == "html_inline" for child in children)
    has_tags = has_tags or any(link.markup == "autolink" for link in foreign)
    picture = "[" if all(map(may_be_opened, pictures)) else "!&#91;"

    def changed(line: str) -> str:
        line = line.replace("<", "&lt;") if has_tags else line
        line = _IMAGE.sub(picture, line) if pictures else line
        return line.replace("](", "]&#40;") if foreign else line

    return changed


def _language(info: str) -> str:
    """Return the language of a fence if Pygments knows it, else ""; some programs run “dataviewjs” or “{=html}”."""
    from pygments.lexers import find_lexer_class_by_name
    from pygments.util import ClassNotFound

    word = info.split()[0] if info.split() else ""
    try:
        return word if word.isascii() and find_lexer_class_by_name(word) else ""
    except ClassNotFound:
        return ""


def _code_lines(tokens: list[Token]) -> set[int]:
    maps = [token.map for token in tokens if token.type in ("fence", "code_block") and token.map]
    return {number for first, end in maps for number in range(first, end)}


def _demote_headings(text: str, below: int) -> str:
    lines = text.split("\n")
    for token in reversed(_PARSER.parse(text)):
        if token.type != "heading_open" or token.map is None:
            continue
        first, end = token.map
        marks = "#" * min(_DEEPEST_HEADING, below + int(token.tag[1:]))
        if token.markup.startswith("#"):
            lines[first] = re.sub(r"#+", marks, lines[first], count=1)
        else:
            lines[first:end] = [f"{marks} {' '.join(line.strip() for line in lines[first : end - 1])}"]
    return "\n".join(lines)


def _close_fence(text: str) -> str:
    tokens = _PARSER.parse(f"{text}\n\n{_END}")
    if tokens and tokens[-1].type == "fence":
        return f"{text}\n{tokens[-1].markup}"
    return text
