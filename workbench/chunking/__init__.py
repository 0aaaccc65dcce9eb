"""A ParsedDocument -> Chunks: slices of its text.

base.py       the protocol
structure.py  StructureChunker: headings first, then sentences up to a target, atomic blocks whole
atoms.py      atomic blocks far longer than the embedder sees -> lines, and pieces of lines
runs.py       blocks -> runs of prose under their headings, and atomic blocks
units.py      a run's text -> sentences, and the pieces of a sentence that is too long
introductions.py  what introduces a table or a list stays with it, and the title over a table
packing.py    sentences -> chunks of even size, cut where a paragraph ends if possible
ruler.py      how many tokens any slice of the text has, from one tokenisation
sentences.py  where sentences start and end, in English, Chinese, Japanese and Korean
"""
