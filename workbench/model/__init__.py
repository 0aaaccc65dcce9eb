"""The nouns: frozen dataclasses from the standard library, known to every room.

Document and ParsedDocument -> Chunk -> Hit -> Reference and Citation -> RunEvent -> Run -> Session.
"""
