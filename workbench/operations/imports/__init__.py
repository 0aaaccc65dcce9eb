"""Import: paths -> files -> text and chunks in the store -> vectors; also of web pages, queries and notes.

importing.py         The importer: registers, reads and embeds files concurrently; and its control: pause, priority,
                     cancel, unlock
source_files.py      Source files: resolves paths and folders to files, hashes and copies them, and decides which can
                     be documents
archives.py          Archives: ZIP files, and files too long for one document, unpacked one member or part at a time
path_expansion.py    Path expansion: turns files, folders, archives and long files into the files to add, with file
                     patterns; preview of a drop
register_files.py    Registration of files: inserts the rows of many files at once, then hashes each and searches for
                     duplicates
original_copies.py   The library's own copies of source files, stored by hash; created one at a time or many together
file_reading.py      File reading: takes one file or many small files from the hash to the stored text, long files in
                     parts
reader_process.py    Reader processes: parse and chunk a file in a child, the permissions of the child, passwords of
                     encrypted files
second_pass.py       The second, slow pass of reading, after a document is stored: OCR and the layout model read some
                     pages again
page_reading.py      Page reading in a child process: pages of a stored document are read again, by OCR or for lost
                     tables
embedding.py         Embedding: batches of chunks from several documents get vectors, stored in the database, then in
                     the index
import_state.py      State of an import: its reading tasks, files in progress, files that wait for a duplicate, and
                     outcomes
import_queue.py      Import queue of a library: pause, priority and cancellation; and a queue of documents
progress.py          Progress of an import over all its stages, and one estimate of the remaining time
web_pages.py         Web pages and encyclopaedia topics as documents: fetched on request, and fetched again on request
queries.py           Database queries as documents: read-only, each row is a record that a citation can name, run again
                     on request
notes.py             Notes: text typed by the user or added by a model becomes a document
non_file_sources.py  Import of web pages, query results and notes as documents: rows first, then the content, read like
                     any file
temp_files.py        Temporary files: staging folders, orphans and the start-up clean-up, reference counts of copies
"""
