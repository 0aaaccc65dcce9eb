"""What can still be read of a damaged database: page by page, past SQLite, which gives up where one is off.

    library.sqlite3 + its log -> pages -> b-trees -> rows of our tables -> a new database of the same schema

page_file.py  A damaged database file and its log read as pages, cells and rows, whatever is broken between them
rebuild.py    A new database from the rows that could be read: which table each page is of, what rows of our tables
              look like

The format is SQLite's own (https://www.sqlite.org/fileformat2.html). SQLite's command line has ".recover" for this; the
library that Python has comes without it.
"""
