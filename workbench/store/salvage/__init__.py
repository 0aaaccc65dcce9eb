"""Recovery of readable rows from a damaged database, page by page, for damage that makes SQLite give up.

    library.sqlite3 + its log -> pages -> b-trees -> rows of our tables -> a new database of the same schema

page_file.py  Reader for the pages, cells and rows of a damaged database file and its log
rebuild.py    Reconstruction of a database: assignment of pages to tables, recognition of rows by the tables' shapes

The format is SQLite's own (https://www.sqlite.org/fileformat2.html). SQLite's command line has ".recover" for this; the
library included in Python does not.
"""
