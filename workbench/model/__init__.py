"""The nouns: frozen dataclasses from the standard library, known to every room.

Document, ParsedDocument (with Page, Finding) -> Chunk -> Hit -> Reference and Citation -> RunEvent -> Run -> Session.
"""
