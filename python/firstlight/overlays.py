"""What can be drawn over a preview, for `Client.set_overlay` and `ProcessingStream.answer`.

Places and sizes are fractions of the picture as the preview shows it, from its upper left corner: 0.5, 0.5 is the
middle. Colours are 0xRRGGBBAA. Later elements are drawn over earlier ones, at most 64.
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
    """A line of at most 256 bytes, `x` and `y` its upper left corner; `{time}` becomes when the frame was captured.

    `height` is a line's, 0.05 of the picture's unless given. White on nothing, unless told otherwise.
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
    """A frame around something, with a `label` above; green unless given.

    `line_width` is a fraction of the picture's height, 0.005 unless given.
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
    """A picture over the picture, `x` and `y` its upper left corner; as wide as `width`, or else pixel for pixel.

    It is a (height, width, 4) array of bytes, red, green, blue and opacity, or a PNG file; at most 4096 pixels wide and
    high. Other arrays are a ValueError.
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
