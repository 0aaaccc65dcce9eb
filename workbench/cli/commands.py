"""Commands for documents, questions and model profiles."""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from workbench import operations
from workbench.cli import records, source_commands
from workbench.cli.agent_commands import prompt_words
from workbench.cli.chunks import configuration_of_options
from workbench.cli.library_access import make_change, opened_to_read
from workbench.cli.library_access import open_given_library as _library
from workbench.cli.output import Output
from workbench.cli.read_all_command import offer_record, offer_words, read_all_offer
from workbench.cli.records import answer_words, doubt_words, hit_words, size_words
from workbench.cli.search_arguments import chosen_filter
from workbench.cli.tool_approval import approver_of
from workbench.errors import MissingFile, RetrievalError, UnreadableFile
from workbench.language import counted
from workbench.model.chunk import Stretch
from workbench.model.custom_metadata import checked_metadata, typed_pairs
from workbench.model.document import not_read, place
from workbench.model.hit import Hit
from workbench.model.import_progress import FileFinished
from workbench.model.run import RunStatus, TimedEvent
from workbench.operations import Library
from workbench.operations.library.document_changes import Reindex, Remove
from workbench.worker.job import JobContext

Options = argparse.Namespace
SILENT = JobContext()


async def add(options: Options, output: Output) -> int:
    """Add files, folders, links and topics; 1 if any of them failed."""
    context = JobContext(source_commands.make_outcome_listener(output))
    checked_metadata(typed_pairs(options.metadata))  # before anything is fetched
    files: list[FileFinished] = []
    async with opened_to_read(options, output) as library:
        for change in source_commands.additions(options):
            files += await make_change(library, change, context)
    if not files:
        output.note("There is nothing to add there.")
    source_commands.offer_hosts(files, output)
    return source_commands.status_of(files)


async def list_documents(options: Options, output: Output) -> int:
    """List the documents."""
    async with _library(options) as library:
        documents = await operations.list_documents(library, options.kb)(SILENT)
    for document in documents:
        words = f"{document.id:>5}  {document.status.value:<9} {size_words(document):<24} {document.name}"
        problem = document.reason or not_read(document.findings)
        output.record(records.document_record(document), words + (f": {problem}" if problem else ""))
    if not documents:
        output.note("The library is empty. Add documents with: workbench add PATH...")
    return 0


async def show(options: Options, output: Output) -> int:
    """Show a document's chunks."""
    async with _library(options) as library:
        document = await operations.show_document(library, options.document)(SILENT)
        for chunk in await operations.list_chunks(library, document.id)(SILENT):
            ocr = bool(document.ocr_pages(chunk.page, chunk.page))
            where = place(document.page_kind, chunk.page, ocr=ocr)
            size = ", ".join(part for part in (where, counted(chunk.tokens, "token")) if part)
            head = f"— chunk {chunk.ordinal + 1} ({size}) {' › '.join(chunk.headings)}"
            output.record(records.chunk_record(chunk), f"{head}\n{chunk.text}\n")
    return 0


async def remove(options: Options, output: Output) -> int:
    """Move documents to the bin, or delete them permanently with --for-good."""
    async with _library(options) as library:
        found = [await operations.show_document(library, spec)(SILENT) for spec in options.documents]
        await make_change(library, Remove(tuple(document.id for document in found), options.for_good))
    for document in found:
        output.record({"document": document.id, "path": document.path, "status": "removed"}, f"removed {document.name}")
    return 0


async def reindex(options: Options, output: Output) -> int:
    """Process documents again from the library's copies; 1 if any of them failed."""
    async with opened_to_read(options, output) as library:
        if options.documents:
            found = [await operations.show_document(library, spec)(SILENT) for spec in options.documents]
        else:
            found = await operations.list_documents(library)(SILENT)
        again = Reindex(tuple(document.id for document in found), options.more_time)
        return source_commands.status_of(
            await make_change(library, again, JobContext(source_commands.make_outcome_listener(output)))
        )


async def sessions(options: Options, output: Output) -> int:
    """List the sessions, or those that contain the given words."""
    words = " ".join(options.words)
    async with _library(options) as library:
        excerpts = {one.session: one.excerpt for one in await operations.find_sessions(library, words)(SILENT)}
        for info in await operations.list_sessions(library)(SILENT):
            if (info.archived == options.archived and not words) or info.id in excerpts:
                shown = f"{info.id:>5}  {info.changed}  {info.title}"
                excerpt = excerpts.get(info.id, "")
                output.record(records.session_record(info), f"{shown}\n       {excerpt}" if excerpt else shown)
    return 0


async def search(options: Options, output: Output) -> int:
    """Search for one question or for each line of a file."""
    async with _library(options) as library:
        chosen = await chosen_filter(library, options)
        steps = await configuration_of_options(library, options)
        for question in _questions(options):
            find = operations.search(library, question, k=options.k, filter=chosen, configuration=steps)
            result = await find(SILENT)
            seen = [result.coverage.sentence] if result.coverage else []
            contexts = await stretches(library, result.hits, options)
            hits = [
                hit_words(hit, result.page_neighbours(hit)) + stretch_words(one)
                for hit, one in zip(result.hits, contexts, strict=True)
            ]
            words = [f"{question}  ({result.milliseconds:.1f} ms)", *hits, *result.notes]
            words += [*doubt_words(result), *seen]
            record = records.search_record(result)
            for hit, one in zip(record["hits"], contexts, strict=True):
                hit.update(stretch_record(one))
            output.record(record, "\n".join(words) + "\n")
    return 0


