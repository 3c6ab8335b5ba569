"""The chart that synthetic cameras show as their `still` scene, drawn anew here: what its photos ought to look like."""

from __future__ import annotations

import functools

import numpy as np

import firstlight

#: The scene's number in the control `test_pattern`.
STILL = 1
COLUMNS, ROWS = 16, 9
VERTICAL, HORIZONTAL, CHECKS, RAMP = range(1, 5)
_WORD = 2**64 - 1


@functools.cache
def chart(width: int, height: int) -> np.ndarray:
    """Luma in limited range without noise; the photos show a timecode board in place of its first lines."""
    # Nine rows of even height may leave lines at the bottom, which stay grey.
    picture = np.full((height, width), np.nan, np.float32)
    for row in range(ROWS):
        for column in range(COLUMNS):
            left, right = (edge * width // COLUMNS & ~1 for edge in (column, column + 1))
            top, bottom = (edge * height // ROWS & ~1 for edge in (row, row + 1))
            picture[top:bottom, left:right] = _patch(row, column, right - left, bottom - top, width)
    return picture


def _patch(row: int, column: int, width: int, height: int, chart_width: int) -> np.ndarray:
    base = 40 + (column * 7 + row * 5) % 16 * 10
    other = base - 60 if base > 120 else base + 60
    # As fine as a picture of 320 has it, in each size.
    period = max(2, chart_width // 320 << (_split_mix(row * COLUMNS + column) >> 24) % 3) & ~1
    y, x = np.indices((height, width))
    texture = (column + 3 * row) % 5
    if texture == RAMP:
        return 30 + 190 * (x & ~1) // width
    stripe = {VERTICAL: x // period, HORIZONTAL: y // period, CHECKS: x // period + y // period}.get(texture, 0 * x)
    return np.where(stripe % 2 == 1, other, base)


def _split_mix(value: int) -> int:
    """What SplitMix64 gives after `value`."""
    z = (value + 0x9E3779B97F4A7C15) & _WORD
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _WORD
    z = (z ^ z >> 27) * 0x94D049BB133111EB & _WORD
    return z ^ z >> 31


def shown(height: int) -> slice:
    """The lines of a picture that show the chart: those below the board."""
    # The board has a sixth of the height; a block of JPEG that has a part in it may reach below.
    return slice(height // 6 + 16, height - 2)


def error(picture: firstlight.Frame | firstlight.Photo) -> float:
    """How far a picture's luma is from the chart: the root of the mean square below the board, in code values."""
    luma, truth = picture.luma(), chart(picture.width, picture.height)
    # Uncompressed photos are in the camera's limited range, the others in full range.
    is_limited = isinstance(picture, firstlight.Photo) and picture.encoding is firstlight.Encoding.UNCOMPRESSED
    return distance(luma, truth if is_limited else np.clip((truth - 16) * 255 / 219, 0, 255).round())


def distance(luma: np.ndarray, truth: np.ndarray) -> float:
    """The same of any picture as large as `truth`."""
    lines = shown(truth.shape[0])
    return float(np.sqrt(np.nanmean((luma[lines].astype(np.float32) - truth[lines]) ** 2)))
