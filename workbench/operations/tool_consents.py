"""Which tool servers this user allows: kept for the user, not in the library, which may come from somebody else."""

from pathlib import Path

from workbench.model.extensions import ToolServer
from workbench.operations.user_config import config_folder
from workbench.plugins.plugin_consent import Consents


def consents() -> Consents:
    """Return what this user allows."""
    return Consents(config_folder() / "allowed-tool-servers.json")


def consent_key(library: Path, name: str) -> Path:
    """Return what a consent is kept under: the same name in another library is another server.

    Args:
        library: The library's folder.
        name: The server's.
    """
    return library.resolve() / "tool-servers" / name


def is_consented(library: Path, server: ToolServer) -> bool:
    """Tell whether the user consents to a server exactly as it is set up; blocking."""
    consent = consents().of(consent_key(library, server.name))
    return consent is not None and consent.sha256 == server.sha256
