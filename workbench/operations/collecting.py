"""Everything that is to be added: the files that were named, those of folders and archives, the parts of long files."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from workbench.errors import PASSING, DocumentError
from workbench.language import mark
from workbench.model.document import Origin
from workbench.model.knowledge_base import Removal
from workbench.operations.archives import Member, Passwords, is_archive
from workbench.operations.choice import EVERYTHING, Choice
from workbench.operations.file_kinds import refusal, refusal_by_name
from workbench.operations.file_metadata import DESCRIBES, is_beside
from workbench.operations.library import Library
from workbench.operations.sources import Source, find_sources, stamp
from workbench.parsing.long_files import can_be_long, is_long, is_part
from workbench.parsing.registry import suffix_of

_NOTHING = mark("There is no file in the archive that could be added.")


@dataclass(slots=True)
class Collected:
    """What was found.

    Attributes:
        sources: The files in their order; those that cannot be added say why.
        contents: Each archive that was opened, and each long file, with the paths of all its members or parts.
        divided: Each long file, with what people are told of how it is divided.
    """

    sources: list[Source] = field(default_factory=list)
    contents: dict[Path, frozenset[str]] = field(default_factory=dict)
    divided: dict[Path, str] = field(default_factory=dict)


def collect(
    library: Library,
    paths: Sequence[Path],
    choice: Choice = EVERYTHING,
    passwords: Passwords = tuple,
    found_in: Sequence[Path] = (),
) -> Collected:
    """Return the files below what the user named, in a fixed order. Blocking; archives are listed, not unpacked.

    Paths below the folders found_in were not named by the user, but found there.
    """
    collected = Collected()
    for found in find_sources(paths, follow_links=choice.follow_links, found_in=found_in):
        is_own = found.explicit or found.problem or not is_beside(found.path)
        source = found if is_own else replace(found, problem=DESCRIBES)
        if _is_divided(source):
            if choice.admits(source.path):
                collected.sources += _parts(library, source, choice, collected)
        elif source.problem or not is_archive(source.path) or not os.path.isfile(source.path):
            if source.problem or choice.admits(source.path):
                collected.sources.append(source)
        elif not choice.excludes(source.path):
            collected.sources += _members(library, source, choice, passwords, collected)
    return collected


def remove_gone(library: Library, knowledge_base: str, collected: Collected) -> list[int]:
    """Remove the documents that came from members which their archives no longer hold, and return them; blocking.

    To be done when the members were read: one that only has a new name keeps its document. A file that was one document
    and is divided now, or the other way round, leaves nothing behind either.
    """
    contents = dict(collected.contents)
    whole = {source.path for source in collected.sources if not source.problem and can_be_long(source.path)}
    if whole:
        contents |= {path: frozenset[str]() for path in whole & library.intake.divided(knowledge_base, is_part)}
    gone = [
        document.id
        for archive, names in contents.items()
        for document in library.intake.members(knowledge_base, archive)
        if document.path not in names
    ]
    if collected.divided:
        gone += [document.id for document, _ in library.intake.known(knowledge_base, collected.divided).values()]
    return library.documents.mark_removed(gone, Removal.WITH_FILE) if gone else []


def _is_divided(source: Source) -> bool:
    """Whether a file is read in parts: by its name and its size, so that nothing of it is read here."""
    if source.problem or not can_be_long(source.path):
        return False
    try:
        return is_long(source.path, stamp(source.path).size)
    except DocumentError:
        return False


def _parts(library: Library, source: Source, choice: Choice, collected: Collected) -> Iterator[Source]:
    try:
        parts = library.archives.members(source.path)
        collected.divided[source.path] = library.archives.division(source.path)
    except DocumentError as error:
        yield replace(source, problem=str(error), is_failure=True, can_pass=isinstance(error, PASSING))
        return
    collected.contents[source.path] = frozenset(str(part.path) for part in parts)
    for part in parts:
        if not choice.excludes(part.path):
            yield _source(library, source, part)


def _members(
    library: Library, source: Source, choice: Choice, passwords: Passwords, collected: Collected
) -> Iterator[Source]:
    try:
        members = library.archives.members(source.path, passwords)
    except DocumentError as error:
        yield replace(source, problem=str(error), is_failure=True, can_pass=isinstance(error, PASSING))
        return
    collected.contents[source.path] = frozenset(str(member.path) for member in members)
    wanted = [
        member for member in members if choice.admits(member.path) or (choice.include and choice.admits(source.path))
    ]
    if not members:
        yield replace(source, problem=_NOTHING)
    for member in wanted:
        yield _source(library, source, member)


def _source(library: Library, archive: Source, member: Member) -> Source:
    place = Path(archive.folder, member.path.relative_to(archive.path.parent)).parent.as_posix()
    found = Source(member.path, explicit=False, folder=place, stamp=member.stamp, origin=Origin.ARCHIVE)
    if member.problem:
        return replace(found, problem=member.problem, is_failure=True)
    return replace(found, problem=_refusal(library, member))


def _refusal(library: Library, member: Member) -> str:
    """Return why a member does not become a document, or nothing; one without an ending is unpacked for that."""
    if suffix_of(member.path):
        return refusal_by_name(member.path)
    try:
        with library.archives.opened(member.path) as file:
            return refusal(file, member.stamp)
    except DocumentError:
        return ""  # it is locked or damaged: reading it says so
