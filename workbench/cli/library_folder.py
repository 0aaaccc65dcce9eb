"""The library that is used when none is named."""

import os
from pathlib import Path


def default_library() -> Path:
    """Return the folder that $WORKBENCH_LIBRARY names, else the one in the user's data folder."""
    named = os.environ.get("WORKBENCH_LIBRARY")
    if named:
        return Path(named)
    import platformdirs  # 15 ms, and not needed where the folder is named

    return Path(platformdirs.user_data_dir("knowledge-workbench", appauthor=False)) / "library"
