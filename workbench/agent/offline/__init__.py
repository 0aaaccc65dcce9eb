"""What the offline answerer does beside quoting sentences: it answers requests about whole documents from structure.

requests.py  A request about whole documents -> the tool that gives their structure, then the answer made of what it
             gave
overview.py  Outlines -> Markdown: one document section by section, two side by side, all of the library with how each
             begins
listings.py  Mentions and tables -> Markdown: how many documents hold words and where, all rows of a table or list
wording.py   What answers from structure say in our own words, in English and Chinese; all else they say is quoted
"""
