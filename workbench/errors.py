"""Exceptions that the workbench raises on purpose, with messages for the user.

WorkbenchError                   message describes what happened, hint what to do
├── DocumentError                one file could not be read; the others continue
│   ├── MissingFile              the path does not exist
│   ├── UnreadableFile           the system denied reading the file
│   ├── UnsupportedFormat        no parser for this file type
│   ├── EmptyDocument            the file contains no text
│   ├── DamagedDocument          the contents do not match the format
│   ├── EncryptedDocument        a password is needed, or the given one is wrong
│   ├── ParserCrashed            the parser process died
│   │   └── ParserKilled         the system, or another program, killed it
│   ├── ParserTimedOut           the parser process exceeded its time limit
│   ├── ParserOutOfMemory        the parser process exceeded its memory limit
│   ├── DocumentTooLarge         the extracted text or data exceeds the limit
│   ├── OcrUnavailable           the OCR engine is not installed
│   ├── LayoutUnavailable        the layout model is not installed
│   ├── AddressRefused           a web address that the program does not fetch
│   ├── PageNotFetched           a page could not be fetched from its server
│   │   └── NoSuchPage           the server does not have the page (any more)
│   └── QueryFailed              a database cannot be queried, or refused the query
├── LibraryError                 the library folder or its database
│   ├── LibraryLocked            another program has it open
│   ├── LibraryTooNew            written by a later version of this program
│   ├── LibraryOutdated          opened read-only, but it must first be updated by a program that can write it
│   ├── LibraryUnwritable        read-only, no permission, or not a folder
│   ├── DiskFull                 no disk space left
│   ├── LibraryMissing           the folder contains none, and none is to be created
│   ├── LibraryMoved             the folder was moved, removed or replaced while it was open
│   └── LibraryDamaged           the database fails its integrity check
├── EmbeddingError               the embedder cannot be loaded or failed
│   └── EmbedderUnreachable      its server is down, slow or busy: later it may succeed
├── IndexUnavailable             the vector index cannot be read or searched
│   └── StoreUnreachable         a vector database cannot be used now: not installed, down, or refuses the key
├── RerankingError               a reranker cannot be loaded or failed; the order of the search is kept
├── RetrievalError               a search failed (never shown as "nothing found")
│   └── RetrieverFailed          a custom retriever raised, was late, or cannot be called
├── PluginError                  a plug-in file cannot be read or does not exist
├── EvaluationError              golden questions cannot be read, or there is nothing to measure
├── ModelError                   the chat model's server
│   ├── ModelUnreachable         no connection, wrong address, not such a server
│   ├── ModelKeyRefused          401, or 403 because of the key
│   ├── ModelAccessDenied        403 for another reason: the country, the plan
│   ├── ModelNotFound            404: no such model, or no such endpoint
│   ├── ModelBusy                429 or a quota
│   ├── ModelRefusedRequest      400, 413 or 422; or a filter stopped it
│   │   └── ModelLacksTools      it cannot call tools, or its server does not let it
│   ├── ModelFailed              5xx, or an error inside the stream
│   │   └── LimitReached         an answer exceeded one of its limits
│   └── ModelStreamCut           the connection ended before the answer did
├── DownloadFailed               a model could not be downloaded from its hub
├── NetworkClosed                offline mode is on, and the request would have left the machine
├── ToolError                    a tool call failed; its text is passed to the model
├── ExportError                  a session could not be written, or read from a file
│   └── FileIsThere              a file would be replaced without permission
├── SettingError                 a setting's value is invalid
├── MetadataError                a document's field or tag is invalid
├── ChunkError                   a passage cannot be edited in that way
└── NotFound                     no such document, session, profile or knowledge base

Any other exception is a bug. Cancellation is an outcome and not in this hierarchy: asyncio.CancelledError is used.
"""


class WorkbenchError(Exception):
    """Error with a message for the user: what happened, and what to do about it.

    Attributes:
        message: One sentence that describes what happened.
        hint: One sentence that describes what to do; empty if there is nothing to do.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".rstrip()

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        # Parser processes send errors as pickles.
        return type(self), (self.message, self.hint)


class DocumentError(WorkbenchError):
    """A file could not be read."""


class MissingFile(DocumentError):
    """The path does not exist."""


class UnreadableFile(DocumentError):
    """The system denied reading the file."""


class UnsupportedFormat(DocumentError):
    """No parser exists for this file type."""


class EmptyDocument(DocumentError):
    """The file contains no text."""


class DamagedDocument(DocumentError):
    """The contents do not match the format."""


class EncryptedDocument(DocumentError):
    """A password is needed, or the given one is wrong."""


class ParserCrashed(DocumentError):
    """The parser process died."""


class ParserKilled(ParserCrashed):
    """The system, for lack of memory, or another program killed the parser process."""


class ParserTimedOut(DocumentError):
    """The parser process exceeded its time limit."""


class ParserOutOfMemory(DocumentError):
    """The parser process exceeded its memory limit."""


class DocumentTooLarge(DocumentError):
    """The extracted text or data exceeds the limit for one file."""


class OcrUnavailable(DocumentError):
    """The OCR engine is not installed, or lacks a language."""


class LayoutUnavailable(DocumentError):
    """The model that detects tables on pages is not installed."""


class AddressRefused(DocumentError):
    """A web address that the program does not fetch."""


class HostClosed(AddressRefused):
    """Offline mode blocked a host.

    For a page, hosts lists the hosts of its address and redirects, the last of which was blocked; for a database it
    lists all its servers, of which one or several were blocked.
    """

    def __init__(self, message: str, hint: str = "", hosts: tuple[str, ...] = ()) -> None:
        super().__init__(message, hint)
        self.hosts = hosts


class PageNotFetched(DocumentError):
    """A page could not be fetched from its server."""


class NoSuchPage(PageNotFetched):
    """The server does not have the page, or no longer has it."""


class QueryFailed(DocumentError):
    """A database cannot be queried, or refused the query."""


class LibraryError(WorkbenchError):
    """The library folder or its database."""


class LibraryLocked(LibraryError):
    """Another program has the library open."""


class LibraryTooNew(LibraryError):
    """The library was written by a later version."""


class LibraryOutdated(LibraryError):
    """A library opened read-only must first be created or updated by a program that can write it."""


class LibraryUnwritable(LibraryError):
    """The library's folder cannot be written."""


