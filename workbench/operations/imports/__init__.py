"""Import: paths -> files -> text and chunks in the store -> vectors; web pages, queries and notes likewise.

importing.py         The importer: registers, reads and embeds files side by side; and its control: pause, priority,
                     cancel, unlock
source_files.py      Source files: paths and folders resolved to files, their digests and copies, and which kinds can
                     be documents
archives.py          Archives: ZIP files, and files too long for one document, unpacked one member or part at a time
path_expansion.py    Path expansion: named files, folders, archives and long files to the files to add, under file
                     patterns
register_files.py    Registration of files: rows for many at once, then the hash of each and the search for duplicates
original_copies.py   The library's own copies of source files, by the hash of what is in them: made one at a time or
                     many together
file_reading.py      File reading: takes one file or many small files from the hash to the stored text, long files in
                     parts
reader_process.py    Reader processes: parse and chunk a file in a child, what such a child may see, and passwords of
                     encrypted files
second_pass.py       The second, slow step of reading, after a document is stored: some of its pages are read again,
                     with more effort
page_reading.py      Pages of a stored document read again in a child process, by OCR or for lost tables, and the
                     result put back
embedding.py         Chunks without a vector -> vectors: batches gathered over documents, written to the store, then
                     to the index
import_state.py      State of an import: its reading tasks, files in progress, files that wait for a duplicate, and
                     outcomes
import_queue.py      Import queue of a library (pause, priority, cancellation) and the estimate of the remaining time
web_pages.py         Web pages and encyclopaedia topics as documents: fetched on request, and fetched again on request
queries.py           Queries on databases as documents: read-only, every row a record that a citation names, run again
                     when asked
notes.py             Notes: text typed by the user or added by a model becomes a document
non_file_sources.py  What was fetched, asked of a database or typed becomes documents: rows first, then content, read
                     like any file
temp_files.py        Temporary files: staging folders, orphans and the start-up clean-up, reference counts of copies
"""