async def ask(options: Options, output: Output) -> int:
    """Answer one question or each line of a file; 1 if any run failed."""
    failed = False

    def stream(event: Any) -> None:
        if isinstance(event, TimedEvent):
            record = records.event_record(event)
            output.record(record, f"{event.seconds:8.3f}  {record['event']}  {event.event}")

    context = JobContext(stream) if options.stream else SILENT
    async with _library(options) as library:
        chosen = await chosen_filter(library, options)
        session = options.session
        for question in _questions(options):
            answer = operations.ask(
                library,
                question,
                session=session,
                agent=options.agent,
                profile=options.profile,
                filter=chosen,
                approver=approver_of(output),
                plan=options.plan,
                after=options.after,
            )
            run = await answer(context)
            prompts = [prompt_words(one) for one in run.prompts] if options.show_prompt else []
            record = records.run_record(run, with_prompt=options.show_prompt)
            offer = await read_all_offer(library, run)
            record["read_all"] = offer_record(offer) if offer is not None else None
            words = [*prompts, answer_words(run, with_claims=options.check), *([offer_words(offer)] if offer else [])]
            output.record(record, "\n".join(words))
            failed = failed or run.status is RunStatus.FAILED
        await library.afterwards.wait_until_done()
    return int(failed)


async def profiles(options: Options, output: Output) -> int:
    """Add, list, check or remove model profiles, or find servers for them."""
    from workbench.cli import setup_commands  # these two load all operations
    from workbench.operations.library.library_changes import PutProfile, RemoveProfile

    async with _library(options) as library:
        if options.action == "check":
            return await setup_commands.check(library, options.name, output)
        if options.action == "find":
            return await setup_commands.find(library, output)
        if options.action == "add":
            put = PutProfile(options.name, options.base_url, options.model, options.api, options.key_env, options.tools)
            await make_change(library, put)
        elif options.action == "remove":
            await make_change(library, RemoveProfile(options.name))
        kept = await operations.list_profiles(library)(SILENT)
        if options.action == "add":
            kept = [one for one in kept if one.name == options.name]
    for profile in kept:
        record = {
            "name": profile.name,
            "base_url": profile.base_url,
            "model": profile.model,
            "api": profile.api.value,
            "key_env": profile.key_env,
            "detected_api": profile.detected_api.value if profile.detected_api else None,
            "tools": profile.tool_calling.value,
            "detected_tools": profile.detected_tools.value if profile.detected_tools else None,
        }
        place = f"{profile.model} at {profile.base_url}" if not profile.is_offline else "built in, needs no model"
        output.record(record, f"{profile.name}: {place}")
    return 0


def _questions(options: Options) -> list[str]:
    questions = [options.question] if options.questions is None else _questions_of(options.questions)
    if not all(question.strip() for question in questions):
        raise RetrievalError("The question is empty.", "Type what you want to know.")
    return questions


def _questions_of(path: Path) -> list[str]:
    try:
        # Not splitlines: it also splits at characters that JSON allows inside a string.
        lines = path.read_text("utf-8-sig").split("\n")
    except FileNotFoundError as error:
        raise MissingFile(f"“{path}” does not exist.", "Specify a JSON Lines file.") from error
    except OSError as error:
        raise UnreadableFile(f"“{path}” cannot be read: {error.strerror}.", "Specify a JSON Lines file.") from error
    except UnicodeDecodeError as error:
        raise UnreadableFile(f"“{path}” is not UTF-8 text.", "Specify a JSON Lines file in UTF-8.") from error
    questions = [_question(line, path, number) for number, line in enumerate(lines, 1) if line.strip()]
    if not questions:
        raise UnreadableFile(
            f"“{path}” contains no question.", "Specify a JSON Lines file whose objects have the field “question”."
        )
    return questions


def _question(line: str, path: Path, number: int) -> str:
    try:
        question = json.loads(line)["question"]
        if not isinstance(question, str):
            raise TypeError("a question is a text")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UnreadableFile(
            f"Line {number} of “{path.name}” is not a JSON object with the field “question”.",
            "Correct the line and try again.",
        ) from error
    return question


async def stretches(library: Library, hits: Sequence[Hit], options: argparse.Namespace) -> list[Stretch | None]:
    """Return the context of each hit; None for each if no context was requested."""
    if options.section:
        return [await operations.section(library, hit.chunk)(JobContext()) for hit in hits]
    if options.context > 0:
        count = options.context
        around = (operations.neighbours(library, hit.chunk, before=count, after=count) for hit in hits)
        return [await one(JobContext()) for one in around]
    return [None] * len(hits)


def stretch_words(stretch: Stretch | None) -> str:
    """Return the context of a hit as text for people; empty for None."""
    if stretch is None:
        return ""
    chunks = f"chunk {stretch.first + 1}" + (f" to {stretch.last + 1}" if stretch.last > stretch.first else "")
    cut = ", part of a longer section" if stretch.is_cut else ""
    text = "\n".join(f"     | {line}" for line in stretch.text.splitlines())
    return f"\n     {chunks}{cut}:\n{text}"


def stretch_record(stretch: Stretch | None) -> dict[str, Any]:
    """Return the additional fields of a hit's record; the offsets refer to the document's text."""
    if stretch is None:
        return {}
    return {
        "around": {
            "start": stretch.start,
            "end": stretch.end,
            "first_chunk": stretch.first + 1,
            "last_chunk": stretch.last + 1,
            "cut": stretch.is_cut,
            "text": stretch.text,
        }
    }
