"""Every format of our own: its name, where its parser is, and the endings of its files.

The window's process knows the endings by this table alone: importing all parsers takes 160 ms, three times what it
takes to show the empty window's library. Only a process that reads a file imports that file's parser.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import cast

from workbench.parsing.base import Parser
from workbench.parsing.code_languages import LANGUAGE


@dataclass(frozen=True, slots=True)
class Declared:
    """One parser.

    Attributes:
        format: As the class says it.
        place: Module and class within this room.
        suffixes: As the class says them.
    """

    format: str
    place: str
    suffixes: str

    def __call__(self) -> Parser:
        """Return the parser; its module is imported now."""
        module, _, name = self.place.partition(":")
        return cast(Parser, getattr(import_module(f"workbench.parsing.{module}"), name)())


CATALOGUE = (
    # One class a format, one line a class; tests hold each line against its class.
    Declared("pdf", "pdf_parser:PdfParser", ".pdf"),
    Declared("xps", "xps_parser:XpsParser", ".xps .oxps"),
    Declared("image", "image_parser:ImageParser", ".png .jpg .jpeg .tif .tiff .webp .bmp .gif"),
    Declared("docx", "docx_parser:DocxParser", ".docx .docm .dotx .dotm"),
    Declared("pptx", "pptx_parser:PptxParser", ".pptx .pptm .ppsx .ppsm .potx .potm"),
    Declared("xlsx", "xlsx_parser:XlsxParser", ".xlsx .xlsm .xltx .xltm"),
    Declared("doc", "legacy_office:DocParser", ".doc .dot"),
    Declared("ppt", "legacy_office:PptParser", ".ppt .pps .pot"),
    Declared("xls", "xls_parser:XlsParser", ".xls .xlt"),
    Declared("xlsb", "legacy_office:XlsbParser", ".xlsb"),
    Declared("odt", "odt_parser:OdtParser", ".odt .ott"),
    Declared("odp", "odp_parser:OdpParser", ".odp .otp"),
    Declared("ods", "ods_parser:OdsParser", ".ods .ots"),
    Declared("rtf", "rtf_parser:RtfParser", ".rtf"),
    Declared("epub", "epub_parser:EpubParser", ".epub"),
    Declared("fb2", "fb2_parser:Fb2Parser", ".fb2"),
    Declared("html", "html_parser:HtmlParser", ".html .htm .xhtml"),
    Declared("webpage", "web_page_parser:WebPageParser", ".web.html"),
    Declared("markdown", "markdown_parser:MarkdownParser", ".md .markdown .mdown .mkd .mdx"),
    Declared("rst", "rst_parser:RstParser", ".rst .rest"),
    Declared("asciidoc", "asciidoc_parser:AsciiDocParser", ".adoc .asciidoc .asc"),
    Declared("text", "text_parser:TextParser", ".txt .text .log .org .textile .wiki .tex .bib .me .nfo"),
    Declared("subtitles", "subtitles_parser:SubtitlesParser", ".vtt .srt .sbv"),
    Declared("csv", "csv_parser:CsvParser", ".csv .tsv .tab"),
    Declared("json", "json_parser:JsonParser", ".json .jsonl .ndjson .jsonlines .geojson .json5 .jsonc .jsonld .har"),
    Declared("query", "query_parser:QueryParser", ".query.json"),
    Declared("notebook", "notebook_parser:NotebookParser", ".ipynb"),
    Declared("eml", "eml_parser:EmlParser", ".eml"),
    Declared("msg", "msg_parser:MsgParser", ".msg"),
    Declared("mbox", "mbox_parser:MboxParser", ".mbox .mbx"),
    Declared("code", "code_parser:CodeParser", " ".join(LANGUAGE)),
)
