"""Mentions and tables -> Markdown: how many documents hold words and where, all rows of a table or list."""

from collections.abc import Iterator, Mapping
from typing import Any

from workbench.agent.offline.overview import quoted, titled
from workbench.agent.offline.wording import colon_of, is_chinese, passages_of, place_of, times_of, words_for
from workbench.agent.providers.offline_wording import cell, escaped

Told = Mapping[str, Any]

_MOST_COLUMNS = 8
_LONGEST_CELL = 120


def mentions_answer(question: str, result: Told) -> Iterator[str]:
    """Yield an answer that counts the documents in which words stand, with the first places of each."""
    words = words_for(question)
    said, found = escaped(result["words"]), result["found"]
    documents = words.document if result["looked_in"] == 1 else words.documents
    if not found:
        yield words.not_mentioned.format(total=result["looked_in"], documents=documents, words=said)
        yield f" {words.other_words}"
        yield from _called(question, result)
        return
    if result["looked_in"] == 1:
        yield words.mentioned_in_one.format(
            words=said,
            times=times_of(question, found[0]["times"]),
            name=titled(found[0]),
            passages=passages_of(question, found[0]["passages"]),
            note=words.quoted_note,
        )
        yield "\n\n" + "".join(f"- {_place(question, one)}\n" for one in found[0]["places"])
        return
    yield words.mentioned.format(
        holding=result["documents"],
        total=result["looked_in"],
        documents=documents,
        verb="mentions" if result["documents"] == 1 else "mention",
        words=said,
        times=times_of(question, result["times"]),
        note=words.quoted_note,
    )
    yield "\n\n"
    for one in found:
        times, passages = times_of(question, one["times"]), passages_of(question, one["passages"])
        counted = words.mentioned_times.format(times=times, passages=passages)
        yield f"- **{titled(one)}**: {counted}\n"
        yield "".join(f"  - {_place(question, place)}\n" for place in one["places"])
    if others := result["others"]:
        listed = ", ".join(f"{escaped(one['name'])} ({one['times']})" for one in others)
        yield f"\n**{words.more.format(count=len(others))}**: {listed}\n"
    yield from _called(question, result)


def _called(question: str, result: Told) -> Iterator[str]:
    if result["called"]:
        names = (
            "、".join(map(escaped, result["called"]))
            if is_chinese(question)
            else ", ".join(map(escaped, result["called"]))
        )
        yield f"\n{words_for(question).called.format(names=names)}\n"


def table_answer(question: str, result: Told) -> Iterator[str]:
    """Yield an answer that gives all rows of a table or list, each with its number."""
    words = words_for(question)
    place = _where(question, result)
    title = escaped(result["above"][-1]) if result["above"] else escaped(result["document"])
    yield words.listed.format(title=title, place=place, count=result["total"], note=words.quoted_note) + "\n\n"
    yield _rows(result)
    if left := result["total"] - len(result["rows"]):
        yield f"\n{words.rows_left.format(count=left, place=place)}\n"
    if result["also"]:
        yield f"\n**{words.also}**\n\n"
        for one in result["also"]:
            other = words.also_rows.format(
                title=escaped(one["title"] or one["document"]),
                place=_where(question, {**one, "page_kind": "page"}),
                count=one["rows"],
            )
            yield f"- {other} [{one['citation']}]\n"


def _rows(result: Told) -> str:
    columns = result["columns"]
    rows = result["rows"]
    width = max((len(row["cells"]) for row in rows), default=0)
    fits = 1 < width <= _MOST_COLUMNS and all(len(value) <= _LONGEST_CELL for row in rows for value in row["cells"])
    if not fits:
        return "".join(f"- {_line(columns, row)} [{row['citation']}]\n" for row in rows)
    heads = [*columns, *[""] * (width - len(columns))]
    lines = [f"| {' | '.join(map(cell, heads))} | |", f"{'| --- ' * (width + 1)}|"]
    for row in rows:
        cells = [*row["cells"], *[""] * (width - len(row["cells"]))]
        lines.append(f"| {' | '.join(map(cell, cells))} | [{row['citation']}] |")
    return "\n".join(lines) + "\n"


def _line(columns: list[str], row: Told) -> str:
    """Return a row as people say it, Region: “North”; of a list its only cell."""
    cells = row["cells"]
    if len(cells) == 1:
        return f"“{escaped(cells[0])}”"
    names = columns if len(columns) == len(cells) else [""] * len(cells)
    told = [
        (f"{escaped(name)}: " if name else "") + f"“{escaped(value)}”"
        for name, value in zip(names, cells, strict=True)
        if value
    ]
    return "; ".join(told)


def _place(question: str, one: Told) -> str:
    place = place_of(question, "page", one["page"])
    return f"{place}{colon_of(question)}{quoted(one)}" if place else quoted(one)


def _where(question: str, one: Told) -> str:
    place = place_of(question, one["page_kind"], one["page"])
    return f"{escaped(one['document'])}, {place}" if place else escaped(one["document"])
