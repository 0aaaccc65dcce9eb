"""Directives and roles that docutils does not know, so that what Sphinx and others add is read and not reported."""

import re
from collections.abc import Callable
from typing import Any

_DIRECTIVE = re.compile(r"^[ \t]*\.\.[ \t]+(?:\|[^|\n]+\|[ \t]+)?([A-Za-z][\w:.+-]*?)::(?:[ \t]|$)", re.M)
_ROLE = re.compile(r"(?<!\w):([A-Za-z][\w:.+-]*?):`|`:([A-Za-z][\w:.+-]*?):(?!\w)")
_TARGET = re.compile(r"^(.*?)\s*<([^<>]*)>$", re.S)
_CODE_NAMES = """
    code code-block sourcecode highlight prompt testcode testoutput doctest ipython command-output graphviz mermaid uml
    plantuml productionlist literalinclude parsed-literal
"""
_CODE = frozenset(_CODE_NAMES.split())
_REMARKS = frozenset(("versionadded", "versionchanged", "deprecated", "versionremoved", "seealso", "todo"))
"""Their arguments are sentences; those of most others are names and signatures, whose stars mean something else."""
_ENTRIES = frozenset(("toctree", "autosummary", "hlist", "glossary"))
NOT_READ = frozenset(("include", "raw", "literalinclude"))
"""Directives that would bring in another file, or markup of another format."""


def names_in(text: str) -> tuple[set[str], set[str]]:
    """Return the names of the directives and of the roles that a source uses, in lower case."""
    directives = {name.lower() for name in _DIRECTIVE.findall(text)}
    return directives, {(before or after).lower() for before, after in _ROLE.findall(text)}


def register(text: str) -> None:
    """Give each unknown directive and role of a source a meaning: its content."""
    from docutils.parsers.rst import directives, roles
    from docutils.parsers.rst.languages import en

    generic = _directive_class()
    used, spoken = names_in(text)
    for name in used:
        if name in _CODE or name not in en.directives:
            directives.register_directive(name, generic)
    for name in spoken:
        if name not in en.roles:
            roles.register_local_role(name, _role)


def _role(_name: str, rawtext: str, text: str, *_: Any, **__: Any) -> tuple[list[Any], list[Any]]:
    """Return what a reader sees of a role: its title, or its target without the modules in front."""
    from docutils import nodes, utils

    shown = utils.unescape(text)
    if match := _TARGET.match(shown):
        shown = match[1] or match[2]
    elif shown.startswith("~"):
        shown = shown.rpartition(".")[2] or shown
    return [nodes.inline(rawtext, shown.lstrip("!~."))], []


class _AnyOption(dict[str, Callable[[str | None], str]]):
    """Options of any name."""

    def __getitem__(self, key: str) -> Callable[[str | None], str]:
        return lambda argument: argument or ""

    def __contains__(self, key: object) -> bool:
        return True

    def __bool__(self) -> bool:
        return True


def _directive_class() -> type:
    from docutils import nodes
    from docutils.parsers.rst import Directive

    class AnyDirective(Directive):  # type: ignore[misc]
        """Keeps the arguments as a line of text and reads the content as what it most likely is."""

        has_content = True
        optional_arguments = 1
        final_argument_whitespace = True
        option_spec = _AnyOption()

        def run(self) -> list[Any]:
            content = "\n".join(self.content)
            if self.name in _CODE:
                return [nodes.literal_block(content, content)] if content.strip() else []
            if self.name in _ENTRIES and self.name != "glossary":
                return [nodes.paragraph(content, content)] if content.strip() else []
            found: list[Any] = []
            if self.arguments:
                words = " ".join(self.arguments[0].split())
                introduction = f"{self.name.rpartition(':')[2]} {words}"
                inline, _ = self.state.inline_text(introduction, self.lineno) if self.name in _REMARKS else ([], [])
                found.append(nodes.paragraph(introduction, "" if inline else introduction, *inline))
            node = nodes.container()
            self.state.nested_parse(self.content, self.content_offset, node)
            return [*found, *node.children]

    return AnyDirective
