"""Exhaustive reading: one question asked of every passage.

exhaustive_start.py    Exhaustive reading: start and continue a question asked of every passage; estimate and offer it
exhaustive_run.py      Run of an exhaustive reading: the reader of a model profile, concurrent batches, the conclusion
exhaustive_records.py  Stored exhaustive readings: list, open, rename, remove, restore, export to a file
"""
