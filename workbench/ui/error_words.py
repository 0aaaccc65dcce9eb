"""What went wrong, in words."""

from workbench.errors import WorkbenchError
from workbench.language import said, tr
from workbench.ui.toast import BUG


def error_words(error: BaseException) -> str:
    """Return an error's own words and its hint where it is fit to be shown, one calm sentence where it is a bug."""
    if not isinstance(error, WorkbenchError):
        return tr(BUG)
    return f"{said(error.message)} {said(error.hint)}".rstrip()
