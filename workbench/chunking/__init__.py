"""A ParsedDocument -> Chunks: slices of its text.

base.py       The chunker protocol: a ParsedDocument in, Chunks out
structure.py  StructureChunker: headings first, sentences packed into even chunks, long atomic blocks cut between
              lines
runs.py       Runs of blocks: prose under its headings, atomic blocks alone, and the captions and sentences that
              introduce them
units.py      Units that are packed into chunks: sentences and pieces of long ones, measured by the token offsets of a
              text
sentences.py  Where sentences start and end, in English, Chinese, Japanese and Korean; every offset is true
"""
