"""A chart in a file: written whole or not at all, and not believed where it is damaged."""

import struct
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from workbench.errors import IndexUnavailable
from workbench.indexing.durable import written_anew
from workbench.indexing.projection.chart import Chart
from workbench.language import mark

# Magic with format number, checksum of all that follows; width, landmarks, vectors, values of a beginning, how many
# vectors there were when it was drawn, how many changed, generation, bytes of the names.
_HEAD = struct.Struct("<8sI")
_BODY = struct.Struct("<IIQIQQQI")
_MAGIC = b"KWCHART1"
_DAMAGED = (mark("The map of the library was damaged."), mark("It is drawn anew; nothing is lost."))


def write_chart(path: Path, chart: Chart) -> None:
    """Write a chart so that a kill at any moment leaves the old one or the new one.

    Raises:
        IndexUnavailable: It cannot be written.
    """
    names = chart.names.encode("utf-8", "surrogatepass")
    count, dim = chart.landmarks.shape
    sizes = (dim, count, len(chart.ids), chart.beginnings.shape[1], chart.laid_out_of, chart.changed, chart.generation)
    parts = [_BODY.pack(*sizes, len(names)), *map(_bytes, _arrays(chart)), names]
    checksum = 0
    for part in parts:
        checksum = zlib.crc32(part, checksum)
    with written_anew(path) as file:
        file.write(_HEAD.pack(_MAGIC, checksum))
        for part in parts:
            file.write(part)


def read_chart(path: Path) -> Chart | None:
    """Return the chart that was written; None where there is none.

    Raises:
        IndexUnavailable: It is cut short, damaged, or not such a file.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise IndexUnavailable(mark("The map of the library cannot be read."), _DAMAGED[1]) from error
    if len(data) < _HEAD.size + _BODY.size:
        raise IndexUnavailable(*_DAMAGED)
    magic, checksum = _HEAD.unpack_from(data)
    if magic != _MAGIC or zlib.crc32(memoryview(data)[_HEAD.size :]) != checksum:
        raise IndexUnavailable(*_DAMAGED)
    dim, count, vectors, values, laid_out_of, changed, generation, _ = _BODY.unpack_from(data, _HEAD.size)
    place, arrays = _HEAD.size + _BODY.size, []
    for kind, shape in (
        ("<f4", (count, dim)),
        ("<f4", (count, 2)),
        ("<i8", (vectors,)),
        ("<f4", (vectors, values)),
        ("<f4", (vectors, 2)),
    ):
        size = int(np.prod(shape))
        arrays.append(np.frombuffer(data, kind, size, place).reshape(shape))
        place += size * np.dtype(kind).itemsize
    landmarks, spots, ids, beginnings, points = arrays
    names = data[place:].decode("utf-8", "surrogatepass")
    return Chart(landmarks, spots, ids, beginnings, points, laid_out_of, changed, generation, names)


def _arrays(chart: Chart) -> tuple[NDArray[np.generic], ...]:
    return (
        chart.landmarks.astype("<f4"),
        chart.spots.astype("<f4"),
        chart.ids.astype("<i8"),
        chart.beginnings.astype("<f4"),
        chart.points.astype("<f4"),
    )


def _bytes(array: NDArray[np.generic]) -> bytes:
    return np.ascontiguousarray(array).tobytes()
