"""What can still be read of a damaged database: page by page, past SQLite, which gives up where one is off.

    library.sqlite3 + its log -> pages -> b-trees -> rows of our tables -> a new database of the same schema

page_file.py   the file and its log -> pages; which are free, and which page hangs below which (pointer maps)
records.py     a page -> its cells -> their values, overflow pages included
trees.py       pages -> which table each is of, although pages above it are gone
shapes.py      what rows of our tables look like: the last means to tell whose a page is
rebuild.py     rows -> a new database, and what did not fit

The format is SQLite's own (https://www.sqlite.org/fileformat2.html). SQLite's command line has ".recover" for this; the
library that Python has comes without it.
"""
