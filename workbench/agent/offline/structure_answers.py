"""Markdown answers from the structure of documents: overviews, comparisons, mentions, tables and lists."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from workbench.agent.built_in_agent import unknown_for
from workbench.agent.offline.structure_wording import (
    StructureWords,
    colon_of,
    is_chinese,
    passages_of,
    place_of,
    size_of,
    times_of,
    words_for,
)
from workbench.agent.offline.wording import cell, escape_line, names_with_unit, unit_beside
from workbench.chunking.sentences import first_sentences
from workbench.model.document_name import stem
from workbench.store.segmentation import STOP_WORDS, segment

Told = Mapping[str, Any]

_GROUPED = 3
_MOST_TOPICS = 8
_LONGEST_CELL = 220


def document_answer(question: str, document: Told) -> Iterator[str]:
    """Yield, piece by piece, an overview of one document or of one part of it."""
    words = words_for(question)
    title, note = get_document_title(document), words.quoted_note
    if document["part"]:
        yield words.part_of.format(title=title, part=escape_line(document["part"]), note=note) + "\n"
    else:
        yield words.outline_of.format(title=title, about=_about(question, document), note=note) + "\n"
    shown = {one["text"] for one in (*document["lead"], *document["findings"])}
    if document["lead"]:
        yield "\n" + "".join(f"- {quote_opening(one)}\n" for one in document["lead"])
    if findings := document["findings"]:
        yield f"\n**{words.findings}**\n\n" + "".join(f"- {quote_opening(one)}\n" for one in findings)
    # The opening of a document without headings is also that of its first section: it is not shown twice.
    entries = [one for one in document["outline"] if one["heading"] or one["text"] not in shown]
    if entries:
        yield f"\n**{words.sections if any(one['heading'] for one in entries) else words.stretches}**\n\n"
    for entry in entries:
        yield f"- {_entry(question, document, entry)}\n"


def library_answer(question: str, result: Told) -> Iterator[str]:
    """Yield, piece by piece, a list of the documents with the opening of each."""
    words = words_for(question)
    if not result["total"]:
        yield unknown_so_far(question, words.empty_so_far) if result["not_read"] else words.empty
        return
    lead_in = words.meant if result["named"] else words.library
    yield lead_in.format(
        count=result["total"],
        documents=words.document if result["total"] == 1 else words.documents,
        formats=", ".join(f"{count} {name}" for name, count in result["formats"].items()),
        note=words.quoted_note,
    )
    yield "\n\n"
    for number, document in enumerate(result["documents"], 1):
        opening = document["lead"][:1]
        begins = f"{colon_of(question)}{quote_opening(opening[0])}" if opening else ""
        part = f", {escape_line(document['part'])}" if document["part"] else ""
        yield f"{number}. **{get_document_title(document)}**{_about(question, document)}{part}{begins}\n"
    if others := result["others"]:
        yield _name_others(words, others, result["total"] - len(result["documents"]))
    if result["not_read"]:
        yield f"\n{words.so_far}\n"


def unknown_so_far(question: str, text: str) -> str:
    """Return a text after the sentence with which an answer begins that is not known yet."""
    return f"{unknown_for(question)}{'' if is_chinese(question) else ' '}{text}"


def comparison_answer(question: str, one: Told, two: Told) -> Iterator[str]:
    """Yield a comparison of two documents: what they are, the sections on common subjects, and the other sections."""
    words = words_for(question)
    yield words.compared.format(one=get_document_title(one), two=get_document_title(two), note=words.quoted_note) + "\n"
    for document in (one, two):
        yield f"\n**{get_document_title(document)}**{_about(question, document)}\n\n"
        yield "".join(f"- {quote_opening(each)}\n" for each in (document["findings"] or document["lead"])[:4])
    pairs = _pair_sections(one["outline"], two["outline"])
    if pairs:
        yield f"\n**{words.topics}**\n\n| {get_document_title(one)} | {get_document_title(two)} |\n| --- | --- |\n"
        for first, second in pairs:
            yield f"| {_in_cell(question, one, first)} | {_in_cell(question, two, second)} |\n"
    for document, side in ((one, 0), (two, 1)):
        paired = {id(pair[side]) for pair in pairs}
        rest = [entry for entry in document["outline"] if id(entry) not in paired]
        if rest:
            yield f"\n**{words.rest.format(name=get_document_title(document))}**\n\n"
            yield "".join(f"- {_entry(question, document, entry)}\n" for entry in rest)


def details_answer(question: str, document: Told) -> Iterator[str]:
    """Yield the details that a document states about itself: title, author, date, size."""
    words = words_for(question)
    colon = colon_of(question)
    yield f"**{escape_line(document['name'])}**{words.quoted_note}{colon.strip()}\n\n"
    for one in document["properties"]:
        name = words.properties[one["field"]]
        source = f" [{one['citation']}]" if "citation" in one else f" ({words.from_properties})"
        value = f"“{escape_line(one['value'])}”" if one.get("verbatim") else escape_line(one["value"])
        yield f"- {name}{colon}{value}{source}\n"
    if size := size_of(question, document["page_kind"], document["pages"]):
        yield f"- {size}\n"
    missing = [words.properties[field] for field in ("author", "date") if not _has(document, field)]
    if missing:
        fields = ("、" if is_chinese(question) else ", ").join(missing).lower()
        yield f"\n{words.not_stated.format(name=escape_line(document['name']), fields=fields)}\n"
    if document["lead"]:
        yield f"\n- {quote_opening(document['lead'][0])}\n"


def which_two(question: str, result: Told) -> Iterator[str]:
    """Yield a question that asks for the two documents to compare, with a list of the candidates."""
    words = words_for(question)
    names = [escape_line(one["name"]) for one in (*result["documents"], *result["others"])]
    if len(names) < _FEWEST_COMPARED:
        yield words.only_one.format(one=names[0]) if names else words.empty
        return
    yield words.which_two.format(count=result["total"], one=names[0], two=names[1]) + "\n\n"
    yield "".join(f"- {name}\n" for name in names)


_FEWEST_COMPARED = 2


def quote_opening(opening: Told) -> str:
    """Return an opening as a quotation with its citation number; ellipses for omitted text are outside the quotes."""
    text = escape_line(opening["text"])
    before, after = ("… " if text.startswith("… ") else ""), (" …" if text.endswith(" …") else "")
    inner = text.removeprefix("… ").removesuffix(" …")
    return f"{before}“{inner}”{after} [{opening['citation']}]"


def _entry(question: str, document: Told, entry: Told) -> str:
    place = place_of(question, document["page_kind"], entry["page"])
    heading = f"**{escape_line(entry['heading'])}**" if entry["heading"] else ""
    where = f" ({place})" if heading and place else place
    quoted = quote_opening(entry)
    if entry.get("rows"):
        quoted = words_for(question).table_of.format(rows=entry["rows"], head=quoted)
    return f"{heading}{where}{colon_of(question) if heading or where else ''}{quoted}"


def _in_cell(question: str, document: Told, entry: Told) -> str:
    text = entry["text"]
    if len(text) > _LONGEST_CELL and (whole := first_sentences(text.removesuffix(" …"), _LONGEST_CELL)):
        text = whole
    elif len(text) > _LONGEST_CELL and " " in text[:_LONGEST_CELL]:
        text = text[: text.rindex(" ", 0, _LONGEST_CELL)] + " …"
    shown = {**entry, "text": text, "rows": 0}
    return _entry(question, document, shown).replace("|", "\\|")


def _pair_sections(ones: Sequence[Told], others: Sequence[Told]) -> list[tuple[Told, Told]]:
    """Return the sections of two documents whose headings share most of their words, in the order of the first."""
    pairs, taken = [], set[int]()
    for one in ones:
        words = _heading_words(one)
        scored = [(_heading_overlap(words, _heading_words(other)), other) for other in others if id(other) not in taken]
        best = max(scored, key=lambda each: each[0], default=(0.0, None))
        if best[1] is not None and best[0] >= _LEAST_OVERLAP:
            taken.add(id(best[1]))
            pairs.append((one, best[1]))
    return pairs[:_MOST_TOPICS]


# Least share of the shorter heading's words that occur in the other: "Corran Gate" and "Closure of the Corran Gate".
_LEAST_OVERLAP = 0.5


def _heading_words(entry: Told) -> frozenset[str]:
    words = segment(entry["heading"]).split()
    return frozenset(word for word in words if word not in STOP_WORDS and not word.replace(".", "").isdigit())


def _heading_overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / min(len(one), len(other)) if one and other else 0.0


def get_document_title(document: Told) -> str:
    """Return the title of a document, or the name of its file if it has no other title."""
    title = document["title"]
    return escape_line(document["name"] if title in ("", stem(document["name"])) else title)


def _about(question: str, document: Told) -> str:
    name = document["name"] if document["title"] not in (document["name"], stem(document["name"])) else ""
    parts = [escape_line(name), size_of(question, document["page_kind"], document["pages"])]
    listed = ("，" if is_chinese(question) else ", ").join(filter(None, parts))
    return f" ({listed})" if listed else ""


def _has(document: Told, field: str) -> bool:
    return any(one["field"] == field for one in document["properties"])


def _name_others(words: StructureWords, others: Sequence[Told], count: int) -> str:
    """Return the names of the documents that are not described, by folder if there are at least three folders."""
    folders: dict[str, list[str]] = defaultdict(list)
    for one in others:
        folders[one["folder"]].append(escape_line(one["name"]))
    left = count - len(others)
    tail = f", {words.more_there.format(count=left)}" if left > 0 else ""
    head = f"\n**{words.more.format(count=count)}**"
    if len(folders) < _GROUPED:
        return f"{head}: {', '.join(name for names in folders.values() for name in names)}{tail}\n"
    lines = [f"- {escape_line(folder) or '/'}: {', '.join(names)}" for folder, names in sorted(folders.items())]
    return f"{head}\n\n" + "\n".join(lines) + f"{tail}\n"


_MOST_COLUMNS = 8
_LISTINGS_LONGEST_CELL = 120


def mentions_answer(question: str, result: Told) -> Iterator[str]:
    """Yield a count of the documents that contain some words, with the first occurrences in each."""
    words = words_for(question)
    phrase, found = escape_line(result["words"]), result["found"]
    documents = words.document if result["looked_in"] == 1 else words.documents
    is_all = not result["not_read"]
    if not found:
        none = words.not_mentioned.format(total=result["looked_in"], documents=documents, words=phrase)
        yield none if is_all else unknown_so_far(question, none)
        yield f" {words.other_words}"
        yield from _name_matches(question, result)
        return
    if result["looked_in"] == 1:
        yield words.mentioned_in_one.format(
            words=phrase,
            times=times_of(question, found[0]["times"]),
            name=get_document_title(found[0]),
            passages=passages_of(question, found[0]["passages"]),
            note=words.quoted_note,
        )
        yield "\n\n" + "".join(f"- {_place(question, one)}\n" for one in found[0]["places"])
        if not is_all:
            yield f"\n{words.so_far}\n"
        return
    yield words.mentioned.format(
        holding=result["documents"],
        total=result["looked_in"],
        documents=documents,
        verb="mentions" if result["documents"] == 1 else "mention",
        words=phrase,
        times=times_of(question, result["times"]),
        note=words.quoted_note,
    )
    yield "\n\n"
    for one in found:
        times, passages = times_of(question, one["times"]), passages_of(question, one["passages"])
        counted = words.mentioned_times.format(times=times, passages=passages)
        yield f"- **{get_document_title(one)}**: {counted}\n"
        yield "".join(f"  - {_place(question, place)}\n" for place in one["places"])
    if others := result["others"]:
        listed = ", ".join(f"{escape_line(one['name'])} ({one['times']})" for one in others)
        yield f"\n**{words.more.format(count=len(others))}**: {listed}\n"
    if not is_all:
        yield f"\n{words.so_far}\n"
    yield from _name_matches(question, result)


def _name_matches(question: str, result: Told) -> Iterator[str]:
    if result["called"]:
        names = (
            "、".join(map(escape_line, result["called"]))
            if is_chinese(question)
            else ", ".join(map(escape_line, result["called"]))
        )
        yield f"\n{words_for(question).called.format(names=names)}\n"


def table_answer(question: str, result: Told) -> Iterator[str]:
    """Yield the rows of a table or list, each with its citation number."""
    words = words_for(question)
    place = _format_source(question, result)
    title = escape_line(result["above"][-1]) if result["above"] else escape_line(result["document"])
    yield words.listed.format(title=title, place=place, count=result["total"], note=words.quoted_note) + "\n\n"
    yield _rows(result)
    if left := result["total"] - len(result["rows"]):
        yield f"\n{words.rows_left.format(count=left, place=place)}\n"
    if result["also"]:
        yield f"\n**{words.also}**\n\n"
        for one in result["also"]:
            other = words.also_rows.format(
                title=escape_line(one["title"] or one["document"]),
                place=_format_source(question, {**one, "page_kind": "page"}),
                count=one["rows"],
            )
            yield f"- {other} [{one['citation']}]\n"


def _rows(result: Told) -> str:
    columns = result["columns"]
    rows = result["rows"]
    width = max((len(row["cells"]) for row in rows), default=0)
    fits = 1 < width <= _MOST_COLUMNS and all(
        len(value) <= _LISTINGS_LONGEST_CELL for row in rows for value in row["cells"]
    )
    unit = result.get("unit", "")
    if not fits:
        beside = escape_line(unit_beside(columns, unit))
        return "".join(f"- {f'{_line(columns, row)} {beside}'.rstrip()} [{row['citation']}]\n" for row in rows)
    heads = names_with_unit([*columns, *[""] * (width - len(columns))], unit)
    lines = [f"| {' | '.join(map(cell, heads))} | |", f"{'| --- ' * (width + 1)}|"]
    for row in rows:
        cells = [*row["cells"], *[""] * (width - len(row["cells"]))]
        lines.append(f"| {' | '.join(map(cell, cells))} | [{row['citation']}] |")
    return "\n".join(lines) + "\n"


def _line(columns: list[str], row: Told) -> str:
    """Return a row in the form Region: “North”; Sales: “12”; for a list item, its only cell."""
    cells = row["cells"]
    if len(cells) == 1:
        return f"“{escape_line(cells[0])}”"
    names = columns if len(columns) == len(cells) else [""] * len(cells)
    named_cells = [
        (f"{escape_line(name)}: " if name else "") + f"“{escape_line(value)}”"
        for name, value in zip(names, cells, strict=True)
        if value
    ]
    return "; ".join(named_cells)


def _place(question: str, one: Told) -> str:
    place = place_of(question, "page", one["page"])
    return f"{place}{colon_of(question)}{quote_opening(one)}" if place else quote_opening(one)


def _format_source(question: str, one: Told) -> str:
    place = place_of(question, one["page_kind"], one["page"])
    return f"{escape_line(one['document'])}, {place}" if place else escape_line(one["document"])
