"""Catalogue of file formats: parsers (imported on use) with suffixes, programming languages, unsupported formats.

To add a suffix to a format: add it to its entry in CATALOGUE, and raise the parser's version if it reads known files
differently. To add a format: write the parser's class (base.py), add an entry, and tell sniffing.py how its content is
recognised if it is not text. Both need seeds in tests/fuzz, and a new family or advice needs `make translations`.

The window's process only uses this table: importing all parsers takes 160 ms, three times as long as displaying the
library in an empty window. Only a process that reads a file imports that file's parser.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import cast

from workbench.language import mark
from workbench.parsing.base import Parser

LANGUAGES = {
    "Python": ".py .pyw .pyi .pyx",
    "JavaScript": ".js .mjs .cjs .jsx",
    "TypeScript": ".ts .tsx .mts .cts",
    "Java": ".java",
    "Kotlin": ".kt .kts",
    "Scala": ".scala",
    "Groovy": ".groovy .gradle",
    "C": ".c .h",
    "C++": ".cc .cpp .cxx .hpp .hh .hxx .ino",
    "CUDA": ".cu .cuh",
    "Objective-C": ".m .mm",
    "C#": ".cs",
    "F#": ".fs .fsx",
    "Visual Basic": ".vb .bas",
    "Go": ".go",
    "Rust": ".rs",
    "Swift": ".swift",
    "Ruby": ".rb .rake",
    "PHP": ".php",
    "Perl": ".pl .pm",
    "Lua": ".lua",
    "R": ".r .rmd",
    "Julia": ".jl",
    "Haskell": ".hs",
    "OCaml": ".ml .mli",
    "Clojure": ".clj .cljs",
    "Elixir": ".ex .exs",
    "Erlang": ".erl",
    "Elm": ".elm",
    "Dart": ".dart",
    "Zig": ".zig",
    "Nim": ".nim",
    "Lisp": ".lisp .el .scm .rkt",
    "Fortran": ".f .f90 .f95 .for",
    "Pascal": ".pas",
    "Ada": ".adb .ads",
    "Tcl": ".tcl",
    "Verilog": ".v .sv",
    "VHDL": ".vhd .vhdl",
    "Assembly": ".asm .s",
    "Shell": ".sh .bash .zsh .fish",
    "PowerShell": ".ps1 .psm1",
    "Batch": ".bat .cmd",
    "SQL": ".sql",
    "CSS": ".css .scss .sass .less",
    "Vue": ".vue",
    "Svelte": ".svelte",
    "YAML": ".yaml .yml",
    "TOML": ".toml",
    "INI": ".ini .cfg .conf .properties",
    "XML": ".xml .xsd .xsl .xslt",
    "Protocol Buffers": ".proto",
    "GraphQL": ".graphql .gql",
    "Terraform": ".tf .hcl",
    "CMake": ".cmake",
    "Make": ".mk",
    "Diff": ".diff .patch",
}

LANGUAGE = {suffix: language for language, suffixes in LANGUAGES.items() for suffix in suffixes.split()}
"""Language by suffix."""


@dataclass(frozen=True, slots=True)
class FormatEntry:
    """Entry for one parser.

    Attributes:
        format: Short name of the format, as in the parser's class.
        parser: Module in this package, and class: "pdf_parser:PdfParser".
        family: Name of the kind of files in the list of supported files, in the plural.
        suffixes: File name suffixes, separated by spaces.
        is_text: Whether it is parsed in pure Python. A file of another format could compromise its parser process, so
            only small text files are parsed several in one call.
        unit: Unit between two parts of a long file: "lines", "rows" or "messages"; empty if it cannot be divided.
    """

    format: str
    parser: str
    family: str
    suffixes: str
    is_text: bool = False
    unit: str = ""

    def __call__(self) -> Parser:
        """Import the parser's module and return the parser."""
        module, _, name = self.parser.partition(":")
        return cast(Parser, getattr(import_module(f"workbench.parsing.{module}"), name)())


