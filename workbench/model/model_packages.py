"""Packages that load other embedding models: whether they are installed, and the progress of their installation."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelPackages:
    """State of the packages.

    Attributes:
        are_installed: Other embedding and reranking models can be loaded.
        hosts: Hosts from which they would be downloaded.
        command: Command that installs them, as typed in a terminal; empty if this installation cannot be extended.
    """

    are_installed: bool
    hosts: tuple[str, ...] = ()
    command: str = ""


@dataclass(frozen=True, slots=True)
class PackageInstallProgress:
    """Progress of the installation.

    Attributes:
        text: Last line of the installer, such as the name of the file that is downloaded.
        done: Bytes of this file that have arrived.
        total: Bytes of this file; 0 if unknown.
    """

    text: str
    done: int = 0
    total: int = 0
