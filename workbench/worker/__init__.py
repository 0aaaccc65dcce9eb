"""The background worker: operation -> job -> events -> outcome; and child processes, which may do next to nothing.

job.py          what an operation is given (JobContext) and what a caller holds (JobHandle)
worker.py       one thread with an asyncio loop; CPU work goes to named executors
priority.py     background work gives way to what a person waits for
memory.py       what every process of the program asks of the C library
folder_watch.py tells when something changes in folders

A function in a child process, from the call to its answer:

processes.py    ProcessPool: run(function, *args) with limits; failures.py: how that can end
child.py        one child as its parent sees it: started, spoken to, measured, ended with all that it started
watch.py        one thread looks at the time, memory, processes and files of busy children
serving.py      one child from inside: gives up what it does not need, then serves calls
interim.py      what a call says before its answer: how far it is, and parts of it
confinement.py  what a child may do, and what of that the system lets us enforce
landlock.py     files and ports, by Landlock; seccomp.py: system calls, by seccomp
environment.py  which variables a child is given; scratch.py: the folder that it may write to
limits.py       its end with its parent, and a cap on its memory
programs.py     LibreOffice and Tesseract, run for a child
answers.py      what a child says, written and read: plain values and nouns of ours, and never more than so much
confined_start.py  another program, started without the network

    parent: pool -> child.say(call)  ........  child: thread with the rights of one file -> function -> packed answer
            watch: too long, too big? -> ends it       starter thread: LibreOffice, Tesseract
            unpacked answer  <........................
"""
