"""A session and a way to draw a cited page in, the bytes of one file out: Markdown, HTML or JSON.

base.py             the exporter protocol and what an exporter is given
registry.py         format name -> exporter
transcript.py       run -> footnotes and steps, the same for every format that people read
escaping.py         text that a document controls -> text that cannot break out of where it is put
answer_markdown.py  the answer's Markdown -> Markdown that stays inside its section
markdown.py         session -> Markdown with footnotes
markdown_parts.py   footnotes, steps and searches in Markdown
html.py             session -> one self-contained page
html_parts.py       source cards, steps and searches in HTML
html_style.py       the style sheet of that page
session_json.py     session -> documented JSON, and back
json_codec.py       the nouns -> JSON values, and back
markdown_source.py  answer Markdown -> its blocks, by the rules of CommonMark
markdown_reader.py  blocks -> HTML, with python-markdown; imported only when the first answer is rendered
rendering.py        answer Markdown -> sanitised HTML, shared with the chat pane
"""