_OFFICE = mark("Word, PowerPoint and Excel")
_OLD_OFFICE = mark("old Word, PowerPoint and Excel")
_OPEN_DOCUMENT = mark("OpenDocument")
_WEB_PAGES = mark("web pages")
_MAIL = mark("e-mail")
SOURCE_CODE = mark("source code")

CATALOGUE = (
    # Families are listed in this order.
    FormatEntry("pdf", "pdf_parser:PdfParser", mark("PDF"), ".pdf"),
    FormatEntry("xps", "pdf_parser:XpsParser", mark("XPS"), ".xps .oxps"),
    FormatEntry("docx", "docx_parser:DocxParser", _OFFICE, ".docx .docm .dotx .dotm"),
    FormatEntry("pptx", "pptx_parser:PptxParser", _OFFICE, ".pptx .pptm .ppsx .ppsm .potx .potm"),
    FormatEntry("xlsx", "xlsx_parser:XlsxParser", _OFFICE, ".xlsx .xlsm .xltx .xltm"),
    FormatEntry("xlsb", "legacy_office:XlsbParser", _OFFICE, ".xlsb"),
    FormatEntry("doc", "legacy_office:DocParser", _OLD_OFFICE, ".doc .dot"),
    FormatEntry("ppt", "legacy_office:PptParser", _OLD_OFFICE, ".ppt .pps .pot"),
    FormatEntry("xls", "xls_parser:XlsParser", _OLD_OFFICE, ".xls .xlt"),
    FormatEntry("odt", "odf_parser:OdtParser", _OPEN_DOCUMENT, ".odt .ott"),
    FormatEntry("ods", "odf_parser:OdsParser", _OPEN_DOCUMENT, ".ods .ots"),
    FormatEntry("odp", "odf_parser:OdpParser", _OPEN_DOCUMENT, ".odp .otp"),
    FormatEntry("rtf", "rtf_parser:RtfParser", mark("RTF"), ".rtf"),
    FormatEntry("epub", "epub_parser:EpubParser", mark("EPUB"), ".epub"),
    FormatEntry("fb2", "fb2_parser:Fb2Parser", mark("FictionBook"), ".fb2"),
    FormatEntry("html", "html_parser:HtmlParser", _WEB_PAGES, ".html .htm .xhtml"),
    FormatEntry("webpage", "web_page_parser:WebPageParser", _WEB_PAGES, ".web.html"),
    FormatEntry(
        "markdown",
        "markdown_parser:MarkdownParser",
        mark("Markdown"),
        ".md .markdown .mdown .mkd .mdx",
        is_text=True,
        unit="lines",
    ),
    FormatEntry("rst", "rst_parser:RstParser", mark("reStructuredText"), ".rst .rest", is_text=True, unit="lines"),
    FormatEntry(
        "asciidoc",
        "asciidoc_parser:AsciiDocParser",
        mark("AsciiDoc"),
        ".adoc .asciidoc .asc",
        is_text=True,
        unit="lines",
    ),
    FormatEntry(
        "text",
        "text_parser:TextParser",
        mark("plain text"),
        ".txt .text .log .org .textile .wiki .tex .bib .me .nfo",
        is_text=True,
        unit="lines",
    ),
    FormatEntry("subtitles", "text_parser:SubtitlesParser", mark("subtitles"), ".vtt .srt .sbv", is_text=True),
    FormatEntry("csv", "csv_parser:CsvParser", mark("CSV"), ".csv .tsv .tab", is_text=True, unit="rows"),
    FormatEntry(
        "json",
        "json_parser:JsonParser",
        mark("JSON"),
        ".json .jsonl .ndjson .jsonlines .geojson .json5 .jsonc .jsonld .har",
        is_text=True,
    ),
    FormatEntry("notebook", "notebook_parser:NotebookParser", mark("Jupyter notebooks"), ".ipynb"),
    FormatEntry("eml", "mail_parser:EmlParser", _MAIL, ".eml"),
    FormatEntry("msg", "mail_parser:MsgParser", _MAIL, ".msg"),
    FormatEntry("mbox", "mail_parser:MboxParser", _MAIL, ".mbox .mbx", unit="messages"),
    FormatEntry("image", "image_parser:ImageParser", mark("pictures"), ".png .jpg .jpeg .tif .tiff .webp .bmp .gif"),
    FormatEntry("code", "code_parser:CodeParser", SOURCE_CODE, " ".join(LANGUAGE), is_text=True, unit="lines"),
    FormatEntry("query", "json_parser:QueryParser", mark("results of database queries"), ".query.json"),
)


