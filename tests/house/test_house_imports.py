"""Heavy packages are not imported before the window is shown."""

import subprocess
import sys

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
    statement = "from workbench.parsing.registry import supported_suffixes\nassert '.docx' in supported_suffixes()"
    assert _loaded_by(statement) == set()


def test_a_reader_process_loads_only_what_reading_takes() -> None:
    statement = "import workbench.preparation, workbench.parsing.warm_up, sys"
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
