"""Frames as numpy arrays."""

from __future__ import annotations

import dataclasses
import enum
import io
from typing import NamedTuple

import numpy as np
from google.protobuf import timestamp_pb2

from firstlight.v1 import preview_service_pb2 as preview_pb2


class Encoding(enum.IntEnum):
    """How a frame's bytes are encoded; the values of `PreviewEncoding`."""

    #: JFIF.
    JPEG = preview_pb2.PREVIEW_ENCODING_JPEG
    #: Luma plane, then interleaved Cb Cr at half size.
    NV12 = preview_pb2.PREVIEW_ENCODING_NV12
    #: Y0 Cb Y1 Cr.
    YUYV = preview_pb2.PREVIEW_ENCODING_YUYV


class Plane(NamedTuple):
    """Where a plane lies in a frame's bytes."""

    #: Bytes from the start.
    offset: int
    #: Bytes from one line to the next.
    stride: int
    #: Lines.
    rows: int


class Dropped(NamedTuple):
    """Frames lost since the previous frame of the same stream, by cause."""

    #: This reader was too slow.
    late: int
    #: The daemon's frame pool was used up.
    out_of_buffers: int
    #: The driver skipped frames, or the stream was restarted.
    discontinuity: int


@dataclasses.dataclass(frozen=True, slots=True)
class Frame:
    """A picture of a preview, with the time at which it was captured."""

    #: Id of the session's input.
    input: str
    #: New at every start of the device's stream.
    stream_id: int
    #: The driver's number.
    sequence: int
    #: When it was captured, nanoseconds since the Unix epoch on the daemon's clock.
    capture_time_ns: int
    #: When it was captured, nanoseconds of the daemon's CLOCK_MONOTONIC. Authoritative.
    monotonic_time_ns: int
    #: Pixels per line.
    width: int
    #: Lines.
    height: int
    #: How `data` is encoded.
    encoding: Encoding
    #: What the stream missed since the previous frame.
    dropped: Dropped
    #: The configuration it was captured under.
    config_revision: int
    #: Where each plane lies in `data`; empty for JPEG.
    planes: tuple[Plane, ...]
    #: The bytes of the picture: the one copy made on this side, out of the received message.
    data: bytes = dataclasses.field(repr=False)

    @classmethod
    def from_message(cls, message: preview_pb2.PreviewFrame) -> Frame:
        """Makes a frame of the message that carried it."""
        dropped = message.dropped
        return cls(
            input=message.input,
            stream_id=message.stream_id,
            sequence=message.sequence,
            capture_time_ns=nanoseconds(message.capture_time),
            monotonic_time_ns=message.monotonic_time_ns,
            width=message.width,
            height=message.height,
            encoding=Encoding(message.encoding),
            dropped=Dropped(dropped.late, dropped.out_of_buffers, dropped.discontinuity),
            config_revision=message.config_revision,
            planes=tuple(Plane(p.offset, p.stride, p.rows) for p in message.planes),
            data=message.data,
        )

    def as_array(self) -> np.ndarray:
        """The picture as an array of bytes.

        - NV12: (height · 3/2, width), luma above the interleaved chroma: what OpenCV's `COLOR_YUV2BGR_NV12` takes.
        - YUYV: (height, width, 2).
        - JPEG: (height, width, 3), red, green and blue, decoded by Pillow (`pip install firstlight[jpeg]`).

        Raw pictures are read-only views of `data`, without a copy; one is made only when the two planes of an NV12
        picture do not lie one after the other with the same stride.
        """
        if self.encoding is Encoding.JPEG:
            return decode_jpeg(self.data, "RGB")
        if self.encoding is Encoding.YUYV:
            return self._plane(0, 2 * self.width).reshape(self.height, self.width, 2)
        luma, chroma = self.planes
        if chroma.stride == luma.stride and chroma.offset == luma.offset + luma.stride * luma.rows:
            return _view(self.data, luma._replace(rows=luma.rows + chroma.rows), self.width)
        return np.concatenate((self._plane(0, self.width), self._plane(1, self.width)))

    def luma(self) -> np.ndarray:
        """The brightness as a (height, width) array; a view of `data` for raw pictures."""
        if self.encoding is Encoding.JPEG:
            return decode_jpeg(self.data, "L")
        if self.encoding is Encoding.YUYV:
            return self.as_array()[:, :, 0]
        return self._plane(0, self.width)

    def _plane(self, index: int, line_bytes: int) -> np.ndarray:
        return _view(self.data, self.planes[index], line_bytes)


def _view(data: bytes, plane: Plane, line_bytes: int) -> np.ndarray:
    """A (rows, line_bytes) view of a plane. The last line may end before its stride does."""
    shape, strides = (plane.rows, line_bytes), (plane.stride, 1)
    return np.ndarray(shape, np.uint8, buffer=data, offset=plane.offset, strides=strides)


def decode_jpeg(data: bytes, mode: str) -> np.ndarray:
    """Decodes a JPEG picture by Pillow; `mode` is `RGB`, or `L` for brightness alone, which is faster."""
    # Not at the top: people who only want raw frames need no Pillow.
    from PIL import Image

    with Image.open(io.BytesIO(data)) as image:
        image.draft(mode, image.size)
        return np.asarray(image.convert(mode))


def nanoseconds(timestamp: timestamp_pb2.Timestamp) -> int:
    """A wall-clock time stamp as nanoseconds since the Unix epoch, in full precision."""
    return timestamp.seconds * 1_000_000_000 + timestamp.nanos
