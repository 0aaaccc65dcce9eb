"""Exhaustive reading: one question asked of every passage.

exhaustive.py          Exhaustive reading: start and continue a question asked of every passage; its estimate and its
                       offer
exhaustive_run.py      Run of an exhaustive reading: the reader of a model profile, batches side by side, the
                       conclusion
exhaustive_records.py  Stored exhaustive readings: list, open, rename, remove, restore, export to a file
"""
