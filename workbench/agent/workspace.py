"""Workspaces: reader of an Agent Gateway folder of agents, the problems in it, and its agents for this program."""

import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench.errors import DamagedDocument, NotFound
from workbench.language import mark
from workbench.model.agent import (
    Agent,
    ContextFile,
    GatewaySettings,
    ProblemGravity,
    ReferencesPlace,
    Workspace,
    WorkspaceAgent,
    WorkspaceProblem,
)
from workbench.model.message import PromptSection
from workbench.parsing.encoding import read_text
from workbench.parsing.front_matter import BrokenYaml, as_text, yaml_values

MOST_BYTES = 4_000_000
"""Maximum number of bytes read from a file: four for each character of the longest file that is sent whole."""


class WorkspaceFiles:
    """Reads text files inside one folder, and collects the problems.

    Paths that contain a symbolic link are not read, because a link may lead out of the folder, or be changed after a
    check.

    Attributes:
        root: The resolved folder.
        problems: Problems found so far.
    """

    def __init__(self, folder: Path) -> None:
        self.root = folder.resolve()
        self.problems: list[WorkspaceProblem] = []

    def report(self, message: str, agent: str = "", path: str = "", *, is_error: bool = False) -> None:
        """Add a problem."""
        gravity = ProblemGravity.ERROR if is_error else ProblemGravity.WARNING
        self.problems.append(WorkspaceProblem(message, agent, path, gravity))

    def name(self, path: Path) -> str:
        """Return a path relative to the workspace; unchanged if it is outside."""
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else str(path)

    def holds(self, path: Path) -> bool:
        """Return whether an existing path is inside the workspace, and no part of it below the workspace is a link."""
        plain = Path(os.path.normpath(path))
        return plain.is_relative_to(self.root) and plain.resolve() == plain

    def text(self, path: Path, agent: str = "") -> str | None:
        """Return the text of a file; None if it does not exist, may not be read, or cannot be read as text."""
        if not path.is_file():
            return None
        name = self.name(path)
        if not self.holds(path):
            self.report(mark("It is a link, or reached through one, and was not read."), agent, name, is_error=True)
            return None
        try:
            with path.open("rb") as file:
                return read_text(file.read(MOST_BYTES)).text.lstrip("\ufeff").replace("\r\n", "\n")
        except OSError as error:
            self.report(mark(f"It cannot be read: {error.strerror}."), agent, name)
        except DamagedDocument:
            self.report(mark("It does not hold text, and was left out."), agent, name)
        return None


@dataclass(frozen=True, slots=True)
class ContextLimits:
    """Maximum number of characters from each context file, and from all files of an agent together."""

    file: int = 100_000
    total: int = 400_000


def context_files(fence: WorkspaceFiles, folder: Path, named: Any, limits: ContextLimits) -> tuple[ContextFile, ...]:
    """Return the context files of an agent, each once, those of its folder first.

    Args:
        fence: Reader of the workspace; collects the problems.
        folder: The agent's folder.
        named: Value of “context” in the front matter.
        limits: Maximum lengths.
    """
    agent = folder.name
    found: dict[Path, str] = {}
    for path in (*_folder_paths(fence, folder), *_named_paths(fence, folder, named)):
        if path not in found and (text := fence.text(path, agent)) is not None:
            found[path] = text
    files: list[ContextFile] = []
    left = limits.total
    for path, text in found.items():
        kept = text[: min(limits.file, left)]
        left -= len(kept)
        files.append(ContextFile(fence.name(path), kept, len(text)))
        if files[-1].is_cut:
            warning = mark(f"Only the first {len(kept):,} of its {len(text):,} characters are in the prompt.")
            fence.report(warning, agent, fence.name(path))
    return tuple(files)


def _folder_paths(fence: WorkspaceFiles, folder: Path) -> list[Path]:
    context = folder / "context"
    if not context.is_dir():
        return []
    if not fence.holds(context):
        fence.report(
            mark("The context folder is a link and was not read."), folder.name, fence.name(context), is_error=True
        )
        return []
    paths = sorted(path for path in context.iterdir() if path.suffix == ".md" and (path.is_file() or path.is_symlink()))
    for path in (path for path in paths if path.is_symlink()):
        fence.report(mark("It is a link and was not read."), folder.name, fence.name(path))
    return [path for path in paths if not path.is_symlink()]


