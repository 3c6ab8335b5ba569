"""The pictures of preloaded cameras: the colour bars of vivid. preload.c draws the number of each frame into them."""

import functools
import io

import numpy as np
from PIL import Image

from picture import BARS
from preloaded_cameras import yuyv

#: The size of the pictures in JPEG.
SIZE = (640, 360)
#: The lines that are black, for the number.
_BLACK_LINES = slice(16, 32)


def numbered_jpeg(number: int) -> bytes:
    """The picture of a frame of this number of a preloaded camera that gives JPEG. The number is in its comment."""
    head, comment = _jpeg()[:2], f"{number:<10}".encode()
    return head + b"\xff\xfe" + (2 + len(comment)).to_bytes(2, "big") + comment + _jpeg()[2:]


@functools.cache
def _jpeg() -> bytes:
    """The bars as a JPEG, with noise, so that a coarser JPEG of them is smaller."""
    picture = _rgb(SIZE)
    picture += np.random.default_rng(0).normal(0, 3, picture.shape)
    file = io.BytesIO()
    image = Image.fromarray(picture.clip(0, 255).astype(np.uint8))
    image.save(file, "JPEG", quality=80, subsampling="4:2:2")
    return file.getvalue()


def bars_in_formats(size: tuple[int, int]) -> dict[str, bytes]:
    """The bars in each format that preloaded cameras have without compression."""
    rgb = _rgb(size)
    rgb[_BLACK_LINES] = 0
    # The samples of ITU-R BT.601 in limited range.
    luma = rgb @ (0.299, 0.587, 0.114)
    blue, red = ((rgb[..., part] - luma) / (1 - weight) / 2 for part, weight in ((2, 0.114), (0, 0.299)))
    planes = np.stack([16 + luma * 219 / 255, 128 + blue * 224 / 255, 128 + red * 224 / 255], axis=-1)
    planes = planes.round().astype(np.uint8)
    nv12 = planes[..., 0].tobytes() + planes[::2, ::2, 1:].tobytes()
    return {"YUYV": yuyv(planes), "NV12": nv12, "RGB3": rgb.astype(np.uint8).tobytes()}


def _rgb(size: tuple[int, int]) -> np.ndarray:
    """The bars in red, green and blue."""
    width, height = size
    return np.repeat(np.array(BARS, float), width // len(BARS), axis=0)[np.newaxis].repeat(height, axis=0)
