"""Path expansion: turns files, folders, archives and long files into the files to add, with file patterns.

Also creates the preview of the files in a drop.
"""

import fnmatch
import itertools
import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from workbench.errors import PASSING, DocumentError
from workbench.language import mark
from workbench.model.document import Origin
from workbench.model.import_progress import Duplicate, FileKind, Review, ReviewProgress
from workbench.model.knowledge_base import Removal
from workbench.operations.documents.file_metadata import DESCRIBES, is_sidecar
from workbench.operations.imports.archives import Member, Passwords, is_archive
from workbench.operations.imports.source_files import (
    LINKED_FILE,
    SourceFile,
    digest,
    find_sources,
    refusal,
    refusal_by_name,
    stamp,
)
from workbench.operations.library.library import Library
from workbench.parsing.long_files import can_be_long, is_long, is_part
from workbench.parsing.parser_registry import suffix_of
from workbench.store.intake import FileStamp
from workbench.worker.job import JobContext, Operation


@dataclass(frozen=True, slots=True)
class PathPatterns:
    """Shell patterns: a file must match one of include, if there are any, and none of exclude.

    A pattern without a slash is matched with the file name ("*.pdf"), one with a slash with the path: the whole path,
    or its end from any folder on ("/home/ann/*", "2024/*.pdf"). Case is ignored. Links to files are left out unless
    follow_links is set; a link that the user named is always followed.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    follow_links: bool = False

    def admits(self, path: Path) -> bool:
        """Return True if a file is included and not excluded."""
        return (not self.include or _matches(path, self.include)) and not self.excludes(path)

    def excludes(self, path: Path) -> bool:
        """Return True if a file, or an archive with all its members, is excluded."""
        return _matches(path, self.exclude)


EVERYTHING = PathPatterns()


def _matches(path: Path, patterns: Sequence[str]) -> bool:
    name, place = path.name.lower(), path.as_posix().lower()
    return any(_matches_pattern(name if "/" not in pattern else place, pattern.lower()) for pattern in patterns)


def _matches_pattern(text: str, pattern: str) -> bool:
    if "/" in pattern and not pattern.startswith("/"):
        pattern = "*/" + pattern.removeprefix("**/")
    return fnmatch.fnmatchcase(text, pattern)


_NOTHING = mark("There is no file in the archive that could be added.")


@dataclass(slots=True)
class ExpandedPaths:
    """Result of a path expansion.

    Attributes:
        sources: The files in their order; those that cannot be added have a problem.
        contents: Each archive that was opened, and each long file, with the paths of all its members or parts.
        divided: Each long file, with the sentence that describes to the user how it is divided.
    """

    sources: list[SourceFile] = field(default_factory=list)
    contents: dict[Path, frozenset[str]] = field(default_factory=dict)
    divided: dict[Path, str] = field(default_factory=dict)


def collect(
    library: Library,
    paths: Sequence[Path],
    choice: PathPatterns = EVERYTHING,
    passwords: Passwords = tuple,
    found_in: Sequence[Path] = (),
) -> ExpandedPaths:
    """Return the files in the given paths, in a fixed order; blocking. Archives are listed, not unpacked.

    Paths below the folders in found_in were found there, and not named by the user.
    """
    collected = ExpandedPaths()
    for found in find_sources(paths, follow_links=choice.follow_links, found_in=found_in):
        is_own = found.explicit or found.problem or not is_sidecar(found.path)
        source = found if is_own else replace(found, problem=DESCRIBES)
        if _is_divided(source):
            if choice.admits(source.path):
                collected.sources += _list_parts(library, source, choice, collected)
        elif source.problem or not is_archive(source.path) or not os.path.isfile(source.path):
            if source.problem or choice.admits(source.path):
                collected.sources.append(source)
        elif not choice.excludes(source.path):
            collected.sources += _list_members(library, source, choice, passwords, collected)
    return collected


def remove_gone(library: Library, knowledge_base: str, collected: ExpandedPaths) -> list[int]:
    """Remove the documents of members that are no longer in their archives, and return their ids; blocking.

    Call it after the members were read, so that a member with only a new name keeps its document. If a file that was
    one document is divided now, or the reverse, its old documents are removed too.
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


def _is_divided(source: SourceFile) -> bool:
    """Return True if a file is read in parts, judged by its name and size; the file is not opened."""
    if source.problem or not can_be_long(source.path):
        return False
    try:
        return is_long(source.path, stamp(source.path).size)
    except DocumentError:
        return False


def _list_parts(
    library: Library, source: SourceFile, choice: PathPatterns, collected: ExpandedPaths
) -> Iterator[SourceFile]:
    try:
        parts = library.archives.members(source.path)
        collected.divided[source.path] = library.archives.division(source.path)
    except DocumentError as error:
        yield replace(source, problem=str(error), is_failure=True, can_pass=isinstance(error, PASSING))
        return
    collected.contents[source.path] = frozenset(str(part.path) for part in parts)
    for part in parts:
        if not choice.excludes(part.path):
            yield _make_source(library, source, part)


def _list_members(
    library: Library, source: SourceFile, choice: PathPatterns, passwords: Passwords, collected: ExpandedPaths
) -> Iterator[SourceFile]:
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
        yield _make_source(library, source, member)


def _make_source(library: Library, archive: SourceFile, member: Member) -> SourceFile:
    place = Path(archive.folder, member.path.relative_to(archive.path.parent)).parent.as_posix()
    found = SourceFile(member.path, explicit=False, folder=place, stamp=member.stamp, origin=Origin.ARCHIVE)
    if member.problem:
        return replace(found, problem=member.problem, is_failure=True)
    return replace(found, problem=_refusal(library, member))