def _named_paths(fence: WorkspaceFiles, folder: Path, named: Any) -> Iterator[Path]:
    if named is None:
        return
    if not isinstance(named, list):
        fence.report(mark("“context” must be a list of paths; it was ignored."), folder.name)
        return
    for one in named:
        if not isinstance(one, str):
            fence.report(mark("“context” contains something that is not a path; it was left out."), folder.name)
            continue
        path = _resolve(fence, folder, one)
        if path is not None:
            yield path


def _resolve(fence: WorkspaceFiles, folder: Path, named: str) -> Path | None:
    """Return the path of a named file, relative to the agent's folder or else to the workspace; None if unusable."""
    plain = [Path(os.path.normpath(base / named)) for base in (folder, fence.root)]
    if not plain[0].is_relative_to(fence.root):
        fence.report(mark("It is outside the workspace and was not read."), folder.name, named, is_error=True)
        return None
    for path in plain:
        if path.is_relative_to(fence.root) and os.path.lexists(path):
            if not fence.holds(path):
                fence.report(
                    mark("It is a link, or reached through one, and was not read."), folder.name, named, is_error=True
                )
                return None
            if path.is_file():
                return path
    fence.report(mark("There is no such file."), folder.name, named)
    return None


_FENCE = "---"
_LONGEST_HEAD = 100_000


class InvalidFrontMatter(ValueError):
    """The front matter is not valid YAML, or not a mapping; the message is a sentence for the user."""


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """Front matter of a file, and its body without surrounding white space."""

    body: str
    head: dict[str, Any] = field(default_factory=dict)


def split(text: str) -> FrontMatter:
    """Split a file into front matter and body; a file that does not begin with a line of three dashes is all body.

    Raises:
        InvalidFrontMatter: The front matter is invalid; the file must not be used in a prompt.
    """
    lines = text.lstrip().split("\n")
    if lines[0].rstrip() != _FENCE:
        return FrontMatter(text.strip())
    end = next((number for number, line in enumerate(lines[1:], start=1) if line.rstrip() == _FENCE), None)
    if end is None:
        raise InvalidFrontMatter(mark("Its front matter does not end with a line of three dashes."))
    return FrontMatter("\n".join(lines[end + 1 :]).strip(), parsed("\n".join(lines[1:end])))


def parsed(text: str) -> dict[str, Any]:
    """Parse YAML keys and values; empty YAML gives an empty dict.

    Raises:
        InvalidFrontMatter: It is too long, not valid YAML, or not a mapping.
    """
    if len(text) > _LONGEST_HEAD:
        raise InvalidFrontMatter(mark(f"Its front matter is longer than {_LONGEST_HEAD:,} characters."))
    try:
        value = yaml_values(text)
    except BrokenYaml as error:
        # Errors without a line number: a date such as 2024-13-45, or brackets nested a thousand levels deep.
        at_line = mark(f"Its YAML cannot be read (line {error.line}).") if error.line else ""
        raise InvalidFrontMatter(at_line or mark("Its YAML contains an invalid value.")) from error
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InvalidFrontMatter(mark(f"Its YAML is a {type(value).__name__} where keys and values are expected."))
    return {as_text(key): one for key, one in value.items()}


_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_UNUSED = ("skills", "tools", "schedules", "notifications", "input_schema", "output_schema", "delegates_to")


