"""What a script adds: files, web pages, articles, a text, a database query, each by the operation of its kind."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from workbench import operations
from workbench.model.custom_metadata import checked_metadata
from workbench.model.metadata import checked_tags
from workbench.model.options import texts_of
from workbench.model.progress import FileFinished, FileOutcome
from workbench.model.web_address import WEB, scheme_of
from workbench.worker.job import JobContext

Paths = str | Path | Iterable[str | Path]
"""One path or web address, or several."""

Texts = str | Iterable[str]
"""One text, or several."""


@dataclass(frozen=True, slots=True)
class Sources:
    """What is to be added, checked: at least one thing, and a name only where there is one thing to be named.

    Attributes:
        name: What a text or a query is called, or the title of the one file, page or article.
        reading: How files are read, as the options of operations.add_documents.
        metadata: Given to everything that was added.
    """

    paths: tuple[Path, ...]
    urls: tuple[str, ...]
    topics: tuple[str, ...]
    texts: tuple[str, ...]
    query: str
    database: str
    name: str
    tags: tuple[str, ...]
    run_scripts: bool
    allow_hosts: tuple[str, ...]
    reading: Mapping[str, Any]
    metadata: Mapping[str, Any]

    def __post_init__(self) -> None:
        checked_metadata(self.metadata)
        several = [*self.paths, *self.urls, *self.topics, *self.texts, *([self.query] if self.query else [])]
        if not several:
            raise ValueError("There is nothing to add. Give paths, urls, topics, a text, or a query with its database.")
        if bool(self.query) != bool(self.database):
            raise ValueError("A query needs its database, and a database its query: give both.")
        if self.name and (len(several) > 1 or any(path.is_dir() for path in self.paths)):
            raise ValueError("Only one file, page, article, text or query can be given a name. Add them one by one.")

    @property
    def has_own_title(self) -> bool:
        """Whether the name takes the place of a title that is read from the source."""
        return bool(self.name and (self.paths or self.urls or self.topics))


def reading_of(
    include: Texts,
    exclude: Texts,
    password: str | None,
    remember_password: bool,
    follow_links: bool | None,
    check_contents: bool,
) -> dict[str, Any]:
    """Return how files are read, as the options of operations.add_documents; raises as sources_of does."""
    return {
        "include": texts_of("include", include),
        "exclude": texts_of("exclude", exclude),
        "password": password,
        "remember_password": remember_password,
        "follow_links": follow_links,
        "check_contents": check_contents,
    }


def sources_of(
    paths: Paths, urls: Texts, topics: Texts, texts: Texts, tags: Texts, *, reading: Mapping[str, Any], **more: Any
) -> Sources:
    """Return what is to be added; an address among the paths is a page.

    Raises:
        ValueError: There is nothing to add, or a name for several things.
        TypeError: A path or a text is something else.
        MetadataError: A tag is blank or too long.
    """
    given = _several(paths)
    pages = [str(one) for one in given if isinstance(one, str) and scheme_of(one) in WEB]
    return Sources(
        tuple(Path(one) for one in given if not (isinstance(one, str) and scheme_of(one) in WEB)),
        (*pages, *texts_of("urls", urls)),
        texts_of("topics", topics),
        texts_of("text", texts),
        tags=checked_tags(texts_of("tags", tags)),
        reading=reading,
        **more,
    )


async def add(
    opened: operations.Library, sources: Sources, knowledge_base: str, context: JobContext
) -> list[FileFinished]:
    """Add everything, and return how each file, page, article, text and query ended."""
    base = knowledge_base
    files: list[FileFinished] = []
    if sources.paths:
        files += await operations.add_documents(opened, sources.paths, knowledge_base=base, **sources.reading)(context)
    if sources.urls:
        add_urls = operations.add_urls(
            opened,
            sources.urls,
            knowledge_base=base,
            run_scripts=sources.run_scripts,
            allow_hosts=sources.allow_hosts,
        )
        files += await add_urls(context)
    if sources.topics:
        add_topics = operations.add_topics(opened, sources.topics, knowledge_base=base, allow_hosts=sources.allow_hosts)
        files += await add_topics(context)
    for text in sources.texts:
        files += await operations.add_note(opened, text, title=sources.name, knowledge_base=base)(context)
    if sources.query:
        add_query = operations.add_query(
            opened,
            sources.database,
            sources.query,
            title=sources.name,
            knowledge_base=base,
            allow_hosts=sources.allow_hosts,
        )
        files += await add_query(context)
    added = [file.document for file in files if file.document is not None]
    if sources.has_own_title:
        read = [file.document for file in files if file.outcome in (FileOutcome.READY, FileOutcome.UNCHANGED)]
        for document in filter(None, read):
            await operations.edit_metadata(opened, document, {"title": sources.name})(context)
    if sources.metadata and added:
        await operations.give_metadata(opened, added, sources.metadata)(context)
    if sources.tags:
        await operations.tag_documents(opened, added, add=sources.tags)(context)
    return files


def _several(paths: Any) -> list[str | Path]:
    is_one = isinstance(paths, str | PathLike) or not isinstance(paths, Iterable)
    several: list[str | Path] = [paths] if is_one else list(paths)
    for one in several:
        if not isinstance(one, str | PathLike) or not str(one):
            raise TypeError(f"'paths' takes a path or several, not {one!r}.")
    return several
