"""Reads the timecode board that synthetic cameras draw into every frame.

The top sixth of the picture holds four rows of 64 cells, the most significant bit on the left, white for 1: the
driver's sequence number, the capture instant in nanoseconds since the Unix epoch, NOT (row 0 XOR row 1) as their
check, and the camera's number in 32 bits, followed by NOT of it as a check of its own. So anyone can tell from the
pixels alone which camera caught which instant, after JPEG and scaling too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

_CELLS = 64
_ROWS = 4
# The picture's height in board rows.
_ROWS_PER_PICTURE = 24
# Below this distance of white and black there is no board. Video black and white are 219 apart.
_LEAST_CONTRAST = 64
_ALL_ONES = (1 << _CELLS) - 1
_CAMERA_BITS = 32


class Timecode(NamedTuple):
    """What a board says."""

    #: The driver's number of the frame.
    sequence: int
    #: The capture instant, nanoseconds since the Unix epoch.
    capture_time_ns: int
    #: The number in the camera's device id: 1 of `devices/synthetic-1`.
    camera: int


def decode(luma: np.ndarray) -> Timecode | None:
    """Reads the board of a picture.

    `luma` is a (height, width) array of brightness, 0 to 255; a view of a larger picture will do. The result is None
    when the picture is too small to hold a board, has none, or one of its checks does not fit.
    """
    if luma.ndim != 2:
        raise ValueError(f"luma must have two dimensions, got {luma.ndim}")
    height, width = luma.shape
    if width < _CELLS or height < _ROWS_PER_PICTURE:
        return None
    columns = np.arange(_CELLS + 1) * width // _CELLS
    lines = (np.arange(_ROWS + 1) * height + _ROWS_PER_PICTURE // 2) // _ROWS_PER_PICTURE
    left, right = _middle(columns)
    top, bottom = _middle(lines)

    means = np.empty((_ROWS, _CELLS))
    for row in range(_ROWS):
        profile = luma[top[row] : bottom[row]].mean(axis=0)
        running = np.concatenate(([0.0], np.cumsum(profile)))
        means[row] = (running[right] - running[left]) / (right - left)

    darkest, brightest = means.min(), means.max()
    if brightest - darkest < _LEAST_CONTRAST:
        return None
    bits = means > (darkest + brightest) / 2
    sequence, capture_time_ns, check, numbered = (int.from_bytes(np.packbits(row).tobytes(), "big") for row in bits)
    if check != (sequence ^ capture_time_ns) ^ _ALL_ONES:
        return None
    camera, inverse = divmod(numbered, 1 << _CAMERA_BITS)
    if camera ^ inverse != (1 << _CAMERA_BITS) - 1:
        return None
    return Timecode(sequence, capture_time_ns, camera)


def _middle(edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The middle half of each span between two edges, at least one wide: edges blur when a picture is scaled."""
    start, end = edges[:-1], edges[1:]
    margin = (end - start) // 4
    return start + margin, end - margin
