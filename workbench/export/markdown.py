"""A session as one Markdown file: questions, answers with footnotes, and folded below them the steps and searches.

CommonMark with the footnotes and tables that GitHub, GitLab, Pandoc and Obsidian read alike. Nothing in the file makes
a reader load anything from elsewhere.
"""

import dataclasses
import re
from typing import ClassVar

from workbench.export.answer_markdown import contained
from workbench.export.base import READING, ExportContext
from workbench.export.document_list import TITLE, document_list
from workbench.export.escaping import code_span, markdown_quote, markdown_text
from workbench.export.markdown_parts import folded_prompts, folded_searches, folded_steps, footnote_definitions
from workbench.export.transcript import (
    Footnote,
    counted,
    ending,
    footnotes,
    not_a_source,
    provenance,
    remarks,
    when,
    with_markers,
)
from workbench.language import mark, said, tr
from workbench.model.export import Part, Parts
from workbench.model.hit import Citation
from workbench.model.run import Run
from workbench.model.session import Session

# Plane 15 is for private use: a marker stands as one such character while the answer's Markdown is read.
_FIRST = 0xF0000
_PRIVATE = re.compile("[\U000f0000-\U000ffffd]")
_ANSWER_LEVEL = 3


class MarkdownExporter:
    """Writes a session as Markdown."""

    format: ClassVar[str] = "md"
    suffix: ClassVar[str] = ".md"
    title: ClassVar[str] = "Markdown"
    description: ClassVar[str] = mark("Plain text with footnotes, for notes and wikis.")
    offered: ClassVar[Parts] = READING | {Part.PROMPTS}
    usual: ClassVar[Parts] = READING

    def render(self, session: Session, context: ExportContext) -> bytes:
        """Return the whole file, UTF-8."""
        shown = dataclasses.replace(context, version=markdown_text(context.version), library=code_span(context.library))
        head = [
            f"# {markdown_text(session.info.title) or tr('Session')}",
            tr("{questions}. {exported}", questions=counted(session), exported=provenance(shown)),
        ]
        runs = [part for number, run in enumerate(session.runs, start=1) for part in _run(run, number)]
        return ("\n\n".join([*head, *runs, *_documents(context)]) + "\n").encode("utf-8")


def _documents(context: ExportContext) -> list[str]:
    listed = [f"- **{markdown_text(name)}**: {markdown_text(about)}" for name, about in document_list(context)]
    return [f"## {tr(TITLE)}", "\n".join(listed)] if listed else []


def _run(run: Run, number: int) -> list[str]:
    notes = footnotes(run, number=number)
    answered_by = markdown_text(said(run.mode)) or markdown_text(run.profile)
    parts = [
        f"## {tr('Question {n}', n=number)}",
        markdown_quote(run.question),
        f"*{when(run.started)} · {answered_by} · {run.seconds:.1f} s · {markdown_text(ending(run))}*",
        f"### {tr('Answer')}",
        _answer(run, notes) or f"*{tr('No answer was given.')}*",
    ]
    parts += [f"*{markdown_text(remark)}*" for remark in remarks(run)]
    parts += [folded_steps(run), folded_searches(run), folded_prompts(run), footnote_definitions(notes)]
    return [part for part in parts if part]


def _answer(run: Run, notes: tuple[Footnote, ...]) -> str:
    marks: list[str] = []

    def placeholder(citation: Citation, note: Footnote | None) -> str:
        marks.append(f"[^{note.label}]" if note else f"\\[{citation.marker}\\] *({not_a_source()})*")
        return chr(_FIRST + len(marks) - 1)

    if _PRIVATE.search(run.answer):
        # Such a character would be taken for a marker; the length stays, and with it the markers' places.
        run = dataclasses.replace(run, answer=_PRIVATE.sub("\ufffd", run.answer))
    text = contained(with_markers(run, notes, placeholder), below=_ANSWER_LEVEL)
    return _PRIVATE.sub(lambda match: marks[ord(match[0]) - _FIRST], text)
