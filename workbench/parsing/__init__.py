"""Parsing: a file -> ParsedDocument (text with offsets, blocks, pages, metadata); runs in child processes.

base.py                the protocol
parse.py               parse_file: what runs in the child process
isolated.py            IsolatedParser: the same from outside, with limits
registry.py            which parser takes which file: by its name, verified by its bytes
catalogue.py           every format of our own: its parser and its endings
foreign_formats.py     what nobody here reads, and what to do about it
sniffing.py            what a file holds by its bytes
text_parser.py         plain text
subtitles_parser.py    subtitles and transcripts, each minute a place
source_text.py         reading a file that is text, with a limit
long_files.py          a file too long for one document -> where it is cut, its parts one by one
row_ends.py            where lines and rows end in such a file
markdown_parser.py     Markdown; the text is the source itself
markdown_math.py       display formulas as blocks of their own
front_matter.py        the metadata in front of a Markdown file
yaml_values.py         YAML that anybody may have written -> values
rst_parser.py          reStructuredText: opening, and its metadata
rst_directives.py      the directives and roles that docutils does not know
rst_text.py            docutils' tree -> text and blocks
asciidoc_parser.py     AsciiDoc: opening, and its metadata
asciidoc_text.py       its lines -> text and blocks
asciidoc_tables.py     its tables as rows of cells
json_parser.py         JSON and JSON Lines, records as places
json_text.py           values as lines under their key paths
notebook_parser.py     Jupyter notebooks, a page for each cell
code_parser.py         source code and configuration
code_pieces.py         cutting it where something is defined
code_languages.py      languages by their endings
epub_parser.py         EPUB books, a page for each chapter
epub_package.py        a book's reading order, contents and metadata
html_parser.py         HTML, and its walk over the tree
html_tree.py           walking over an HTML tree
html_tables.py         HTML tables as rows of Markdown
html_metadata.py       what a page's head says of it
table_grid.py          cells that reach over rows and columns -> a grid
dates.py               dates as documents write them -> ISO 8601
web_page_parser.py     a page fetched from the web, without the site's furniture
main_text.py           which part of a page it is about
web_page_metadata.py   what it says of itself to search engines and social networks
query_parser.py        the result of a database query, each row a record
fb2_parser.py          FictionBook, a page for each chapter
xps_parser.py          XPS, by way of a PDF; and the pages of both, to be drawn
leafing.py             its pages drawn one after another, from one opening
mupdf.py               PyMuPDF, silenced and without its layout model
layout_model.py        the layout model of PyMuPDF, in the child that reads with it
warm_up.py             what a parser process imports when it starts
pdf_parser.py          PDF: opening, and what stands on its pages
pdf_assembly.py        pages -> a document, by sections
pdf_words.py           a page's lines of words with their boxes
pdf_columns.py         reading order in one or more columns
pdf_furniture.py       running heads, feet and page numbers
pdf_contents.py        entries of tables of contents
pdf_paragraphs.py      lines -> paragraphs, lists, code
pdf_headings.py        which paragraphs are headings
pdf_rules.py           ruling lines: drawings -> rules across and down the page
pdf_ruled_grids.py     rules -> cells -> grids
pdf_tables.py          tables with ruling lines, and such as the layout model found
pdf_aligned_tables.py  tables without them
pdf_table_columns.py   a table's columns as people see them
pdf_table_joining.py   parts of one table -> one table
pdf_lost_tables.py     pages on which a table was read as lines
pdf_table_model.py     read_tables: what the layout model sees on a page, in a child of its own
pdf_upright.py         pages that are stored turned, or whose text runs up the page
pdf_text.py            paragraphs -> text with offsets, words mended at line ends
pdf_quality.py         what a page's text layer is worth
pdf_findings.py        what was found and lost, as findings and sentences
pdf_metadata.py        title, author, dates, outline
pdf_titles.py          the title of a PDF by the cover of a filing, or by the size of headings
image_parser.py        pictures, all of whose pages wait for OCR
image_file.py          the pages, size and metadata of a picture file
ocr_base.py            what an OCR engine is given and gives back
ocr_rapid.py           RapidOCR
ocr_tesseract.py       Tesseract
ocr_upright.py         pictures that lie on their side or stand on their head
ocr_page.py            read_page: what runs in the child that reads pictures
ocr_layout.py          lines that were read -> text in reading order, with boxes
ocr_splice.py          such text in its place in a document
ocr_document.py        a document with pages that were read, and its findings
zip_package.py         the parts of office documents, read with limits
shallow_tree.py        XML that nests too deep for that
office_encryption.py   encrypted Word, PowerPoint and Excel files
ooxml.py               what Word, PowerPoint and Excel files share
drawings.py            charts and diagrams in them
omml.py                formulas in them, as linear text
docx_parser.py         Word: opening, and the way to a document
docx_body.py           its paragraphs and tables, block by block
docx_inline.py         running text, and what hangs on it
docx_styles.py         heading levels, lists and code by style
docx_numbering.py      the numbers of lists
docx_tables.py         tables as rows of cells
docx_pages.py          pages as Word laid them out, where they can be trusted
pptx_parser.py         PowerPoint: a page for each slide
pptx_slide.py          one slide's shapes, tables, charts and notes
pptx_text.py           paragraphs with their bullets and numbers
pptx_comments.py       comments on slides
slide_order.py         the order in which people read shapes
xlsx_parser.py         Excel: a page for each sheet
xlsx_sheet.py          cells, read as a stream
xlsx_extras.py         comments, boxes and charts over the cells
xls_parser.py          Excel before 2007
workbook.py            what every spreadsheet becomes
sheet_regions.py       a sheet's cells -> its tables
number_format.py       numbers and dates as people see them
csv_parser.py          tables in text
long_tables.py         long tables in parts, each with the head
page_layout.py         a finished text into pages, slides, sheets
odt_parser.py          OpenDocument text
odp_parser.py          OpenDocument slides
ods_parser.py          OpenDocument sheets
odf_package.py         their parts and metadata
odf_encryption.py      the same, encrypted
odf_text.py            running text, lists, notes, charts
odf_styles.py          headings, code and lists by style
odf_tables.py          tables as rows of cells
rtf_parser.py          rich text: paragraphs -> headings, lists, tables
rtf_reader.py          its groups and control words -> paragraphs
rtf_tokens.py          its bytes -> groups, control words, characters
legacy_office.py       Word and PowerPoint before 2007 and binary Excel, converted first
libreoffice.py         conversion by LibreOffice, with limits
ole_metadata.py        what old office files say of themselves; ole_streams.py: the streams in them
render.py              a page as a picture, with passages marked
eml_parser.py          a message as it was sent, and its parts
mbox_parser.py         many of them in one file
msg_parser.py          a message of Outlook's; msg_reader.py reads its properties
mail.py                what a message is, whatever file it came in
mail_text.py           messages with their attachments -> one text
mail_archives.py       ZIP archives among the attachments
archive_members.py     the names in a ZIP archive, and what is not unpacked
mail_words.py          headers and bodies in whatever encoding
nested.py              files within files, by the parsers of their own formats
encoding.py            bytes -> text
assembly.py            putting text and blocks together so that the offsets hold
"""
