"""A session and a way to draw a cited page in, the bytes of one file out; and a bundle back in.

base.py             the exporter protocol and what an exporter is given
registry.py         format name -> exporter
writing.py          session, packed for the way to a child process -> file
trimming.py         session and the parts that are wanted -> session without the others
inventory.py        sessions -> how much of each part they hold
file_name.py        title -> file name that every system takes
pictures.py         pictures of cited pages; document_list.py: the documents with the hashes of their files
transcript.py       run -> footnotes and steps, the same for every format that people read
escaping.py         text that a document controls -> text that cannot break out of where it is put
answer_markdown.py  the answer's Markdown -> Markdown that stays inside its section
markdown.py         session -> Markdown with footnotes
markdown_parts.py   footnotes, steps and searches in Markdown
html.py             session -> one self-contained page
html_parts.py       source cards, steps and searches in HTML
html_style.py       the style sheet of that page
pdf.py              session -> PDF
pdf_parts.py        session -> pieces of HTML; pdf_style.py: their style sheet; pdf_pages.py: pieces -> pages, by MuPDF
docx.py             session -> Word document
docx_body.py        its body, with the answers by docx_answer.py, in elements by docx_xml.py
docx_package.py     the file around it, by python-docx; docx_styles.py: its styles
bundle.py           session -> ZIP file that another library can take in; paths.py: without the folders of this machine
bundle_reader.py    bundle -> session, checked
rewriting.py        a value with something changed wherever it stands in it
spreadsheet.py      texts -> rows of a table in which none is a formula
exhaustive_csv.py   reading of every passage -> such a table; exhaustive_markdown.py: for people
network_requests.py what was asked of the network -> JSON lines, a table
session_json.py     session -> documented JSON, and back
json_codec.py       the nouns -> JSON values, and back
markdown_source.py  answer Markdown -> its blocks, by the rules of CommonMark
markdown_reader.py  blocks -> HTML, with python-markdown; imported only when the first answer is rendered
placeholders.py     one private character for each citation marker, while Markdown is read
formulas.py         LaTeX -> HTML that reads like a formula
answer_pieces.py    an answer as it streams -> its pieces, each rendered once
rendering.py        answer Markdown -> sanitised HTML, shared with the chat pane
"""
