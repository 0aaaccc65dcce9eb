"""Every error the workbench raises on purpose, fit to be shown to a person.

WorkbenchError                   message says what happened, hint says what to do
├── DocumentError                one file could not be read; the others go on
│   ├── MissingFile              nothing is at that path
│   ├── UnreadableFile           the system refused to let us read it
│   ├── UnsupportedFormat        no parser for this kind of file
│   ├── EmptyDocument            no text came out of it
│   ├── DamagedDocument          the bytes are not what the format promises
│   ├── EncryptedDocument        a password is needed, or the one given is wrong
│   ├── ParserCrashed            the parser process died
│   │   └── ParserKilled         the system, or another program, ended it
│   ├── ParserTimedOut           the parser process took longer than the limit
│   ├── ParserOutOfMemory        the parser process wanted more memory than the limit
│   ├── DocumentTooLarge         more text or data comes out of the file than one may come to
│   ├── OcrUnavailable           the engine that reads pictures is not installed
│   ├── LayoutUnavailable        the layout model is not installed
│   ├── AddressRefused           a web address that we do not go to
│   ├── PageNotFetched           a page could not be had from its server
│   │   └── NoSuchPage           the server has no such page (any more)
│   └── QueryFailed              a database cannot be asked, or refused the query
├── LibraryError                 the library folder or its database
│   ├── LibraryLocked            another program has it open
│   ├── LibraryTooNew            written by a later version of this program
│   ├── LibraryOutdated          to be read only, and it has to be brought up to date by one who may write
│   ├── LibraryUnwritable        read-only, no permission, or not a folder
│   ├── DiskFull                 no room to write
│   ├── LibraryMissing           there is none in the folder, and none is to be made
│   ├── LibraryMoved             the folder was moved, removed or replaced while it was open
│   └── LibraryDamaged           the database fails its integrity check
├── EmbeddingError               the embedder cannot be loaded or failed
├── IndexUnavailable             the vector index cannot be read or searched
│   └── StoreUnreachable         a vector database cannot be used now: not installed, down, or refuses the key
├── RerankingError               a reranker cannot be loaded or failed; the search's order stays
├── RetrievalError               a search failed (never shown as "nothing found")
│   └── RetrieverFailed          a custom retriever raised, was late, or cannot be asked
├── PluginError                  a plug-in file cannot be read or is not there
├── EvaluationError              golden questions cannot be read, or there is nothing to measure
├── ModelError                   the chat model's server
│   ├── ModelUnreachable         no connection, wrong address, not such a server
│   ├── ModelKeyRefused          401, or 403 for the key's sake
│   ├── ModelAccessDenied        403 for another reason: the country, the plan
│   ├── ModelNotFound            404: no such model, or no such endpoint
│   ├── ModelBusy                429 or a quota
│   ├── ModelRefusedRequest      400, 413 or 422; or a filter stopped it
│   │   └── ModelLacksTools      it cannot call tools, or its server does not let it
│   ├── ModelFailed              5xx, or an error inside the stream
│   │   └── LimitReached         an answer needed more than one may take
│   └── ModelStreamCut           the connection ended before the answer did
├── DownloadFailed               a model could not be had from its hub
├── NetworkClosed                the air gap is on, and this would have left the machine
├── ToolError                    a tool call failed; its text goes to the model
├── ExportError                  a session could not be written, or read from a file
│   └── FileIsThere              a file would be replaced, and nobody has allowed it
├── SettingError                 a setting's value is out of bounds
├── MetadataError                a document's field or tag cannot be that
├── ChunkError                   a passage cannot be changed like that
└── NotFound                     no such document, session, profile or knowledge base

Anything else that is raised is a bug. Cancelling is an outcome and not in this tree: asyncio.CancelledError is used.
"""


