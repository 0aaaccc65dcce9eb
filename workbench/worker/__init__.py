"""The background worker: operation -> job -> events -> outcome; and child processes, which may do next to nothing.

job.py              A job: one operation on its way, seen from inside (JobContext) and from outside (JobHandle)
worker.py           The one background thread: an asyncio loop on which every operation runs as a task
process_memory.py   Memory and priority of the processes of the program: little memory held, the processor yielded,
                    shortage noticed
folder_watch.py     Tells when something changes in folders, as far as the system tells it; a thread of watchdog
                    listens
processes.py        Functions run in child processes, confined and with limits: a crash or hang ends one call, nothing
                    else
failures.py         How a call in a child process can fail beside what the function itself raises
child.py            Child processes as their parent sees them: started, measured, watched against limits, ended with
                    all they started
serving.py          The life of a child process: limits, calls served until its parent ends, and the ways in which a
                    call can fail
partial_results.py  What a call says before its answer: how far it is, and what is ready so far
confinement.py      What a child process may do: read these files, write to its scratch folder, start nothing, reach
                    nobody
linux_sandbox.py    Linux sandbox by system calls: Landlock for files and ports, seccomp for refused system calls
environment.py      Which environment variables a child process is given: those that it needs, and never a key
scratch.py          Scratch folders: where a child process may write, one for each, gone with it
programs.py         Programs that are run to read a document, LibreOffice and Tesseract: from here, and nowhere else
safe_pickle.py      What a child process says, written and read: only plain values and nouns of ours, and never more
                    than so much
confined_start.py   Start another program without the network: what without_network() has Python run, and nothing else
                    imports

    parent: pool -> child.say(call)  ........  child: thread with the rights of one file -> function -> packed answer
            watch: too long, too big? -> ends it       starter thread: LibreOffice, Tesseract
            unpacked answer  <........................
"""
