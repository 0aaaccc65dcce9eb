"""Operating system: what the program does differently on Linux, macOS and Windows, behind one class.

operating_system.py  System, whose methods do what every system can do or nothing, and current(), which returns this one
posix.py             POSIX systems: process groups, resource limits, file locks
linux.py             Linux: parent-death signal, priorities of threads, limits on address space, /proc
macos.py             macOS: quality of service of threads
windows.py           Windows: job objects, priority classes, long paths, by its documented C functions

Other packages ask current() and compare no name of a system themselves, which tests/house checks. Only Linux
was ever run; the methods for macOS and Windows follow the vendors' documentation and are tested with fakes.
"""

from workbench.system.operating_system import ProcessGroup, System, current, existing

__all__ = ["ProcessGroup", "System", "current", "existing"]
