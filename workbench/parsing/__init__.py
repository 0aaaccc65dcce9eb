"""Parsing: a file -> ParsedDocument (text with offsets, blocks, pages, metadata); runs in child processes.

base.py                the protocol
parse.py               parse_file: what runs in the child process
isolated.py            IsolatedParser: the same from outside, with limits
registry.py            which parser takes which file, by suffix and by content
text_parser.py         plain text
markdown_parser.py     Markdown; the text is the source itself
markdown_math.py       display formulas as blocks of their own
front_matter.py        the metadata in front of a Markdown file
html_parser.py         HTML, and its walk over the tree
html_tree.py           walking over an HTML tree
html_tables.py         HTML tables as rows of Markdown
html_metadata.py       what a page's head says of it
mupdf.py               PyMuPDF, silenced and without its layout model
warm_up.py             what a parser process imports when it starts
pdf_parser.py          PDF: opening, and the way from pages to a document
pdf_words.py           a page's lines of words with their boxes
pdf_columns.py         reading order in one or more columns
pdf_furniture.py       running heads, feet and page numbers
pdf_contents.py        entries of tables of contents
pdf_paragraphs.py      lines -> paragraphs, lists, code
pdf_headings.py        which paragraphs are headings
pdf_tables.py          tables with ruling lines
pdf_aligned_tables.py  tables without them
pdf_text.py            paragraphs -> text with offsets, words mended at line ends
pdf_metadata.py        title, author, dates, outline
render.py              a page as a picture, with passages marked
encoding.py            bytes -> text
assembly.py            putting text and blocks together so that the offsets hold
"""
