"""A session and a way to draw a cited page in, the bytes of one file out; and a bundle back in.

base.py               The exporter protocol, and what exporters share: pictures of cited pages, and the list of
                      documents with hashes
registry.py           Format name -> exporter, the Word exporter
session_parts.py      Parts of sessions: how much each part holds, and a session without the parts that are not wanted
run_transcript.py     A run as people read it: its footnotes, its steps and its answer with the markers replaced
escaping.py           Escaping of text that a document or a model controls: for Markdown, HTML, spreadsheets and file
                      names
markdown.py           A session as one Markdown file: questions, answers kept inside their sections, footnotes, steps
                      and searches
html.py               A session as one self-contained HTML page: answers, source cards, steps, searches and the style
                      sheet
pdf.py                A session as one PDF: the exporter, and the pieces of HTML that MuPDF lays out
docx_body.py          The body of an exported Word document
docx_package.py       The file of an exported Word document, made by python-docx: styles, footnotes, pictures, and
                      escaped elements
bundle.py             A session as one ZIP file that another library can take in, without the folders of this machine
bundle_reader.py      A bundle from anywhere -> its session, checked: runs in a child process, for a file may claim to
                      be anything
network_requests.py   What was asked of the network -> JSON lines, or a table for spreadsheets; addresses stand there
                      without queries
session_json.py       A session as JSON after resources/schema/session-1.schema.json and back, by a codec of the
                      model's dataclasses
markdown_source.py    An answer's Markdown -> its blocks, before python-markdown reads their text
markdown_reader.py    The blocks of an answer -> HTML, with python-markdown; not yet sanitised
formulas.py           LaTeX of a formula -> HTML that reads like one: letters slanted, indices raised and lowered,
                      symbols for commands
answer_pieces.py      An answer as it streams -> its pieces as HTML; what stands is neither read nor rendered again
rendering.py          An answer's Markdown and citations -> HTML that is safe to show; placeholders stand for markers
                      meanwhile
exhaustive_report.py  Reports of a reading of every passage: Markdown for people, and CSV with a row a quote
pdf_layout.py         Pages of an exported PDF, laid out by MuPDF from pieces of HTML, and their style sheet
"""
