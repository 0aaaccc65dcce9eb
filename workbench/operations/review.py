"""What a drop holds before anything is added: files of which kind, what cannot be read, what is there already."""

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from workbench.errors import DocumentError
from workbench.model.import_progress import Duplicate, FileKind, Review, ReviewProgress
from workbench.operations.archives import is_archive
from workbench.operations.file_kinds import refusal, refusal_by_name
from workbench.operations.library import Library
from workbench.operations.sources import LINKED_FILE, Source, digest, find_sources, stamp
from workbench.parsing.registry import suffix_of
from workbench.store.intake import Stamp
from workbench.worker.job import JobContext, Operation

PIECE = 500
"""Files looked at in one go, 10 ms: a cancel comes between two."""


@dataclass(slots=True)
class _Found:
    """What was seen so far."""

    files: dict[Path, Stamp] = field(default_factory=dict)
    unsupported: dict[Path, Stamp] = field(default_factory=dict)
    unreadable: list[str] = field(default_factory=list)
    links: int = 0

    @property
    def count(self) -> int:
        return len(self.files) + len(self.unsupported) + len(self.unreadable) + self.links

    def add(self, source: Source) -> None:
        if source.problem:
            # Hidden files and links are passed over without a word; what is damaged is named.
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
        kinds, unsupported = _kinds(self.files), _kinds(self.unsupported)
        return Review(len(self.files), size, kinds, unsupported, tuple(self.unreadable), tuple(duplicates), self.links)


def review(library: Library, paths: Sequence[Path], *, knowledge_base: str = "default") -> Operation[Review]:
    """Look at files and folders without adding anything.

    Emits ReviewProgress. Duplicates are looked for in a big drop only: sizes first, then the content of files that have
    a size in common with another file, or with a document of the knowledge base.
    """

    async def operation(context: JobContext) -> Review:
        found = _Found()
        settings = await library.on_store(library.setting_values.load)
        sources = find_sources(paths, follow_links=settings.follow_links == "yes")
        while await library.on_store(_look, found, sources):
            context.emit(ReviewProgress(found.count))
        if not found.review().is_big:
            return found.review()
        duplicates: list[Duplicate] = []
        comparison = await library.on_store(_Comparison, library, knowledge_base, found.files)
        for number, path in enumerate(comparison.candidates):
            duplicate = await library.on_store(comparison.compare, path)
            duplicates += [duplicate] if duplicate else []
            if number % 10 == 0:
                context.emit(ReviewProgress(found.count, number, len(comparison.candidates)))
        return found.review(comparison.unchanged + duplicates)

    return operation


def _may_be_read(path: Path) -> bool:
    """Whether a document may be behind a link; its target is not looked at."""
    return is_archive(path) or not refusal_by_name(path)


def _is_wanted(source: Source, found: Stamp) -> bool:
    # A file without an ending that was named itself may be anything: reading it will tell.
    return (source.explicit and not suffix_of(source.path)) or not refusal(source.path, found)


def _look(found: _Found, sources: Iterator[Source]) -> bool:
    """Take the next few files in; False when there are no more."""
    piece = list(itertools.islice(sources, PIECE))
    for source in piece:
        found.add(source)
    return bool(piece)


class _Comparison:
    """Which files of a drop hold the same as others; blocking."""

    def __init__(self, library: Library, knowledge_base: str, files: dict[Path, Stamp]) -> None:
        self.unchanged: list[Duplicate] = []
        is_there = knowledge_base in library.documents.knowledge_bases()
        self._held = library.intake.hashes_by_size(knowledge_base) if is_there else {}
        known = library.intake.known(knowledge_base, files) if is_there else {}
        self._seen: dict[str, str] = {}
        self._files = files
        by_size: defaultdict[int, list[Path]] = defaultdict(list)
        for path, found in files.items():
            if path in known and known[path][1] == found:
                # Its size and time are as the library noted them: it need not be read.
                self.unchanged.append(Duplicate(str(path), known[path][0].name, in_library=True))
            else:
                by_size[found.size].append(path)
        self.candidates = [
            path for size, paths in by_size.items() if len(paths) > 1 or size in self._held for path in paths
        ]

    def compare(self, path: Path) -> Duplicate | None:
        """Hash a file and return what it is a duplicate of, if it is one."""
        try:
            sha256 = digest(path).sha256
        except DocumentError:
            return None
        held = self._held.get(self._files[path].size, {})
        if sha256 in held:
            return Duplicate(str(path), held[sha256], in_library=True)
        first = self._seen.setdefault(sha256, str(path))
        return Duplicate(str(path), Path(first).name, in_library=False) if first != str(path) else None


def _kinds(files: dict[Path, Stamp]) -> tuple[FileKind, ...]:
    numbers = Counter(suffix_of(path) for path in files)
    sizes: Counter[str] = Counter()
    for path, found in files.items():
        sizes[suffix_of(path)] += found.size
    return tuple(FileKind(ending, number, sizes[ending]) for ending, number in numbers.most_common())
