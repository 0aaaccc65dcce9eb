"""Background worker thread for operations, and sandboxed child processes.

job.py              Job of an operation: JobContext for the operation, JobHandle and messages for its submitter
worker.py           Background thread with an asyncio event loop that runs every operation as a task
process_memory.py   Memory use and priority of processes, and detection of memory shortage
processes.py        Pool of sandboxed child processes with limits on time, memory, disk and processes
child_messages.py   Messages of child processes: restricted pickling of results, partial results, and exceptions of
                    calls
child.py            Child process as its parent controls it: start, measurement, watching of limits, termination
serving.py          Main loop of a child process: setup, memory limits and serving of calls
confinement.py      Sandbox of a child process: files, network, programs, resource limits
linux_sandbox.py    Linux sandbox by system calls: Landlock for files and ports, seccomp for refused system calls
environment.py      Selection of environment variables for child processes, without secrets
scratch.py          Scratch folders of child processes
programs.py         Execution of external programs: LibreOffice, Tesseract, browsers, installers
confined_start.py   Entry point that starts another program without network; see without_network()

    parent: pool -> child.send(call)  ........  child: thread with the rights of one file -> function -> packed result
            watcher thread: over a limit? -> kill      starter thread: LibreOffice, Tesseract
            unpacked result  <........................
"""