class WorkbenchError(Exception):
    """An error that is fit to be shown: what happened, and what to do about it.

    Attributes:
        message: One sentence, what happened.
        hint: One sentence, what to do; empty when there is nothing to do.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".rstrip()

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        # Errors cross from the parser processes by pickle.
        return type(self), (self.message, self.hint)


class DocumentError(WorkbenchError):
    """One file could not be read."""


class MissingFile(DocumentError):
    """Nothing is at that path."""


class UnreadableFile(DocumentError):
    """The system refused to let us read the file."""


class UnsupportedFormat(DocumentError):
    """No parser exists for this kind of file."""


class EmptyDocument(DocumentError):
    """The file holds no text."""


class DamagedDocument(DocumentError):
    """The bytes are not what the format promises."""


class EncryptedDocument(DocumentError):
    """A password is needed, or the one given is wrong."""


class ParserCrashed(DocumentError):
    """The parser process died."""


class ParserKilled(ParserCrashed):
    """The system, for want of memory, or another program ended the parser process."""


class ParserTimedOut(DocumentError):
    """The parser process took longer than its limit."""


class ParserOutOfMemory(DocumentError):
    """The parser process wanted more memory than its limit."""


class DocumentTooLarge(DocumentError):
    """More text or data comes out of the file than one file may come to."""


class OcrUnavailable(DocumentError):
    """The engine that reads pictures is not installed, or lacks a language."""


class LayoutUnavailable(DocumentError):
    """The model that finds tables on pages is not installed."""


class AddressRefused(DocumentError):
    """A web address that we do not go to."""


class HostClosed(AddressRefused):
    """The air gap is on; hosts are those that an address led to, the last of which was not asked.

    Of a database all its servers, one or several of which were not.
    """

    def __init__(self, message: str, hint: str = "", hosts: tuple[str, ...] = ()) -> None:
        super().__init__(message, hint)
        self.hosts = hosts


class PageNotFetched(DocumentError):
    """A page could not be had from its server."""


class NoSuchPage(PageNotFetched):
    """The server has no such page, or has it no more."""


class QueryFailed(DocumentError):
    """A database cannot be asked, or refused the query."""


class LibraryError(WorkbenchError):
    """The library folder or its database."""


class LibraryLocked(LibraryError):
    """Another program has the library open."""


class LibraryTooNew(LibraryError):
    """The library was written by a later version."""


class LibraryOutdated(LibraryError):
    """It is opened to read only, and a program that may write it has to make it or bring it up to date first."""


class LibraryUnwritable(LibraryError):
    """The library's place cannot be written."""


class DiskFull(LibraryError):
    """There is no room left to write."""


class LibraryMissing(LibraryError):
    """There is no library in the folder, and whoever opens it does not want to make one."""


class LibraryMoved(LibraryError):
    """The library's folder was moved, removed or replaced while it was open."""


class LibraryDamaged(LibraryError):
    """The database fails its integrity check."""


class EmbeddingError(WorkbenchError):
    """The embedder cannot be loaded, or failed."""


class IndexUnavailable(WorkbenchError):
    """The vector index cannot be read or searched."""


class StoreUnreachable(IndexUnavailable):
    """A vector database cannot be used now: not installed, down, credentials refused, or the air gap is on.

    What it holds may be whole: it is not to be rebuilt.
    """


class RerankingError(WorkbenchError):
    """A reranker cannot be loaded, or failed; the search's own order stays."""


class RetrievalError(WorkbenchError):
    """A search failed; never to be taken for "nothing found"."""


class RetrieverFailed(RetrievalError):
    """A custom retriever raised something, was late, or cannot be asked.

    Attributes:
        kind: The name of the type of what it raised: all of it that a model is told.
    """

    def __init__(self, message: str, hint: str = "", kind: str = "RetrieverFailed") -> None:
        super().__init__(message, hint)
        self.kind = kind


class PluginError(WorkbenchError):
    """A plug-in file cannot be read, or is not there."""


class EvaluationError(WorkbenchError):
    """Golden questions cannot be read, or there is nothing to measure."""


class ModelError(WorkbenchError):
    """The chat model's server failed us."""


class ModelUnreachable(ModelError):
    """No connection to the server, or it is not such a server."""


class ModelKeyRefused(ModelError):
    """The server refused the key."""


class ModelAccessDenied(ModelError):
    """The server serves others, but not this account, or not from here; the key is not what is wrong."""


class ModelNotFound(ModelError):
    """The server knows no such model or endpoint."""


class ModelBusy(ModelError):
    """The server is limiting us, or a quota is used up."""


class ModelRefusedRequest(ModelError):
    """The server refused the request itself."""


class ModelLacksTools(ModelRefusedRequest):
    """The model cannot call tools, or its server does not let it."""


class ModelFailed(ModelError):
    """The server failed."""


class LimitReached(ModelFailed):
    """An answer needed more than one may take; limit names what, as model.limits.Limit does."""

    def __init__(self, message: str, hint: str = "", limit: str = "") -> None:
        super().__init__(message, hint)
        self.limit = limit


class ModelStreamCut(ModelError):
    """The connection ended before the answer did."""


class DownloadFailed(WorkbenchError):
    """A model could not be had from its hub."""


class NetworkClosed(WorkbenchError):
    """The air gap is on, and what was asked for would have left this machine; nothing was sent."""


class ToolError(WorkbenchError):
    """A tool call failed; the text goes back to the model."""


class ExportError(WorkbenchError):
    """A session could not be exported, or imported."""


class FileIsThere(ExportError):
    """A file would be replaced, and nobody has allowed it."""


class SettingError(WorkbenchError):
    """A setting's value is not allowed."""


class MetadataError(WorkbenchError):
    """A document's field or tag cannot have that value."""


class ChunkError(WorkbenchError):
    """A passage cannot be changed like that."""


class NotFound(WorkbenchError):
    """No such document, session, profile or knowledge base."""


PASSING = (MissingFile, UnreadableFile, ParserKilled)
"""Why a file could not be read that may be read later, although it did not change."""
