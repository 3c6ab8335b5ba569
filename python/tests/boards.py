"""Draws timecode boards.

The drawing follows the description in `firstlight.timecode` and shares no code with the decoder, so that a test of the
decoder does not repeat its mistakes.
"""

import numpy as np

WHITE, BLACK = 235, 16


def draw(sequence: int, capture_time_ns: int, width: int, height: int, camera: int = 0) -> np.ndarray:
    """A (height, width) picture of noise, as uint8, with a board in its top sixth."""
    picture = np.random.default_rng(1).integers(0, 256, (height, width), dtype=np.uint8)
    check = (sequence ^ capture_time_ns) ^ (2**64 - 1)
    numbered = camera << 32 | camera ^ (2**32 - 1)
    for row, value in enumerate((sequence, capture_time_ns, check, numbered)):
        top, bottom = (row * height + 12) // 24, ((row + 1) * height + 12) // 24
        for cell in range(64):
            left, right = cell * width // 64, (cell + 1) * width // 64
            picture[top:bottom, left:right] = WHITE if value >> (63 - cell) & 1 else BLACK
    return picture
