"""Fetching: an address or a query -> a file that parsing can read; the network is used only where the user asked.

base.py            What is fetched, and under which limits: addresses become files, queries become tables
address.py         Web addresses: as typed, of encyclopaedia topics, and which machines may be asked for a page
web_fetcher.py     HTTP fetcher: redirects and limits, decompression of bodies, and failures in words for people
content_type.py    Content type of a fetched body: the file's ending and name, and the page's title
chromium.py        Pages that scripts make: an installed Chromium, and the loopback proxy that is its only way to the
                   network
database_query.py  Read-only database queries on SQLite files and PostgreSQL servers, with limits on rows
connections.py     What a person gives as a database: a file or a server's address; and what of it may be shown and
                   kept
"""
