"""Fetching of web pages and database tables as files for parsing; the network is used only at the user's request.

base.py            Protocols and limits of fetching: addresses become files, queries become tables
address.py         Web addresses: normalisation, encyclopaedia topics, and the check of the machines that may be asked
web_fetcher.py     HTTP fetcher: redirects and limits, decompression of bodies, and error messages for the user
content_type.py    Content type of a fetched body: the file's ending and name, and the page's title
chromium.py        Rendering of pages with scripts: an installed Chromium, and the loopback proxy that is its only way
                   to the network
database_query.py  Database queries: connections to SQLite files and PostgreSQL servers, and one SELECT, read-only and
                   within limits
"""
