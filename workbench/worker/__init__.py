"""The background worker: operation -> job -> events -> outcome; and child processes, which may do next to nothing.

job.py             A job: one operation on its way, seen from inside (JobContext) and from outside
                   (JobHandle)
worker.py          The one background thread: an asyncio loop on which every operation runs as a
                   task
priority.py        Giving way: what works in the background yields the processor to what a person
                   waits for
memory.py          What the program and its children ask of the C library, to hold little memory;
                   and whether memory ran out
folder_watch.py    Tells when something changes in folders, as far as the system tells it; a thread
                   of watchdog listens
processes.py       Functions run in child processes, confined and with limits: a crash or hang ends
                   one call, nothing else
failures.py        How a call in a child process can fail beside what the function itself raises
child.py           One child process as its parent sees it: started, spoken to, measured, ended
                   with everything that it started
watch.py           Watches busy children from outside: their time, their memory, their processes,
                   what they write
serving.py         The whole life of a child process: it gives up what it does not need, and serves
                   calls until its parent goes
interim.py         What a call says before its answer: how far it is, and what is ready so far
confinement.py     What a child process may do: read these files, write to its scratch folder,
                   start nothing, reach nobody
landlock.py        Landlock, by its system calls: what a thread, and all that it starts, may still
                   do with files and ports
seccomp.py         Seccomp: system calls that are refused to a thread, and to all that it starts.
                   Linux only, 64 bits
environment.py     Which environment variables a child process is given: those that it needs, and
                   never a key
scratch.py         Scratch folders: where a child process may write, one for each, gone with it
limits.py          What a child process asks of the operating system: an end with its parent, and a
                   cap on its memory
programs.py        Programs that are run to read a document, LibreOffice and Tesseract: from here,
                   and nowhere else
answers.py         What a child process says, written and read: only plain values and nouns of
                   ours, and never more than so much
confined_start.py  Start another program without the network: what without_network() has Python
                   run, and nothing else imports

A function in a child process, from the call to its answer:

    parent: pool -> child.say(call)  ........  child: thread with the rights of one file -> function -> packed answer
            watch: too long, too big? -> ends it       starter thread: LibreOffice, Tesseract
            unpacked answer  <........................
"""
