"""Chunking: the chunks of a parsed document, which are slices of its text.

structure.py   Chunker protocol, and StructureChunker: headings first, sentences packed into even chunks, blocks cut
               between lines
block_runs.py  Runs of blocks: prose under its headings, single atomic blocks, and the captions and sentences that
               introduce them
table_heads.py Names of the columns of a table, and the unit of its values, as read from its Markdown rows
units.py       Units that are packed into chunks: sentences and pieces of long ones, measured by the token offsets of a
               text
sentences.py   Sentence boundaries in English, Chinese, Japanese and Korean, as offsets into the text
"""
