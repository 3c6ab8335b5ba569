"""Makes the elements of overlays, for `Client.set_overlay` and `ProcessingStream.answer`.

Positions and sizes are fractions of the picture as the preview shows it, counted from its upper left corner: (0.5, 0.5)
is the middle. Colours are 0xRRGGBBAA. An overlay has at most 64 elements, and later ones are drawn over earlier ones.
Every function raises TypeError or ValueError, which names the argument, for a value that does not fit into the message.
The daemon checks the ranges of values when the elements are sent.
"""

from __future__ import annotations

import numpy as np

from firstlight import values
from firstlight.v1 import overlay_pb2


def text(
    text: str,
    x: float = 0,
    y: float = 0,
    *,
    height: float | None = None,
    color: int | None = None,
    background: int | None = None,
) -> overlay_pb2.OverlayElement:
    """Makes a line of text whose upper left corner is at (`x`, `y`).

    `text` has at most 256 bytes; the daemon replaces each `{time}` by the time at which the frame was captured.
    `height` is the height of the line as a fraction of the picture's height, 0.05 when None. `color` is the colour of
    the letters, opaque white when None, and `background` the colour behind them, nothing when None.
    """
    line = overlay_pb2.OverlayText(
        string=values.text("text", text),
        x=values.number("x", x),
        y=values.number("y", y),
        relative_height=values.number_or_none("height", height),
        color=values.whole_or_none("color", color),
        background=values.whole_or_none("background", background),
    )
    return overlay_pb2.OverlayElement(text=line)


def box(
    x: float,
    y: float,
    width: float,
    height: float,
    *,
    color: int | None = None,
    line_width: float | None = None,
    label: str = "",
) -> overlay_pb2.OverlayElement:
    """Makes a box whose upper left corner is at (`x`, `y`).

    `x` and `width` are fractions of the picture's width, `y`, `height` and `line_width` of its height. `line_width` is
    0.005 when None, and `color` is opaque green when None. `label`, of at most 256 bytes, is written above the box.
    """
    frame = overlay_pb2.OverlayBox(
        x=values.number("x", x),
        y=values.number("y", y),
        relative_width=values.number("width", width),
        relative_height=values.number("height", height),
        color=values.whole_or_none("color", color),
        line_width=values.number_or_none("line_width", line_width),
        label=values.text("label", label),
    )
    return overlay_pb2.OverlayElement(box=frame)


def image(
    picture: np.ndarray | bytes | bytearray | memoryview, x: float = 0, y: float = 0, *, width: float | None = None
) -> overlay_pb2.OverlayElement:
    """Makes an image whose upper left corner is at (`x`, `y`).

    `picture` is a (height, width, 4) array of uint8 with red, green, blue and opacity, or the bytes of a PNG file. An
    image is at most 4096 pixels wide and high. `width` is the width of the drawn image as a fraction of the picture's
    width; when None, each pixel of the image covers one pixel of the picture.

    Raises ValueError for an array of another shape or dtype, and TypeError for a `picture` that is neither an array nor
    bytes.
    """
    drawn = overlay_pb2.OverlayImage(
        x=values.number("x", x), y=values.number("y", y), relative_width=values.number_or_none("width", width)
    )
    if isinstance(picture, bytes | bytearray | memoryview):
        drawn.png = bytes(picture)
    elif not isinstance(picture, np.ndarray):
        raise TypeError(f"picture = {values.shown(picture)}: it takes an array or bytes, not {type(picture).__name__}")
    elif picture.dtype == np.uint8 and picture.ndim == 3 and picture.shape[2] == 4:
        drawn.pixels.height, drawn.pixels.width = picture.shape[:2]
        drawn.pixels.rgba = picture.tobytes()
    else:
        raise ValueError(f"an image is (height, width, 4) of uint8, not {picture.shape} of {picture.dtype}")
    return overlay_pb2.OverlayElement(image=drawn)
