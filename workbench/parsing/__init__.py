r"""Parsing of files into ParsedDocuments (text with offsets, blocks, pages, metadata), in parser processes.

base.py                 Protocol of parsers, which convert the bytes of a file into a ParsedDocument
parse.py                Parsing of one file in the parser process: checks, choice of the parser, errors and limits
sandboxed.py            Parsing in a child process with limits: a crash or timeout there fails only that file
parser_registry.py      Registry of parsers, and selection of the parser for a file by its suffix and content
formats.py              Catalogue of file formats: parsers (imported on use) with suffixes, programming languages,
                        unsupported formats
sniffing.py             Detection of a file's format by its bytes
text_parser.py          Parsers of plain text and of subtitles and transcripts (WebVTT, SubRip, SBV)
long_files.py           Files too long for one document, as parts: text between lines, tables between rows, mailboxes
                        between messages
long_file_lines.py      Lines of long files: line and row ends in the bytes, and the numbers of lines in the whole file
                        for a part's text
markdown_parser.py      Parser of Markdown: the text is the source itself, with blocks found by markdown-it's line maps
markdown_math.py        Display formulas as blocks, for markdown-it: $$ ... $$, \[ ... \] and LaTeX environments
front_matter.py         Front matter of Markdown files (YAML or TOML), and a reader of YAML values with limits
rst_parser.py           Parser of reStructuredText by docutils: unknown directives and roles, and the writer of text and
                        blocks
asciidoc_parser.py      Parser of AsciiDoc: header, text with blocks, and tables
json_parser.py          Parsers of JSON, JSON Lines and stored query results, and the writer of values as "key: value"
                        lines
notebook_parser.py      Parser of Jupyter notebooks: Markdown cells, and code cells with their text output; each cell is
                        a page
code_parser.py          Parser of source code and configuration, and its splitter at definitions and blank lines
epub_parser.py          Parser of EPUB books: package metadata, reading order, and a page for each chapter
html_parser.py          Parser of HTML: visible text in reading order with headings, lists, code, and tables as Markdown
html_tree.py            Iteration over an HTML tree without recursion, because malicious pages are nested 20,000 levels
                        deep
html_metadata.py        Metadata from the head of an HTML page, and detection of the page's encoding
dates.py                Conversion of dates in documents to ISO 8601
web_page_parser.py      Parser of pages fetched from the web
fb2_parser.py           Parser of FictionBook: each section of a body is a chapter, converted to HTML and read as a web
                        page
mupdf.py                PyMuPDF without output, and without its layout model, which it would load by default
                        (pdf_table_model.py)
pdf_table_model.py      Table detection by PyMuPDF's layout model; read_tables runs in a separate child process
parser_imports.py       Imports for the start of a parser process, so that its first file does not wait for PyMuPDF and
                        its parser
pdf_parser.py           Parsers of PDF and XPS files with PyMuPDF: opening, page facts, and assembly into a document by
                        sections
pdf_words.py            Lines of words with their boxes on a PDF page, and their reading order in one or more columns
pdf_headers_footers.py  Detection of running heads, footers and page numbers: lines repeated or counted in the same
                        place on most pages
pdf_structure.py        Structure of a PDF's text: paragraphs, list items, code, headings and tables of contents
pdf_rules.py            Ruling lines of a PDF page: drawings as rules, and rules as grids of table cells
pdf_tables.py           PDF tables with cells from ruling lines or the layout model, and the rotation of pages stored
                        sideways
pdf_aligned_tables.py   PDF tables without ruling lines: detection by aligned rows, and of tables that were missed
pdf_table_parts.py      Visible columns of PDF tables, and the joining of headers, sections and rows into one table
pdf_text.py             Document text, blocks, pages and word boxes from paragraphs, with repair of hyphenated words
pdf_quality.py          Quality of the text layers of PDF pages, and the findings and warnings about lost content
pdf_metadata.py         Metadata of PDF files: title (also by the cover or the largest heading), author, dates,
                        keywords, outline
image_parser.py         Parser of pictures, whose text is added by OCR: page sizes, metadata and pixels
ocr_engines.py          OCR engines: the protocol, RapidOCR and Tesseract
ocr_page.py             OCR of a page of a PDF or picture in a child process: turned upright, then lines of words with
                        their boxes
ocr_document.py         OCR results in a document
zip_package.py          Office documents in a ZIP container: reading of their parts with limits, recovery, and XML that
                        is nested too deep
office_encryption.py    Decryption of office documents: Word, PowerPoint and Excel, old and new, and OpenDocument
ooxml.py                Office Open XML shared by Word, PowerPoint and Excel: relationships, metadata, formulas (OMML),
                        charts, diagrams
docx_parser.py          Parser of Word documents: body block by block, the text of paragraphs and what is anchored in
                        them, tables, stored page starts, notes and comments
docx_styles.py          Paragraph styles and list numbering of Word documents: heading levels, lists, code, numbers and
                        bullets
pptx_parser.py          Parser of PowerPoint presentations
xlsx_parser.py          Parser of Excel workbooks: cells as a stream, comments, text boxes, charts and pictures
xls_parser.py           Parser of Excel workbooks before 2007
workbook.py             Conversion of spreadsheets of all formats: a page for each sheet, and the division of a sheet
                        into tables
number_format.py        Display format of spreadsheet numbers and dates, by the format code of the cell
csv_parser.py           Parser of CSV and TSV: one table, divided into parts of limited size
page_layout.py          Assignment of text blocks to pages, slides and sheets, and the reading order of the shapes on a
                        slide
odf_parser.py           Parsers of OpenDocument files: text documents, presentations and spreadsheets
odf_package.py          OpenDocument packages: content, metadata, embedded objects, and the styles of paragraphs and
                        lists
odf_text.py             Text of OpenDocument files: paragraphs, headings, lists, notes, charts, formulas, and tables as
                        rows of cells
rtf_parser.py           Parser of Rich Text Format (RTF): tokens and control words as paragraphs; headings by style,
                        lists, tables, notes
legacy_office.py        Parsers of Word and PowerPoint files before 2007, and of Excel's binary files, by conversion
                        with LibreOffice
libreoffice.py          Conversion by LibreOffice, if installed, in a separate process that reads a copy and ends with
                        ours
ole.py                  Compound files (OLE) of old office programs and Outlook: their streams and metadata
page_renderer.py        Page renderer: single pages with marked passages as PNG, and consecutive pages of a document
                        that is kept open
mail_parser.py          Parsers of e-mail files: EML, MBOX and Outlook MSG, whose properties are streams in a compound
                        file (MS-OXMSG)
mail.py                 E-mail: messages and attachments as data classes, the parsing of attachments by their own
                        parsers with common limits, and the conversion into a document
zip_members.py          Members of ZIP archives: safe names, members to skip, and reading of archives attached to mail
encoding.py             Decoding of bytes: byte order marks, encoding detection, and text files read within a size limit
assembly.py             Builders of a ParsedDocument: text and blocks with offsets, long tables in parts, merged cells
                        as a plain grid
"""