def _refusal(library: Library, member: Member) -> str:
    """Return why a member does not become a document, or an empty string; one without a suffix is unpacked for that."""
    if suffix_of(member.path):
        return refusal_by_name(member.path)
    try:
        with library.archives.opened(member.path) as file:
            return refusal(file, member.stamp)
    except DocumentError:
        return ""  # it is encrypted or damaged; reading it will report that


PIECE = 500
"""Files examined in one call, which takes 10 ms; a cancel takes effect between two calls."""


@dataclass(slots=True)
class _Preview:
    """Files found so far by a preview."""

    files: dict[Path, FileStamp] = field(default_factory=dict)
    unsupported: dict[Path, FileStamp] = field(default_factory=dict)
    unreadable: list[str] = field(default_factory=list)
    links: int = 0

    @property
    def count(self) -> int:
        return len(self.files) + len(self.unsupported) + len(self.unreadable) + self.links

    def add(self, source: SourceFile) -> None:
        if source.problem:
            # Hidden files are skipped silently and links only counted; damaged files are listed.
            self.unreadable += [str(source.path)] if source.is_failure else []
            self.links += source.problem == LINKED_FILE and _may_be_read(source.path)
            return
        try:
            found = stamp(source.path)
            can_read = is_archive(source.path) or _is_wanted(source, found)
        except DocumentError:
            self.unreadable.append(str(source.path))
            return
        (self.files if can_read else self.unsupported)[source.path] = found

    def review(self, duplicates: Sequence[Duplicate] = ()) -> Review:
        size = sum(one.size for one in self.files.values())
        kinds, unsupported = _count_kinds(self.files), _count_kinds(self.unsupported)
        return Review(len(self.files), size, kinds, unsupported, tuple(self.unreadable), tuple(duplicates), self.links)


def review(library: Library, paths: Sequence[Path], *, knowledge_base: str = "default") -> Operation[Review]:
    """Examine files and folders without adding anything.

    Emits ReviewProgress. Duplicates are searched for in a big drop only: the sizes are compared first, then the content
    of files that have the same size as another file or a document of the knowledge base.
    """

    async def operation(context: JobContext) -> Review:
        found = _Preview()
        settings = await library.on_store(library.setting_values.load)
        sources = find_sources(paths, follow_links=settings.follow_links == "yes")
        while await library.on_store(_add_next, found, sources):
            context.emit(ReviewProgress(found.count))
        if not found.review().is_big:
            return found.review()
        duplicates: list[Duplicate] = []
        comparison = await library.on_store(_DuplicateSearch, library, knowledge_base, found.files)
        for number, path in enumerate(comparison.candidates):
            duplicate = await library.on_store(comparison.compare, path)
            duplicates += [duplicate] if duplicate else []
            if number % 10 == 0:
                context.emit(ReviewProgress(found.count, number, len(comparison.candidates)))
        return found.review(comparison.unchanged + duplicates)

    return operation


def _may_be_read(path: Path) -> bool:
    """Return True if the name of a link may lead to a document; its target is not examined."""
    return is_archive(path) or not refusal_by_name(path)


def _is_wanted(source: SourceFile, found: FileStamp) -> bool:
    # A file without a suffix that the user named may have any format; only the parser can decide.
    return (source.explicit and not suffix_of(source.path)) or not refusal(source.path, found)


def _add_next(found: _Preview, sources: Iterator[SourceFile]) -> bool:
    """Add the next files to the preview; return False if there are no more."""
    piece = list(itertools.islice(sources, PIECE))
    for source in piece:
        found.add(source)
    return bool(piece)


class _DuplicateSearch:
    """Search for files of a drop that have the same content as others; blocking."""

    def __init__(self, library: Library, knowledge_base: str, files: dict[Path, FileStamp]) -> None:
        self.unchanged: list[Duplicate] = []
        is_there = knowledge_base in library.documents.knowledge_bases()
        self._held = library.intake.hashes_by_size(knowledge_base) if is_there else {}
        known = library.intake.known(knowledge_base, files) if is_there else {}
        self._seen: dict[str, str] = {}
        self._files = files
        by_size: defaultdict[int, list[Path]] = defaultdict(list)
        for path, found in files.items():
            if path in known and known[path][1] == found:
                # Its size and time are those stored in the library, so it need not be read.
                self.unchanged.append(Duplicate(str(path), known[path][0].name, in_library=True))
            else:
                by_size[found.size].append(path)
        self.candidates = [
            path for size, paths in by_size.items() if len(paths) > 1 or size in self._held for path in paths
        ]

    def compare(self, path: Path) -> Duplicate | None:
        """Hash a file and return the duplicate, or None if it is not one."""
        try:
            sha256 = digest(path).sha256
        except DocumentError:
            return None
        held = self._held.get(self._files[path].size, {})
        if sha256 in held:
            return Duplicate(str(path), held[sha256], in_library=True)
        first = self._seen.setdefault(sha256, str(path))
        return Duplicate(str(path), Path(first).name, in_library=False) if first != str(path) else None


def _count_kinds(files: dict[Path, FileStamp]) -> tuple[FileKind, ...]:
    numbers = Counter(suffix_of(path) for path in files)
    sizes: Counter[str] = Counter()
    for path, found in files.items():
        sizes[suffix_of(path)] += found.size
    return tuple(FileKind(ending, number, sizes[ending]) for ending, number in numbers.most_common())
