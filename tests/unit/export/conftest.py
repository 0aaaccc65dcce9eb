"""A context for exports."""

import pytest
from export_session import PNG

from workbench.export.base import ExportContext


@pytest.fixture
def context() -> ExportContext:
    """Return a context that renders a page of one pixel."""
    return ExportContext("0.1.0", "2026-11-21T08:00:00+00:00", "/home/someone/Library", lambda _citation: PNG)
