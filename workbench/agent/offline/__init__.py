"""What the offline answerer does beside quoting sentences: it answers requests about whole documents from structure.

requests.py  a request -> the tool that gives the structure, then the answer made of its result
overview.py  outlines -> Markdown: one document, two side by side, the whole library
listings.py  mentions and tables -> Markdown
wording.py   what is said in our own words, in English and Chinese; all else is quoted
"""
