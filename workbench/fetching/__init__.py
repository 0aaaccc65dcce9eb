"""Fetching: an address or a query -> a file that parsing can read; the network is used only where the user asked.

base.py            what is fetched, under which limits: the protocols
address.py         web addresses as typed, and which machines may be asked
topic.py           a topic -> the address at which an encyclopaedia is asked for it
web_fetcher.py     an address -> the file behind it, over HTTP
body.py            bytes as they were before the server compressed them, up to a limit
content_kind.py    what the server says a body is -> the ending of the file's name, which chooses its parser
statuses.py        why there is no page, in words for people
page_title.py      a page's title, for the row in the library
chromium.py        pages that scripts make, through an installed Chromium
gateway.py         the way out for Chromium: a proxy that asks the same machines and no others
sqlite_query.py    a query on an SQLite file
postgres_query.py  a query on a PostgreSQL server
rows.py            what both give: rows, up to the limits
connections.py     which of the two a connection means, and what of it may be shown
"""
