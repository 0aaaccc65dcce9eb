"""Imports of the program before the arguments are parsed."""

import subprocess
import sys

HEAVY = ("asyncio", "numpy", "faiss", "onnxruntime", "torch", "pymupdf", "openai", "PySide6", "workbench.operations")


def test_neither_the_window_nor_help_waits_for_what_commands_need() -> None:
    code = f"""import sys
from workbench.cli import main
try:
    main(["--help"])
except SystemExit:
    pass
print([name for name in {HEAVY!r} if name in sys.modules])"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_window_does_not_wait_for_what_could_have_been_typed() -> None:
    names = ("argparse", "ctypes", "workbench.cli.parser")
    code = f"import sys, workbench.cli; print([name for name in {names!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
