"""Fetching: an address or a query -> a file that parsing can read; the network is used only where the user asked.

base.py            What is fetched, and under which limits: addresses become files, queries become tables
address.py         Web addresses as people type them, and which machines may be asked for a page
topic.py           A topic -> the address at which an encyclopaedia is asked for its article, and whether what came is
                   one
web_fetcher.py     An address -> the file behind it: redirects followed and checked, one request at a time per host,
                   limits on all
body.py            Bytes as they were before the server compressed them, and no more of them than allowed
content_kind.py    What a server says a body is -> the ending of the file's name, which chooses its parser
statuses.py        What servers and networks say when there is no page, in words for people
page_title.py      A page's title, read from its first bytes: for the row in the library, before a parser has seen the
                   page
chromium.py        Pages that scripts make: an installed Chromium runs them and says what the page then holds
gateway.py         The way out for a browser that runs a page's scripts
sqlite_query.py    A query on an SQLite file that cannot change it: opened read-only, and every step of the query is
                   judged
postgres_query.py  A query on a PostgreSQL server that cannot change it: a read-only transaction, one statement,
                   limits
rows.py            Rows as they come from a database, up to the limits
connections.py     What a person gives as a database: a file or a server's address; and what of it may be shown and
                   kept
"""
