"""--mode and --no-rerank -> a search configuration."""

import argparse
import dataclasses
from typing import Any

from workbench import operations
from workbench.model.search_configuration import SearchConfiguration
from workbench.operations import Library
from workbench.worker.job import JobContext

SILENT = JobContext()


async def typed_configuration(library: Library, options: argparse.Namespace) -> SearchConfiguration | None:
    """Return what --mode and --no-rerank make of how the knowledge base is searched; None where neither was typed."""
    changes: dict[str, Any] = {}
    if options.mode is not None:
        changes["mode"] = options.mode
    if getattr(options, "no_rerank", False):
        changes["reranking"] = "none"
    if not changes:
        return None
    usual = await operations.search_settings(library, options.kb)(SILENT)
    return dataclasses.replace(usual.configuration, **changes)
