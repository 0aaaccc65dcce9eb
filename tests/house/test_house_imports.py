"""Heavy packages are not imported before the window is shown."""

import ast
import inspect
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import workbench
from workbench import operations
from workbench.cli.main import COMMANDS
from workbench.cli.parser import build_parser

HEAVY = (
    *("torch", "sentence_transformers", "transformers", "onnxruntime", "faiss", "pymupdf", "openai"),
    *("rapidocr", "cv2", "PIL", "lxml", "docutils", "xlrd", "selectolax", "msoffcrypto", "cryptography", "psycopg"),
)


def _loaded_by(statement: str) -> set[str]:
    code = f"{statement}\nimport sys\nprint(' '.join(m for m in {HEAVY!r} if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_the_window_loads_nothing_heavy() -> None:
    assert _loaded_by("import workbench.app") == set()


def test_importing_the_command_line_and_its_operations_loads_nothing_heavy() -> None:
    assert _loaded_by("import workbench.cli.commands, workbench.operations") == set()


def test_knowing_every_format_loads_none_of_their_libraries() -> None:
    module = "workbench.parsing.parser_registry"
    statement = f"from {module} import supported_suffixes\nassert '.docx' in supported_suffixes()"
    assert _loaded_by(statement) == set()


def test_a_reader_process_loads_only_what_reading_takes() -> None:
    statement = "import workbench.preparation, workbench.parsing.parser_imports, sys"
    unwanted = "assert not {'numpy', 'workbench.operations'}.intersection(sys.modules)"
    assert _loaded_by(f"{statement}\n{unwanted}") == {"pymupdf"}


def test_an_embedder_that_was_exported_once_needs_no_torch(embedder: object) -> None:
    statement = (
        "from workbench.embedding.sentence_transformer import load_embedder\n"
        "from workbench.operations.library.models import model_cache\n"
        "load_embedder('', cache=model_cache()).embed_query('warm up')"
    )
    _loaded_by(statement)
    assert _loaded_by(statement) & {"torch", "sentence_transformers", "transformers"} == set()


def test_opening_a_library_from_the_command_line_loads_no_numpy_and_no_keyring() -> None:
    statement = "import workbench.cli.commands, sys\nassert not {'numpy', 'keyring'}.intersection(sys.modules)"
    assert _loaded_by(statement) == set()


def test_every_operation_that_type_checkers_see_is_imported_on_first_use() -> None:
    source = ast.parse(Path(operations.__file__ or "").read_text("utf-8"))
    imports = [node for node in ast.walk(source) if isinstance(node, ast.ImportFrom)]
    seen = {alias.name for node in imports if "workbench" in (node.module or "") for alias in node.names}
    assert len(seen) > 200
    assert seen == set(dir(operations))
    assert all(getattr(operations, name).__module__.startswith("workbench.operations.") for name in seen)


def test_type_checkers_see_every_public_name() -> None:
    source = ast.parse(Path(workbench.__file__ or "").read_text("utf-8"))
    imports = [node for node in ast.walk(source) if isinstance(node, ast.ImportFrom)]
    assert {alias.name for node in imports for alias in node.names} >= set(workbench.__all__) > {"Library"}


def test_every_command_has_a_function_that_runs_it() -> None:
    (commands,) = (action for action in build_parser()._actions if action.dest == "command")
    assert set(commands.choices or ()) == {*COMMANDS, "gui", "tour"}
    for place in COMMANDS.values():
        module, _, name = place.rpartition(".")
        assert inspect.iscoroutinefunction(getattr(import_module(f"workbench.cli.{module}"), name)), place
