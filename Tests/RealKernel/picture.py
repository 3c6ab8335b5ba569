"""Reads from the pixels alone which frame a picture shows, and its colours. vivid draws colour bars and the sequence
number into the picture.
"""

from io import BytesIO

import numpy as np
from PIL import Image

#: Ten lines of each digit in the kernel's 8 by 16 console font: lines 2 to 11, the leftmost pixel in the highest bit.
GLYPHS = [
    bytes.fromhex(lines)
    for lines in (
        "386cc6c6d6d6c6c66c38",
        "1838781818181818187e",
        "7cc6060c183060c0c6fe",
        "7cc606063c060606c67c",
        "0c1c3c6cccfe0c0c0c1e",
        "fec0c0c0fc060606c67c",
        "3860c0c0fcc6c6c6c67c",
        "fec606060c1830303030",
        "7cc6c6c67cc6c6c6c67c",
        "7cc6c6c67e0606060c78",
    )
]
_DIGITS = {glyph: digit for digit, glyph in enumerate(GLYPHS)}

#: The R, G, B of vivid's 75 % bars, and of its pattern for colour spaces.
BARS = [(191, 191, 191), (191, 191, 0), (0, 191, 191), (0, 191, 0), (191, 0, 191), (191, 0, 0), (0, 0, 191), (0, 0, 0)]

# The first text line begins at (16, 16): a space, "hh:mm:ss:ttt", a space, then the number.
_TEXT_X, _TEXT_Y, _NUMBER_COLUMN = 16, 16, 14


def bars(picture: np.ndarray) -> np.ndarray:
    """The mean of each bar's middle, away from the text, in a picture of 360 lines."""
    bar = picture.shape[1] / 8
    return np.array([picture[250:340, int((i + 0.3) * bar) : int((i + 0.7) * bar)].mean(axis=(0, 1)) for i in range(8)])


def drawn_sequence(luma: bytes, stride: int, step: int = 1) -> int:
    """The sequence number in a picture whose luma samples are `step` bytes apart. Fails when there is none."""
    number, column = "", _NUMBER_COLUMN
    while (digit := _DIGITS.get(_cell(luma, stride, step, column))) is not None:
        number += str(digit)
        column += 1
    assert number, "no sequence number is drawn in the picture"
    return int(number)


def _cell(luma: bytes, stride: int, step: int, column: int) -> bytes:
    left = _TEXT_X + 8 * column
    lines = []
    for y in range(_TEXT_Y + 2, _TEXT_Y + 12):
        first = y * stride + left * step
        bits = 0
        for offset in range(first, first + 8 * step, step):
            bits = bits << 1 | (luma[offset] > 128)
        lines.append(bits)
    return bytes(lines)


def decode_jpeg_luma(jpeg: bytes) -> tuple[bytes, int, int]:
    """The luma plane of a JPEG picture, its width and its height."""
    picture = Image.open(BytesIO(jpeg), formats=["JPEG"]).convert("L")
    return picture.tobytes(), picture.width, picture.height
