"""Draws pictures with the board that synthetic cameras draw, for tests that make pictures of their own."""

from __future__ import annotations

import io
from typing import Final

import numpy as np
from PIL import Image

#: The size of the pictures.
SIZE: Final = (320, 180)
#: The time from one picture to the next, in nanoseconds.
PERIOD: Final = 40_000_000
_ALL_ONES = (1 << 64) - 1


def grey(number: int, time_ns: int, size: tuple[int, int] = SIZE) -> np.ndarray:
    """The brightness of the picture whose board says `number` and `time_ns`."""
    width, height = size
    words = (number, time_ns, number ^ time_ns ^ _ALL_ONES, 1 << 32 | 0xFFFFFFFE)
    picture = np.full((height, width), 90, np.uint8)
    for row, word in enumerate(words):
        top, bottom = ((line * height + 12) // 24 for line in (row, row + 1))
        bits = np.array([word >> (63 - column * 64 // width) & 1 for column in range(width)])
        picture[top:bottom] = np.where(bits, 235, 16)
    return picture


def nv12(number: int, size: tuple[int, int] = SIZE) -> np.ndarray:
    """The picture with this number, of those that are a `PERIOD` apart."""
    width, height = size
    return np.concatenate((grey(number, number * PERIOD, size), np.full((height // 2, width), 128, np.uint8)))


def noisy_jpeg(number: int, size: tuple[int, int] = SIZE) -> bytes:
    """The picture as JPEG with as many bytes as it can have, below its board."""
    picture = grey(number, number * PERIOD, size)
    below = size[1] // 4
    picture[below:] = np.random.default_rng(number).integers(0, 256, picture[below:].shape, np.uint8)
    colored = Image.merge("YCbCr", [Image.fromarray(picture)] + [Image.new("L", size, 128)] * 2)
    file = io.BytesIO()
    colored.save(file, "JPEG", quality=95)
    return file.getvalue()
