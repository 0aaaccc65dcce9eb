r"""Parsing: a file -> ParsedDocument (text with offsets, blocks, pages, metadata); runs in child processes.

base.py                 The parser protocol: the bytes of a file in, a ParsedDocument out
parse.py                parse_file: the function that runs in the child process
sandboxed.py            Parsing in a child process, with limits: whatever a file does there, only that file fails
registry.py             Which parser takes a file: by the ending of its name, verified by what its bytes are
formats.py              File formats: parsers (imported on use) with their endings, programming languages, and formats
                        that are not read
sniffing.py             What a file holds by its bytes, whatever its name says
text_parser.py          Parsers of plain text and of subtitles and transcripts (WebVTT, SubRip, SBV)
long_files.py           Files too long for one document, as parts: text between lines, tables between rows, mailboxes
                        between messages
whole_file_lines.py     Lines of a whole long file in the text of one of its parts
row_boundaries.py       Where lines and the rows of tables end in a long file, found by its bytes without decoding
                        them
markdown_parser.py      Markdown: the text is the source itself, and markdown-it's line maps find the blocks in it
markdown_math.py        Display formulas as blocks, for markdown-it: $$ ... $$, \[ ... \] and LaTeX's environments
front_matter.py         Front matter of Markdown files (YAML or TOML), and the safe reader of YAML values
rst_parser.py           Parser of reStructuredText by docutils: unknown directives and roles, and the writer of text
                        and blocks
asciidoc_parser.py      Parser of AsciiDoc: header, text with blocks, and tables
json_parser.py          Parsers of JSON, JSON Lines and stored results of database queries, with the writer of values
                        as "key
notebook_parser.py      Jupyter notebooks: Markdown cells as Markdown, code cells with what they printed; each cell is
                        a place
code_parser.py          Parser of source code and configuration, and its splitter at definitions and blank lines
epub_parser.py          Parser of EPUB books: package metadata, reading order, and a page for each chapter
html_parser.py          Parser of HTML: visible text in reading order with headings, lists, code, and tables as
                        Markdown
html_tree.py            Walking over an HTML tree without recursion: pages nest 20,000 deep to break programs
html_metadata.py        What the head of an HTML page says of it, and in which encoding the page is written
dates.py                Dates as documents write them -> ISO 8601
web_page_parser.py      Parser of pages fetched from the web
fb2_parser.py           FictionBook: each part of the book is a chapter; its XML becomes the HTML that it means, read
                        as a web page
mupdf.py                PyMuPDF, silenced, and without the layout model that it would load by itself
                        (pdf_table_model.py)
pdf_table_model.py      Table detection by PyMuPDF's layout model: read_tables, which runs in a child process of its
                        own
warm_up.py              Imported by a parser process when it starts, so that its first file waits neither for PyMuPDF
                        nor for its parser
pdf_parser.py           Parsers of PDF and XPS files by PyMuPDF: opening, facts of pages, and their assembly into a
                        document by sections
pdf_words.py            Lines of words with their boxes on a PDF page, and their reading order in one or more columns
pdf_headers_footers.py  Running heads, feet and page numbers: lines that come back, or count, at the same place on
                        most pages
pdf_structure.py        Structure of a PDF's text: paragraphs, list items, code, headings and tables of contents
pdf_rules.py            Ruling lines of a PDF page: drawings as rules, and rules as grids of table cells
pdf_tables.py           PDF tables whose cells are known by ruling lines or the layout model, and the rotation of
                        pages stored turned
pdf_aligned_tables.py   PDF tables without ruling lines: aligned rows, and pages whose table was read as lines of text
pdf_table_parts.py      Parts of PDF tables: columns as people see them, and the joining of heads, sections and rows
                        into one table
pdf_text.py             Paragraphs -> the document's text, blocks and pages, and where each word stands; cut words are
                        mended
pdf_quality.py          Quality of the text layers of PDF pages, and the findings and warnings on what was lost
pdf_metadata.py         Metadata of PDF files: title (also by the cover or the largest heading), author, dates,
                        keywords, outline
image_parser.py         Parser of pictures, whose pages wait for OCR; their pages, sizes, metadata and pixels
ocr_engines.py          OCR engines: the protocol, RapidOCR, Tesseract, and the turning of pictures that lie on their
                        side
ocr_upright.py          Pictures that lie on their side or stand on their head are turned before they are read
ocr_page.py             read_page: a page of a PDF or picture -> lines of words with their boxes; what runs in the
                        child that reads
ocr_document.py         OCR results in a document
zip_package.py          The parts of an office document in a ZIP container, read with limits; a damaged one gives what
                        it still holds
shallow_tree.py         XML that nests deeper than libxml2 reads (256) as a tree that is not so deep, with all of its
                        text in its order
office_encryption.py    Decryption of office documents: Word, PowerPoint and Excel, old and new, and OpenDocument
ooxml.py                Office Open XML shared by Word, PowerPoint and Excel: relationships, metadata, formulas
                        (OMML), charts, diagrams
docx_parser.py          Parser of Word documents: body block by block, tables, stored page starts, notes and comments
docx_inline.py          The running text of a Word paragraph, and what hangs on it: notes, boxes, pictures, formulas
docx_styles.py          DocxStyles and list numbering of Word documents: heading levels, lists, code, numbers and
                        bullets
pptx_parser.py          Parser of PowerPoint presentations
xlsx_parser.py          Parser of Excel workbooks: cells read as a stream, and the comments, text boxes, charts and
                        pictures over them
xls_parser.py           Excel workbooks of the years before 2007
workbook.py             Spreadsheets of every format: a page for each sheet, and the division of a sheet into tables
number_format.py        Numbers and dates of spreadsheets as people see them, by the format code of the cell
csv_parser.py           CSV and TSV: one table, in parts that a search can find
page_layout.py          Pages, slides and sheets: division of a finished text into them, and the reading order of the
                        shapes on a slide
odf_parser.py           Parsers of OpenDocument files: text documents, presentations and spreadsheets
odf_package.py          Packages of OpenDocument files: content, metadata, embedded objects, and the styles of
                        paragraphs and lists
odf_text.py             Text of OpenDocument files: paragraphs, headings, lists, notes, charts, formulas, and tables
                        as rows of cells
rtf_parser.py           Rich text: paragraphs, headings by style, lists, tables, notes
rtf_reader.py           Reader of rich text (RTF): tokens, groups and control words as a flow of paragraphs
legacy_office.py        Word and PowerPoint files of the years before 2007, and Excel's binary ones: LibreOffice makes
                        new ones of them
libreoffice.py          Conversion by LibreOffice, where it is installed: a process of its own that sees a copy and
                        ends with ours
ole.py                  Compound files (OLE) of old office programs and Outlook: their streams and metadata
page_renderer.py        Page renderer: one page with marked passages as a picture, and page after page of a document
                        that stays open
mail_parser.py          Parsers of e-mail files: EML, MBOX and Outlook MSG (read by msg_reader.py, imported when one
                        comes)
msg_reader.py           The properties of an Outlook message: numbered streams in a compound file (MS-OXMSG)
mail.py                 E-mail messages: Mail and Attachment, decoding of headers and bodies, messages with
                        attachments as one text
zip_members.py          Members of ZIP archives: checked names, members to skip, and reading of archives that are
                        attached to mail
mail_words.py           The bytes and words of e-mail as text: character sets that are wrong, unknown or missing, and
                        encoded words
nested.py               Files within files: an attachment is read by the parser of its own format, within limits for
                        all of them together
encoding.py             BodyDecoder of bytes: byte order marks, encoding detection, and text files read within a size
                        limit
assembly.py             Builders of a ParsedDocument: text and blocks with offsets, long tables in parts, merged cells
                        as a plain grid
"""
