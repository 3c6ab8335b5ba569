"""Reads the timecode board that synthetic cameras draw into every frame.

The board is the top sixth of the picture. It has four rows of 64 cells, the most significant bit on the left, where
white is 1:

- row 0: the driver's sequence number;
- row 1: the capture instant in nanoseconds since the Unix epoch;
- row 2: NOT (row 0 XOR row 1), the check of these two rows;
- row 3: the camera's number in 32 bits, followed by NOT of the number, which is its check.

The pixels alone therefore tell which camera captured which instant, also after JPEG compression and scaling.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

_CELLS = 64
_ROWS = 4
# The height of the picture, in rows of the board.
_ROWS_PER_PICTURE = 24
# The least difference between the brightest and the darkest cell of a board. White and black of video are 219 apart.
_LEAST_CONTRAST = 64
_ALL_ONES = (1 << _CELLS) - 1
_CAMERA_BITS = 32


class Timecode(NamedTuple):
    """The values of a board."""

    #: The driver's number of the frame.
    sequence: int
    #: The capture instant, in nanoseconds since the Unix epoch.
    capture_time_ns: int
    #: The number in the camera's resource name: 1 for `devices/synthetic-1`.
    camera: int


def decode(luma: np.ndarray) -> Timecode | None:
    """Reads the board of a picture.

    `luma` is a (height, width) array of brightness, 0 to 255, of any numeric dtype; it may be a view of a larger
    picture. Returns None when the picture is too small for a board, has no board, or when a check of the board does not
    fit. Raises ValueError for an array that does not have two dimensions.
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
    """The beginning and the end of the middle half of each span between two edges.

    The outer quarters are left out, because scaling a picture blurs its edges. The middle is at least one pixel wide.
    """
    start, end = edges[:-1], edges[1:]
    margin = (end - start) // 4
    return start + margin, end - margin
