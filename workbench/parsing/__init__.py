r"""Parsing: a file -> ParsedDocument (text with offsets, blocks, pages, metadata); runs in child processes.

base.py                The parser protocol: the bytes of a file in, a ParsedDocument out
parse.py               parse_file: the function that runs in the child process
isolated.py            Parsing in a child process, with limits: whatever a file does there, only that file fails
registry.py            Which parser takes a file: by the ending of its name, verified by what its bytes are
catalogue.py           Every format of our own: its name, where its parser is, and the endings of its files
foreign_formats.py     Documents that nothing here reads, and what their owners can do: one sentence each, by the
                       ending of the name
sniffing.py            What a file holds by its bytes, whatever its name says
text_parser.py         Plain text: whatever its encoding, paragraphs at blank lines, no headings guessed
subtitles_parser.py    Subtitles and transcripts (WebVTT, SubRip, SBV): who says what; each minute is a part, named by
                       its time
source_text.py         Reading a file that is text: bytes to characters, with a limit, and what there is to say of it
long_files.py          Files too long for one document, as parts: text between lines, tables between rows, mailboxes
                       between messages
row_ends.py            Where lines and the rows of tables end in a long file, found by its bytes without decoding them
markdown_parser.py     Markdown: the text is the source itself, and markdown-it's line maps find the blocks in it
markdown_math.py       Display formulas as blocks, for markdown-it: $$ ... $$, \[ ... \] and LaTeX's environments
front_matter.py        The metadata in front of a Markdown file: YAML between --- lines, or TOML between +++ lines
yaml_values.py         YAML that anybody may have written -> plain values, whatever it holds: PyYAML's own readers
                       trust what a tag says
rst_parser.py          reStructuredText, read by docutils: nothing is included or run, and what Sphinx adds is read as
                       its content
rst_directives.py      Directives and roles that docutils does not know, so that what Sphinx and others add is read
                       and not reported
rst_text.py            A docutils tree -> text and blocks
asciidoc_parser.py     AsciiDoc: the visible text without its markup for blocks and links; no well-kept library reads
                       it in Python
asciidoc_text.py       The lines of an AsciiDoc source -> text and blocks
asciidoc_tables.py     AsciiDoc tables as rows of cells
json_parser.py         JSON and JSON Lines: values under their keys, records as the places that citations name
json_text.py           JSON values as text that people read and search: lines of "key: value", nested objects under
                       their key paths
notebook_parser.py     Jupyter notebooks: Markdown cells as Markdown, code cells with what they printed; each cell is
                       a place
code_parser.py         Source code and configuration: the text is the file itself, in pieces that begin where
                       something is defined
code_pieces.py         Source code cut into pieces of a chunk's size, at definitions and blank lines, each named by
                       what it defines
code_languages.py      Programming languages and the endings of their files
epub_parser.py         EPUB books: each part of the reading order is a chapter, read as a web page
epub_package.py        What an EPUB's package says: the chapters in reading order with their titles, and the book's
                       metadata
html_parser.py         HTML: the visible text of a page's body in reading order, with headings, lists, code and tables
html_tree.py           Walking over an HTML tree without recursion: pages nest 20,000 deep to break programs
html_tables.py         HTML tables as rows of Markdown
html_metadata.py       What the head of an HTML page says of it, and in which encoding the page is written
table_grid.py          Tables whose cells reach over several columns and rows -> a plain grid; and how large a table
                       may be
dates.py               Dates as documents write them -> ISO 8601
web_page_parser.py     A page fetched from the web: what it is about, without the site's furniture, and where its
                       links lead
main_text.py           What a web page is about: the part that holds its running text, without the site around it
web_page_metadata.py   What a web page says of itself: to search engines (JSON-LD), to social networks (meta), to
                       browsers (title, time)
query_parser.py        The result of a database query: every row a record that a citation can name, in tables or as
                       lists of its values
fb2_parser.py          FictionBook: each part of the book is a chapter; its XML becomes the HTML that it means, read
                       as a web page
xps_parser.py          XPS, what Windows prints to instead of PDF: MuPDF makes a PDF of it, which is then read as any
                       other
leafing.py             Pages drawn one after another, for somebody who leafs through a document: it stays open between
                       them
mupdf.py               PyMuPDF, silenced, and without the layout model that it would load by itself (layout_model.py)
layout_model.py        The layout model that comes with PyMuPDF: what stands where on a page; loaded by the child that
                       reads with it
warm_up.py             Imported by a parser process when it starts, so that its first file waits neither for PyMuPDF
                       nor for its parser
pdf_parser.py          PDF through PyMuPDF: opening, and the way from pages to a document
pdf_assembly.py        Pages of a PDF -> a document, by sections: what one decides about is a section, and only its
                       words are held
pdf_words.py           A page's lines of words with their boxes, in the page's own order, as displayed
pdf_columns.py         Reading order: one or more columns, with headings and figures that run across them
pdf_furniture.py       Running heads, feet and page numbers: lines that come back, or count, at the same place on most
                       pages
pdf_contents.py        Tables of contents: titles with page numbers, which are no table to be looked up in and no
                       headings either
pdf_paragraphs.py      Lines -> paragraphs, list items, code; headings come out later, when the whole document's sizes
                       are known
pdf_headings.py        Which paragraphs are headings, and of which level: by the outline, else by size and weight
pdf_rules.py           Ruling lines of a page: its vector drawings -> horizontal and vertical rules, snapped to one
                       another and joined
pdf_ruled_grids.py     Rules -> cells -> grids: where rules cross, which four crossings make a cell, and which cells
                       share corners
pdf_tables.py          Tables whose cells are known: ruling lines draw a grid, or the layout model says where it is
pdf_aligned_tables.py  Tables without a grid: rows of short pieces that stand below one another
pdf_table_columns.py   Columns of a table as people see them: a currency sign belongs to its number, and so do the
                       marks behind it
pdf_table_joining.py   Parts of one table -> one table: its head above a ruled body, its sections, and rows too few to
                       be found alone
pdf_lost_tables.py     Pages on which a table stands that was read as lines of text: where the layout model is worth
                       its half second
pdf_table_model.py     read_tables: a page of a PDF -> where the layout model sees tables and their cells; runs in a
                       child of its own
pdf_upright.py         Pages whose text does not run from left to right as they are stored: turned, and stored so that
                       it seems not to
pdf_text.py            Paragraphs -> the document's text, blocks and pages, and where each word stands; cut words are
                       mended
pdf_quality.py         What a page's text layer is worth: good, missing although there is something to see, or not
                       what people see
pdf_findings.py        What was found in a PDF and what was lost, as findings and as sentences
pdf_metadata.py        What a PDF says of itself: title, author, dates, keywords, outline
pdf_titles.py          The title of a PDF: by the cover of a filing, or by the largest heading where the metadata
                       names none
image_parser.py        Pictures: documents whose pages all wait for OCR
image_file.py          Picture files: their pages, size and metadata, and a page of one as pixels or as a page of
                       PyMuPDF's
ocr_base.py            What an OCR engine is given and gives back
ocr_rapid.py           RapidOCR: PP-OCR models for Chinese and English on onnxruntime; the models come in its wheel
ocr_tesseract.py       Tesseract, where it is installed: the program is called, no library of ours is needed
ocr_upright.py         Pictures that lie on their side or stand on their head are turned before they are read
ocr_page.py            read_page: a page of a PDF or picture -> lines of words with their boxes; what runs in the
                       child that reads
ocr_layout.py          Pages read by OCR -> text with blocks and boxes, in reading order, the way a PDF's own text
                       goes
ocr_splice.py          Put the text of pages that were read by OCR in its place in a document: everything behind it
                       moves
ocr_document.py        A document and some of its pages as OCR read them -> the document with their text, and findings
                       that say so
zip_package.py         The parts of an office document in a ZIP container, read with limits; a damaged one gives what
                       it still holds
shallow_tree.py        XML that nests deeper than libxml2 reads (256) as a tree that is not so deep, with all of its
                       text in its order
office_encryption.py   Encrypted Word, PowerPoint and Excel files, old and new
ooxml.py               What Word, PowerPoint and Excel files share: relationships between parts, metadata, encryption
drawings.py            Charts and diagrams of office documents: their words and figures
omml.py                Formulas of office documents (OMML) as linear text in the manner of LaTeX
docx_parser.py         Word documents: body text with headings, lists, tables, formulas, code; then notes and comments
docx_body.py           The body of a Word document, block by block
docx_inline.py         The running text of a Word paragraph, and what hangs on it: notes, boxes, pictures, formulas
docx_styles.py         What the styles of a Word document say of a paragraph: heading level, list, code
docx_numbering.py      The numbers and bullets that Word puts before the paragraphs of a list
docx_tables.py         Tables of Word documents as rows of cells
docx_pages.py          Where the pages of a Word document begin, as Word laid it out when it was last saved
pptx_parser.py         PowerPoint presentations: a page for each slide, with its title as the label
pptx_slide.py          One slide: its shapes in reading order, its tables and charts, its notes
pptx_text.py           The paragraphs of a shape on a slide, with the bullets and numbers that people see
pptx_comments.py       Comments on slides, of both kinds that PowerPoint writes
slide_order.py         The order in which people read the shapes of a slide
xlsx_parser.py         Excel workbooks: a page for each sheet, with what people see in its cells
xlsx_sheet.py          The cells of an Excel workbook, read as a stream: a sheet of a million rows has 300 MB of XML
xlsx_extras.py         What lies over the cells of a sheet: comments, boxes of text, charts, pictures
xls_parser.py          Excel workbooks of the years before 2007
workbook.py            What every spreadsheet becomes: a text with a page for each sheet
sheet_regions.py       The tables of a sheet: its cells, divided at empty rows and columns
number_format.py       Numbers and dates of spreadsheets as people see them, by the format code of the cell
csv_parser.py          CSV and TSV: one table, in parts that a search can find
long_tables.py         Long tables in parts that a search can find, each with the table's head
page_layout.py         Dividing a finished text into its pages, slides or sheets
odt_parser.py          OpenDocument text documents
odp_parser.py          OpenDocument presentations: a page for each slide, with its title as the label
ods_parser.py          OpenDocument spreadsheets: a page for each sheet
odf_package.py         OpenDocument files as their parts: content, styles, metadata, embedded objects
odf_encryption.py      Encrypted OpenDocument files: each part is packed, then encrypted with a key made from the
                       password
odf_text.py            The text of OpenDocument files: paragraphs, headings, lists, tables, notes, boxes, charts,
                       formulas
odf_styles.py          What the styles of an OpenDocument file say of paragraphs and lists
odf_tables.py          Tables of OpenDocument files as rows of cells
rtf_parser.py          Rich text: paragraphs, headings by style, lists, tables, notes
rtf_reader.py          Rich text as a flow of paragraphs: what stands in them, and what they are
rtf_tokens.py          Rich text format taken apart: groups, control words, characters
legacy_office.py       Word and PowerPoint files of the years before 2007, and Excel's binary ones: LibreOffice makes
                       new ones of them
libreoffice.py         Conversion by LibreOffice, where it is installed: a process of its own that sees a copy and
                       ends with ours
ole_metadata.py        What an old office file says of itself
ole_streams.py         The streams of a compound file (OLE), as old office programs and Outlook write it
render.py              A page as a picture, with passages marked on it
eml_parser.py          EML: a message as it was sent, with its attachments
mbox_parser.py         MBOX: many messages in one file, each a page
msg_parser.py          MSG: a message as Outlook keeps it, with its attachments
msg_reader.py          The properties of an Outlook message: numbered streams in a compound file (MS-OXMSG)
mail.py                What an e-mail message is, whatever kind of file it came in
mail_text.py           Messages with their attachments -> one text: each message and each page of an attachment is a
                       page of it
mail_archives.py       ZIP archives that came with a message: their files one by one, read into memory within limits
archive_members.py     The members of a ZIP archive: names decoded, harmless, and each only once; and which are no
                       documents
mail_words.py          The bytes and words of e-mail as text: character sets that are wrong, unknown or missing, and
                       encoded words
nested.py              Files within files: an attachment is read by the parser of its own format, within limits for
                       all of them together
encoding.py            Bytes -> text: byte order marks, Unicode without marks, then what chardet makes of it
assembly.py            Putting a document's text and blocks together so that the offsets hold
"""