def read_workspace(folder: Path, limits: ContextLimits, *, retrievers: Collection[str] = ()) -> Workspace:
    """Read a workspace; nothing outside its folder is read.

    Args:
        folder: The workspace.
        limits: Maximum lengths of context files; gateway.yaml may override that of a single file.
        retrievers: Names of the known retrievers.

    Raises:
        NotFound: There is no such folder.
    """
    if not folder.is_dir():
        raise NotFound(f"There is no folder {folder}.", "Name the folder that holds “agents”.")
    fence = WorkspaceFiles(folder)
    settings = gateway_settings(fence)
    if settings.max_context_file_chars is not None:
        limits = ContextLimits(settings.max_context_file_chars, limits.total)
    agents = fence.root / "agents"
    if not agents.is_dir() or not fence.holds(agents):
        fence.report(mark("There is no folder “agents” in it."), is_error=True)
        return Workspace(str(fence.root), settings=settings, problems=tuple(fence.problems))
    found = [_agent(fence, path, limits) for path in sorted(agents.iterdir())]
    usable = tuple(agent for agent in found if agent is not None)
    for agent in usable:
        for name in agent.retrievers:
            if name not in retrievers:
                fence.report(mark(f"There is no retriever “{name}”."), agent.id)
    return Workspace(
        str(fence.root),
        usable,
        _read_shared(fence, agents / "AGENTS.md"),
        _read_shared(fence, agents / "BEHAVIOR.md"),
        settings,
        tuple(fence.problems),
    )


def _agent(fence: WorkspaceFiles, folder: Path, limits: ContextLimits) -> WorkspaceAgent | None:
    """Return the agent of a folder; None if it is not an agent, or one that cannot be used."""
    name = fence.name(folder)
    if folder.name.startswith(".") or not folder.is_dir():
        return None
    if not fence.holds(folder):
        fence.report(mark("It is a link and was not read."), path=name)
        return None
    if not _ID.fullmatch(folder.name):
        notice = mark(
            "This folder's name cannot be an agent's name: use lower-case letters, digits, _ and - only, at most 64."
        )
        fence.report(notice, path=name)
        return None
    text = fence.text(folder / "AGENT.md", folder.name)
    if text is None:
        return None
    front = _front_matter(fence, folder, "AGENT.md", text)
    if front is None:
        return None
    if not front.body:
        fence.report(mark("AGENT.md holds no prompt; the agent was left out."), folder.name, f"{name}/AGENT.md")
        return None
    if front.head.get("enabled") is False:
        fence.report(mark("The agent is switched off by “enabled: false”."), folder.name)
        return None
    if unused := [f"“{key}”" for key in _UNUSED if front.head.get(key)]:
        fence.report(mark(f"Not used here: {', '.join(unused)}."), folder.name, f"{name}/AGENT.md")
    behavior = fence.text(folder / "BEHAVIOR.md", folder.name)
    own = _front_matter(fence, folder, "BEHAVIOR.md", behavior) if behavior else None
    return WorkspaceAgent(
        folder.name,
        _text(fence, folder, front.head, "display_name") or _text(fence, folder, front.head, "name") or folder.name,
        front.body,
        _text(fence, folder, front.head, "description"),
        own.body if own is not None else "",
        _retrievers(fence, folder, front.head.get("retrievers")),
        context_files(fence, folder, front.head.get("context"), limits),
    )


def _front_matter(fence: WorkspaceFiles, folder: Path, file: str, text: str) -> FrontMatter | None:
    try:
        return split(text)
    except InvalidFrontMatter as error:
        fence.report(mark(f"{error} None of it is sent."), folder.name, f"{fence.name(folder)}/{file}", is_error=True)
        return None


def _read_shared(fence: WorkspaceFiles, path: Path) -> str:
    text = fence.text(path)
    if not text:
        return ""
    try:
        return split(text).body
    except InvalidFrontMatter as error:
        fence.report(mark(f"{error} None of it is sent."), path=fence.name(path), is_error=True)
        return ""


def _text(fence: WorkspaceFiles, folder: Path, head: dict[str, Any], key: str) -> str:
    value = head.get(key)
    if isinstance(value, str) or value is None:
        return " ".join((value or "").split())
    fence.report(mark(f"“{key}” must be a text; it was ignored."), folder.name)
    return ""


