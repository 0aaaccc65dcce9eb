"""A ParsedDocument -> Chunks: slices of its text.

base.py           The chunker protocol: a ParsedDocument in, Chunks out
structure.py      The chunker: headings first, then sentences up to a target, atomic blocks whole unless they are huge
atoms.py          Atomic blocks far longer than the embedder sees: cut between lines, and lines too long as prose is
                  cut
runs.py           Blocks into runs: stretches of prose, each under its headings, and atomic blocks on their own
units.py          Prose into units that are packed into chunks: sentences, or the pieces of a sentence that is too
                  long
introductions.py  What introduces a table or a list is not cut from it: "The following table presents
packing.py        Units into chunks of even size, cut at the best place near the even size
ruler.py          How many tokens any slice of a text has, from one tokenisation of the whole
sentences.py      Where sentences start and end, in English, Chinese, Japanese and Korean; every offset is true
"""
