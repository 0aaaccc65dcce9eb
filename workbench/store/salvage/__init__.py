"""What can still be read of a damaged database: page by page, past SQLite, which gives up where one is off.

    library.sqlite3 + its log -> pages -> b-trees -> rows of our tables -> a new database of the same schema

page_file.py  A database file and its log -> pages, whatever is broken between them
records.py    A page of a b-tree -> its cells -> the values of its rows
trees.py      Pages -> which table each is of, although pages above it may be gone
shapes.py     What rows of our tables look like
rebuild.py    Rows that could be read -> a new database of the same schema

The format is SQLite's own (https://www.sqlite.org/fileformat2.html). SQLite's command line has ".recover" for this; the
library that Python has comes without it.
"""