class DiskFull(LibraryError):
    """There is no disk space left."""


class LibraryMissing(LibraryError):
    """There is no library in the folder, and the caller does not want to create one."""


class ProgramReplaced(WorkbenchError):
    """Another version of the program was installed while this one runs, or the program was removed."""


class LibraryMoved(LibraryError):
    """The library's folder was moved, removed or replaced while it was open."""


class LibraryDamaged(LibraryError):
    """The database fails its integrity check."""


class SharedLibraryUnreachable(LibraryError):
    """A shared library cannot be used now: its server is down or slow, credentials refused, or offline mode is on."""


class SharedAccessDenied(LibraryError):
    """The user's name lacks the right to do this in a shared library."""


class EmbeddingError(WorkbenchError):
    """The embedder cannot be loaded, or failed."""


class EmbedderUnreachable(EmbeddingError):
    """The server of an embedder cannot be reached, is too slow, or limits requests: later it may succeed.

    Attributes:
        seconds: Seconds after which the server asks to try again; None if it does not say.
    """

    def __init__(self, message: str, hint: str = "", seconds: float | None = None) -> None:
        super().__init__(message, hint)
        self.seconds = seconds


class IndexUnavailable(WorkbenchError):
    """The vector index cannot be read or searched."""


class StoreUnreachable(IndexUnavailable):
    """A vector database cannot be used now: not installed, down, credentials refused, or offline mode is on.

    What it holds may be whole: it is not to be rebuilt.
    """


class RerankingError(WorkbenchError):
    """A reranker cannot be loaded, or failed; the order of the search is kept."""


class RetrievalError(WorkbenchError):
    """A search failed; it must never be treated as "nothing found"."""


class RetrieverFailed(RetrievalError):
    """A custom retriever raised an exception, was late, or cannot be called.

    Attributes:
        kind: Name of the exception's type, the only detail that is passed to a model.
    """

    def __init__(self, message: str, hint: str = "", kind: str = "RetrieverFailed") -> None:
        super().__init__(message, hint)
        self.kind = kind


class PluginError(WorkbenchError):
    """A plug-in file cannot be read, or does not exist."""


class EvaluationError(WorkbenchError):
    """Golden questions cannot be read, or there is nothing to measure."""


class ModelError(WorkbenchError):
    """The chat model's server failed."""


class ModelUnreachable(ModelError):
    """No connection to the server, or it is not such a server."""


class ModelKeyRefused(ModelError):
    """The server refused the key."""


class ModelAccessDenied(ModelError):
    """The server denies access to this account or from this location; the key is valid."""


class ModelNotFound(ModelError):
    """The server has no such model or endpoint."""


class ModelBusy(ModelError):
    """The server is rate limiting, or a quota is used up."""


class ModelRefusedRequest(ModelError):
    """The server refused the request itself."""


class ModelLacksTools(ModelRefusedRequest):
    """The model cannot call tools, or its server does not let it."""


class ModelFailed(ModelError):
    """The server failed."""


class LimitReached(ModelFailed):
    """An answer exceeded one of its limits; limit names which, as in model.run.Limit."""

    def __init__(self, message: str, hint: str = "", limit: str = "") -> None:
        super().__init__(message, hint)
        self.limit = limit


class ModelStreamCut(ModelError):
    """The connection ended before the answer did."""


class DownloadFailed(WorkbenchError):
    """A model could not be downloaded from its hub, or packages not from their index."""


class NetworkClosed(WorkbenchError):
    """Offline mode is on, and the request would have left this machine; nothing was sent."""


class ToolError(WorkbenchError):
    """A tool call failed; the text is passed to the model."""


class ExportError(WorkbenchError):
    """A session could not be exported, or imported."""


class FileIsThere(ExportError):
    """A file would be replaced without permission."""


class SettingError(WorkbenchError):
    """A setting's value is not allowed."""


class MetadataError(WorkbenchError):
    """A document's field or tag is invalid."""


class ChunkError(WorkbenchError):
    """A passage cannot be edited in that way."""


class NotFound(WorkbenchError):
    """No such document, session, profile or knowledge base."""


PASSING = (MissingFile, UnreadableFile, ParserKilled)
"""Errors that may go away without a change of the file, so that it can be read later."""
