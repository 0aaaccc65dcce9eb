"""Where it is kept what a user allows: not in a library, which may come from somebody else."""

from pathlib import Path

import platformdirs


def config_folder() -> Path:
    """Return the user's folder for what this program is to remember of them; it need not be there yet."""
    return Path(platformdirs.user_config_dir("knowledge-workbench", appauthor=False))
