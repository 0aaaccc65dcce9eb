"""The background worker: operation -> job -> events -> outcome.

job.py          what an operation is given (JobContext) and what a caller holds (JobHandle)
worker.py       one thread with an asyncio loop; CPU work goes to named executors
processes.py    functions run in child processes with limits on time and memory
limits.py       what such a child asks of the operating system
memory.py       what every process of the program asks of the C library
folder_watch.py tells when something changes in folders
priority.py     background work gives way to what a person waits for
"""
