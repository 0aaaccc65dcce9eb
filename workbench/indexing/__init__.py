"""Vectors -> nearest neighbours: a cache of the library's vectors, made for searching.

    new vectors -> tail, in memory -> segment, a file -> merged with its like -> lists, where there are many

base.py         the VectorStore protocol
faiss_store.py  the store: its parts, changed and saved while searches go on
part.py         some vectors and which of them are dead: a tail or a segment, as a search sees it
tail.py         what came last, in memory
segment.py      a file of vectors that is never changed
index_file.py   an open file, which other programs may damage: reads of it are right, or an error
file_rows.py    vectors that stay in their file
manifest.py     the file that says of which segments an index consists
folder.py       the files of an index: names, opening, sweeping
merging.py      which parts become one segment
searching.py    one search over all parts
flat.py         every vector compared
lists.py        IVF with a byte for each value: candidates, of which the segment gives the exact order
loaded_lists.py lists that are read when a search looks at them
centres.py      k-means on the sphere
durable.py      files written whole or not at all
opening.py      what was saved, brought into step with the library
reading.py      what was saved, read beside the program that writes it
checking.py     what was saved, held against the library; nothing is changed
following.py    a store brought into step with the library
mending.py      the same when a search finds a file damaged
first_vectors.py  rough vectors of what waits to be embedded, searched together with the index
token_codec.py  token vectors, compressed and scored, for late interaction

projection/     the same vectors laid out in a plane, to be looked at
"""