def _retrievers(fence: WorkspaceFiles, folder: Path, value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        fence.report(mark("“retrievers” must be a list of names; it was ignored."), folder.name)
        return ()
    return tuple(dict.fromkeys(value))


FILE = "gateway.yaml"
_BLOCK = "context_retrieval"
_ENVIRONMENT = "AGENT_GATEWAY_CONTEXT_RETRIEVAL__"
_VARIABLE = re.compile(r"\$\{([^}]+)\}")
_KEYS: dict[str, type[int] | type[float]] = {
    "retriever_timeout_seconds": float,
    "max_retrieved_chars": int,
    "max_context_file_chars": int,
}


def gateway_settings(fence: WorkspaceFiles, environment: Mapping[str, str] = os.environ) -> GatewaySettings:
    """Return the settings of gateway.yaml, which environment variables override; invalid values become problems."""
    text = fence.text(fence.root / FILE)
    values: dict[str, Any] = {}
    try:
        block = parsed(text or "").get(_BLOCK)
    except InvalidFrontMatter as error:
        fence.report(mark(f"{error} Its settings were ignored."), path=FILE, is_error=True)
        block = None
    if isinstance(block, dict):
        values.update(block)
    elif block is not None:
        fence.report(mark(f"“{_BLOCK}” must be keys and values; it was ignored."), path=FILE)
    given = {key: environment.get(f"{_ENVIRONMENT}{key.upper()}", values.get(key)) for key in _KEYS}
    return GatewaySettings(**{key: _number(fence, key, value, environment) for key, value in given.items()})


def _number(fence: WorkspaceFiles, key: str, value: Any, environment: Mapping[str, str]) -> Any:
    if value is None:
        return None
    try:
        number = _KEYS[key](_with_variables(value, environment) if isinstance(value, str) else value)
        if isinstance(value, bool) or not 0 < number < float("inf"):
            raise ValueError(value)
    except KeyError as error:
        fence.report(mark(f"{key} names the variable {error.args[0]}, which is not set."), path=FILE, is_error=True)
        return None
    except (TypeError, ValueError, OverflowError):
        kind = mark("a whole number") if _KEYS[key] is int else mark("a number")
        fence.report(mark(f"{key} must be {kind} above 0; it was ignored."), path=FILE, is_error=True)
        return None
    return number


def _with_variables(text: str, environment: Mapping[str, str]) -> str:
    return _VARIABLE.sub(lambda match: environment[match.group(1)], text)


JOINT = "\n\n---\n\n"
"""Separator of the sections of a prompt, and of the files in a section."""

WORKSPACE = "workspace"
"""Metadata key for the folder from which an agent was read; the limits have keys with their own names."""


def agents_of_workspace(workspace: Workspace) -> tuple[Agent, ...]:
    """Return the agents of a workspace; agents with the same label get their id added to the name.

    The prompt begins with the text shared by all agents, followed by that of the agent, and by separate sections with
    its context files and the results of its retrievers. An agent without retrievers searches the library's documents.
    """
    labels = [agent.label for agent in workspace.agents]
    return tuple(
        _agent_of_entry(workspace, one, one.label if labels.count(one.label) == 1 else f"{one.label} ({one.id})")
        for one in workspace.agents
    )


def _agent_of_entry(workspace: Workspace, agent: WorkspaceAgent, name: str) -> Agent:
    texts = (workspace.shared_prompt, workspace.shared_behavior, agent.body, agent.behavior)
    settings = workspace.settings
    limits = {
        "retriever_timeout_seconds": settings.retriever_timeout_seconds,
        "max_retrieved_chars": settings.max_retrieved_chars,
    }
    has_retrievers = bool(agent.retrievers)
    return Agent(
        name,
        id=agent.id,
        description=agent.description,
        system_message=JOINT.join(text for text in texts if text),
        sections=_reference_material(agent),
        knowledge=not has_retrievers,
        retrievers=agent.retrievers,
        search_knowledge=not has_retrievers,
        add_knowledge_to_context=has_retrievers,
        references_in=ReferencesPlace.SYSTEM,
        add_datetime=True,
        timezone="UTC",
        # Braces in these prompts are not placeholders of this program.
        resolve_in_context=False,
        metadata={
            WORKSPACE: workspace.folder,
            **{key: str(value) for key, value in limits.items() if value is not None},
        },
    )


def _reference_material(agent: WorkspaceAgent) -> tuple[PromptSection, ...]:
    texts = [file.text.strip() for file in agent.context if file.text.strip()]
    if not texts:
        return ()
    return (PromptSection(mark("Reference material"), f"## Reference Material\n\n{JOINT.join(texts)}"),)
