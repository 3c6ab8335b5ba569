"""The chart that synthetic cameras show as their `still` scene. This module draws the chart anew, so that tests can
compare photos with it.
"""

from __future__ import annotations

import functools

import numpy as np

import firstlight

#: The number of the scene in the control `test_pattern`.
STILL = 1
COLUMNS, ROWS = 16, 9
VERTICAL, HORIZONTAL, CHECKS, RAMP = range(1, 5)
_WORD = 2**64 - 1


@functools.cache
def chart(width: int, height: int) -> np.ndarray:
    """The chart's luma in limited range, without noise. In photos a timecode board covers the first lines."""
    # Nine rows of even height may leave lines at the bottom. These lines are NaN, so that no comparison counts them.
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
    # The pattern is as fine as in a picture 320 pixels wide, at every size.
    period = max(2, chart_width // 320 << (_split_mix(row * COLUMNS + column) >> 24) % 3) & ~1
    y, x = np.indices((height, width))
    texture = (column + 3 * row) % 5
    if texture == RAMP:
        return 30 + 190 * (x & ~1) // width
    stripe = {VERTICAL: x // period, HORIZONTAL: y // period, CHECKS: x // period + y // period}.get(texture, 0 * x)
    return np.where(stripe % 2 == 1, other, base)


def _split_mix(value: int) -> int:
    """The output of SplitMix64 that follows the state `value`."""
    z = (value + 0x9E3779B97F4A7C15) & _WORD
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _WORD
    z = (z ^ z >> 27) * 0x94D049BB133111EB & _WORD
    return z ^ z >> 31


def shown(height: int) -> slice:
    """The lines of a picture that show the chart: those below the board."""
    # The board takes a sixth of the height. A JPEG block that contains part of the board may reach up to 16 lines
    # further.
    return slice(height // 6 + 16, height - 2)


def error(picture: firstlight.Frame | firstlight.Photo) -> float:
    """The distance of a picture's luma from the chart below the board: the root of the mean square, in code values."""
    luma, truth = picture.luma(), chart(picture.width, picture.height)
    # Uncompressed photos have the camera's limited range. All other pictures have full range.
    is_limited = isinstance(picture, firstlight.Photo) and picture.encoding is firstlight.Encoding.UNCOMPRESSED
    return distance(luma, truth if is_limited else np.clip((truth - 16) * 255 / 219, 0, 255).round())


def distance(luma: np.ndarray, truth: np.ndarray) -> float:
    """The distance of `luma` from `truth` below the board, as in `error`. Both must have the same size."""
    lines = shown(truth.shape[0])
    return float(np.sqrt(np.nanmean((luma[lines].astype(np.float32) - truth[lines]) ** 2)))