def suffixes_of(format: str) -> frozenset[str]:
    """Return the suffixes of a format of the catalogue."""
    return next(frozenset(one.suffixes.split()) for one in CATALOGUE if one.format == format)


_AS_XLSX = mark("Open it in Excel or LibreOffice and save it as .xlsx.")
_AS_DOCX = mark("Open it in LibreOffice and save it as .docx.")
_AS_PPTX = mark("Open it in LibreOffice and save it as .pptx.")
_AS_ZIP = mark("Unpack it and add the folder. Only ZIP archives can be opened.")

_ADVICE = (
    (".pages", mark("Apple Pages"), mark("Open it in Pages and choose File > Export To > Word.")),
    (".numbers", mark("Apple Numbers"), mark("Open it in Numbers and choose File > Export To > Excel.")),
    (".key", mark("Apple Keynote"), mark("Open it in Keynote and choose File > Export To > PowerPoint.")),
    (".xlw", mark("other Excel workbooks"), _AS_XLSX),
    (".wks .wk1 .wk3 .wk4 .123 .qpw .sxc .sdc .et", mark("old spreadsheets"), _AS_XLSX),
    (".wps .wpd .wri .lwp .sxw .sdw .abw .hwp", mark("texts of other word processors"), _AS_DOCX),
    (".sxi .sdd .dps", mark("slides of other programs"), _AS_PPTX),
    (".fodt", mark("flat OpenDocument texts"), mark("Open it in LibreOffice and save it as .odt.")),
    (".fods", mark("flat OpenDocument sheets"), mark("Open it in LibreOffice and save it as .ods.")),
    (".fodp", mark("flat OpenDocument slides"), mark("Open it in LibreOffice and save it as .odp.")),
    (
        ".odg .otg .fodg .odf .vsd .vsdx .pub",
        mark("drawings and layouts"),
        mark("Open it in LibreOffice and save it as PDF."),
    ),
    (".dwg .dxf .dwf", mark("technical drawings"), mark("Open it in the drawing program and print it to a PDF.")),
    (".ps .eps .ai .indd .qxp .cdr", mark("print layouts"), mark("Open it in its own program and save it as PDF.")),
    (".djvu .djv", mark("DjVu scans"), mark("Open it in a DjVu viewer and save it as PDF.")),
    (".mobi .azw .azw3 .kfx .prc .lit", mark("other e-books"), mark("Convert it to EPUB, for example with Calibre.")),
    (".one", mark("OneNote sections"), mark("Open it in OneNote and export it as Word or PDF.")),
    (".chm .hlp", mark("help files of Windows"), mark("Open it in its viewer and print it to a PDF.")),
    (
        ".pst .ost",
        mark("mailboxes of Outlook"),
        mark("Open it in Outlook and save the messages that you need as .msg."),
    ),
    (".mdb .accdb", mark("Access databases"), mark("Open it in Access and export the tables to Excel.")),
    (".sqlite .sqlite3 .db .db3", mark("databases"), mark("Use “Add from database” to add rows from it.")),
    (
        ".heic .heif .avif .psd .emf .wmf",
        mark("other pictures"),
        mark("Open it in a picture program and save it as PNG."),
    ),
    (".mht .mhtml .webarchive", mark("saved web pages"), mark("Open it in a web browser and save it as PDF.")),
    (".7z .rar .tar .gz .tgz .bz2 .xz .zst .tar.gz .tar.bz2 .tar.xz", mark("other archives"), _AS_ZIP),
    (
        ".mp3 .wav .m4a .ogg .flac .mp4 .mov .avi .mkv .webm",
        mark("audio and video"),
        mark("Only written text can be searched."),
    ),
)

ADVICE = {suffix: (words, advice) for suffixes, words, advice in _ADVICE for suffix in suffixes.split()}
"""Name of the format, in the plural, and advice, by suffix."""
