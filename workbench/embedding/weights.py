"""The weights of a graph in a file beside it: onnxruntime maps that file, and reads of it what it uses.

Half of the built-in model is a table with a row for each of 30,522 words. Mapped, only the rows of words that occur
are read, and what is not used for a while is the system's to take back. Of int8 and fp32: loaded in 0.10 and 0.12 s
instead of 0.13 and 0.36, in 20 and 49 MB instead of 75 and 101, 38 and 36 MB less after the first batches; the vectors
are the same to the last bit, and so is the speed.

A mapped file that another program cuts short ends the process with SIGBUS. These files stay mapped all the same: they
lie in a cache folder of the program's own, which no sync client or restore is pointed at, only an export writes them,
and the next start makes an export anew of which a file has another size. Read into memory they would take 55 MB more
of every process that embeds; mapped from a copy that no other program knows, 58 MB (int8) were written at each start,
in 40 ms of processor time and 0.2 s.
"""

from pathlib import Path

from workbench.files.changes import delete_file

# Smaller ones stay in the graph.
_LEAST_BYTES = 1024


def set_weights_apart(graph: Path, *, revision: str) -> None:
    """Move the weights of a graph into a file beside it.

    Its name says of which revision they are: a graph finds its own weights or none.
    """
    # Heavy: 0.2 s; needed by an export only.
    import onnx

    location = f"{graph.stem}-{revision}.weights"
    model = onnx.load(graph)
    delete_file(graph, within=graph.parent)
    onnx.save_model(
        model,
        graph,
        save_as_external_data=True,
        all_tensors_to_one_file=True,
        location=location,
        size_threshold=_LEAST_BYTES,
    )
