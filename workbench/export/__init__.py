"""Export of sessions to files, import of session bundles, and rendering of answers as HTML.

base.py               Exporter protocol, and helpers shared by exporters: page images, list of cited documents
format_registry.py    Registry of exporters by format, the Word exporter, and export in a child process
cited_pages.py        Cited pages of a session: each page once, with all passages marked that any answer cites on it
session_parts.py      Parts of a session: their sizes, and a session reduced to the selected parts
run_transcript.py     Human-readable form of a run: footnotes, steps, and the answer with its markers replaced
escaping.py           Escaping of untrusted text for Markdown, HTML, spreadsheets and file names
text_lines.py         Lines of text: their widths, columns of tables, and quotes without the line ends of their page
markdown.py           Markdown exporter, and containment of an answer's own Markdown
html.py               HTML exporter: one self-contained page with its style sheet
pdf.py                PDF exporter: a session as pieces of HTML for MuPDF
docx_body.py          Body of an exported Word document: sanitised HTML to WordprocessingML
docx_package.py       Package of an exported Word document: styles, lists, footnotes and pictures
bundle.py             Session bundle: exporter of one ZIP file, and reader of untrusted bundles and JSON exports
session_json.py       JSON codec of sessions, after resources/schema/session-1.schema.json
markdown_source.py    Block parser for the Markdown of an answer
markdown_reader.py    Inline parser: blocks of an answer to unsanitised HTML, with python-markdown
formulas.py           LaTeX formulas as HTML
answer_pieces.py      Incremental rendering of a streaming answer
rendering.py          Rendering of an answer's Markdown and citations as safe HTML
exhaustive_report.py  Reports of exhaustive readings as Markdown and CSV
pdf_layout.py         Page layout of an exported PDF with MuPDF, and its style sheet
divided_tables.py     Tables of an exported PDF, taken out of the text around them to be divided between rows
"""
