"""Build hook of hatchling: adds the exported built-in embedding model to the sdist and to the wheel."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCES = ("build/models", "resources/models")
"""Folders with the export: in a checkout, where packaging/export_model.py was run; in an unpacked sdist."""

TARGETS = {"sdist": "resources/models", "wheel": "workbench/_resources/models"}


class ModelHook(BuildHookInterface[Any]):
    """Includes the model if it was exported; without it, the program needs the extra “built-in-model”."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the folder of the model, unless the program is installed from its checkout (“editable”)."""
        found = next((path for path in (Path(self.root, source) for source in SOURCES) if path.is_dir()), None)
        if found is not None and version != "editable":
            build_data["force_include"][str(found)] = TARGETS[self.target_name]
