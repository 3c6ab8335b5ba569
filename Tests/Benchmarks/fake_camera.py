"""Cameras of one format whose pictures compress as those of a real camera do."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import pathlib
import sys
import tempfile
from collections.abc import Iterator, Sequence

import numpy as np
from PIL import Image

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "TestKits/PreloadedCameras"))

from preloaded_cameras import PreloadedCameras, yuyv

#: The name of the buffers in /proc/PID/smaps.
BUFFERS = "/memfd:fake-camera"
#: The name of the thread that fills the buffers.
THREAD = "fake-camera"

#: The number of different pictures.
_PICTURES = 4
#: The spread of a sensor's noise. JPEG of quality 80 then has about one bit for each pixel.
_NOISE = 3
#: The most bytes of a segment of a JPEG, and the bytes of its marker.
_SEGMENT, _MARKER = 65535, 2


@dataclasses.dataclass(frozen=True)
class FakeCamera:
    """A camera of one format, in a process that starts within `loading`. There may be several equal ones."""

    pixel_format: str
    size: tuple[int, int]
    frame_rate: int
    #: Its pictures, which it shows in turn.
    pictures: Sequence[bytes]
    cameras: PreloadedCameras

    @property
    def node(self) -> str:
        """The node of the first camera."""
        return self.cameras.nodes[0]

    def loading(self) -> contextlib.AbstractContextManager[None]:
        """Shows the cameras to processes that start in this block."""
        return self.cameras.loading()


@contextlib.contextmanager
def fake_camera(
    pixel_format: str,
    size: tuple[int, int],
    frame_rate: int,
    length: int | None = None,
    *,
    count: int = 1,
    full_range: bool = False,
) -> Iterator[FakeCamera]:
    """So many cameras of YUYV or MJPG. Their frames do not come at once but one after another, evenly in the period.

    `length` is the number of bytes of a picture in MJPG. `full_range` is what the driver tells of the samples. Its
    default is that of V4L2 for YUYV; the pictures are within both ranges.
    """
    images = [_image(size, number) for number in range(_PICTURES)]
    if pixel_format == "YUYV":
        pictures = [yuyv(np.asarray(image)) for image in images]
    else:
        jpegs = [_jpeg(image) for image in images]
        pictures = [_padded(jpeg, length or max(map(len, jpegs)) + _MARKER + 2) for jpeg in jpegs]
    with tempfile.TemporaryDirectory() as name:
        cameras = PreloadedCameras(pathlib.Path(name), *(number / count for number in range(count)))
        cameras.add_mode(pixel_format, size, frame_rate, pictures, full_range=full_range)
        yield FakeCamera(pixel_format, size, frame_rate, pictures, cameras)


def _image(size: tuple[int, int], number: int) -> Image.Image:
    """A picture in YCbCr that has soft shapes, edges and noise. Each number gives another picture."""
    x, y = np.meshgrid(np.linspace(0, 1, size[0]), np.linspace(0, 1, size[1]))
    shade = 120 + 60 * np.sin(7 * x + number) * np.cos(5 * y)
    edges = 40 * ((x * 12).astype(int) + (y * 8).astype(int) & 1)
    noise = np.random.default_rng(number).normal(0, _NOISE, (size[1], size[0]))
    planes = [shade + edges + noise, 128 + 50 * (x - y), 128 + 50 * (y + x - 1)]
    return Image.fromarray(np.stack(planes, axis=-1).clip(16, 235).astype(np.uint8), "YCbCr")


def _jpeg(image: Image.Image) -> bytes:
    """The picture as a JPEG like that of a camera."""
    file = io.BytesIO()
    image.save(file, "JPEG", quality=80, subsampling="4:2:2")
    return file.getvalue()


def _padded(jpeg: bytes, length: int) -> bytes:
    """The JPEG with comments that make it `length` bytes long."""
    comments = b""
    while (missing := length - len(jpeg) - len(comments)) > 0:
        # A comment has at least four bytes, so that the last one needs room.
        count = missing if missing <= _SEGMENT + _MARKER else min(_SEGMENT + _MARKER, missing - _MARKER - 2)
        comments += b"\xff\xfe" + (count - _MARKER).to_bytes(2, "big") + bytes(count - _MARKER - 2)
    if len(jpeg) + len(comments) != length:
        raise ValueError(f"a JPEG of {len(jpeg)} bytes cannot be padded to {length}")
    # ustreamer looks for the Huffman tables only in the first 2048 bytes, so that the comments follow the tables.
    scan = jpeg.index(b"\xff\xda")
    return jpeg[:scan] + comments + jpeg[scan:]
