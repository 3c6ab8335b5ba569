"""Frames as numpy arrays."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np
from google.protobuf import timestamp_pb2

from firstlight import pixels
from firstlight.enums import ColorRange, ContractEnum, Encoding
from firstlight.pixels import Plane
from firstlight.v1 import preview_service_pb2 as preview_pb2, video_data_service_pb2 as video_data_pb2


class Gravity(ContractEnum):
    """How a picture fills the size asked for; the values of `PreviewGravity`."""

    #: Stretched to its shape.
    RESIZE = preview_pb2.PREVIEW_GRAVITY_RESIZE
    #: Within it, in the picture's own shape.
    RESIZE_ASPECT = preview_pb2.PREVIEW_GRAVITY_RESIZE_ASPECT
    #: In its shape: what reaches beyond it is cut off.
    RESIZE_ASPECT_FILL = preview_pb2.PREVIEW_GRAVITY_RESIZE_ASPECT_FILL


class Dropped(NamedTuple):
    """Frames lost since the previous frame of the same stream, by cause."""

    #: This reader was too slow.
    late: int
    #: The daemon's frame pool was used up.
    out_of_buffers: int
    #: The driver skipped frames, or the stream was restarted.
    discontinuity: int
    #: The camera brought pictures that are none.
    damaged: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class Frame:
    """A picture of a preview or a video data output, with the time at which it was captured."""

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
    #: V4L2 four-character code of `data`, of raw frames and of all frames of a video data output; the encoding's name
    #: (`JPEG`, `H264`) of compressed frames of a preview.
    pixel_format: str
    #: What the stream missed since the previous frame.
    dropped: Dropped
    #: The configuration it was captured under.
    config_revision: int
    #: Where each plane lies in `data`; empty for compressed formats.
    planes: tuple[Plane, ...]
    #: Whether it can be decoded without those before.
    key_frame: bool
    #: Frames of a preview left out since the previous one because of the rate asked for.
    omitted: int
    #: The bytes of the picture: the one copy made on this side, out of the received message; in a `SharedFrame` none.
    data: bytes | memoryview = dataclasses.field(repr=False)
    #: How long the sensor was exposed, nanoseconds; None where the driver does not tell, and in previews.
    exposure_ns: int | None = None
    #: The driver's control `gain`, in its own unit; None likewise.
    gain: int | None = None
    #: Of the machine's warmest thermal zone, in °C; None likewise.
    temperature: float | None = None
    #: Which numbers black and white are. UNSPECIFIED in previews, whose raw pictures are LIMITED.
    color_range: ColorRange = ColorRange.UNSPECIFIED

    @classmethod
    def from_message(cls, message: preview_pb2.PreviewFrame | video_data_pb2.VideoDataFrame) -> Frame:
        """Makes a frame of the message that carried it."""
        dropped, encoding = message.dropped, Encoding(message.encoding)
        return cls(
            input=message.input,
            stream_id=message.stream_id,
            sequence=message.sequence,
            capture_time_ns=nanoseconds(message.capture_time),
            monotonic_time_ns=message.monotonic_time_ns,
            width=message.width,
            height=message.height,
            encoding=encoding,
            pixel_format=message.pixel_format or encoding.name,
            dropped=Dropped(dropped.late, dropped.out_of_buffers, dropped.discontinuity, dropped.damaged),
            config_revision=message.config_revision,
            planes=tuple(Plane(p.offset, p.stride, p.rows) for p in message.planes),
            key_frame=message.key_frame if isinstance(message, preview_pb2.PreviewFrame) else True,
            omitted=message.omitted if isinstance(message, preview_pb2.PreviewFrame) else 0,
            data=message.data,
            **(_video_data(message) if isinstance(message, video_data_pb2.VideoDataFrame) else {}),
        )

    def as_array(self) -> np.ndarray:
        """The picture as an array of bytes.

        - NV12, NV21: (height · 3/2, width), luma above interleaved chroma: what OpenCV's `COLOR_YUV2BGR_NV12` takes.
        - P010: (height · 3/2, width) likewise, of 16-bit samples whose upper ten bits count; always a copy.
        - YUYV, UYVY: (height, width, 2).
        - GREY: (height, width).
        - AR24: (height, width, 4), blue, green, red and opacity. BGR4, XR24: with a byte that means nothing.
        - RGB3, BGR3: (height, width, 3).
        - H264: not an array without a decoder; ValueError.
        - JPEG, MJPG: (height, width, 3), red, green and blue, decoded by Pillow (`pip install firstlight[jpeg]`).

        Raw pictures are read-only views of `data`, without a copy; one is made only when the two planes of an NV12
        picture do not lie one after the other with the same stride. Other formats are a ValueError.
        """
        return pixels.as_array(self.data, self.pixel_format, (self.width, self.height), self.planes)

    def luma(self) -> np.ndarray:
        """The brightness as a (height, width) array; a view of `data` for raw pictures but RGB."""
        return pixels.luma(self.data, self.pixel_format, (self.width, self.height), self.planes)


def _video_data(message: video_data_pb2.VideoDataFrame) -> dict[str, Any]:
    """What only frames of a video data output tell."""
    has = message.HasField
    return {
        "exposure_ns": message.exposure_duration.ToNanoseconds() if has("exposure_duration") else None,
        "gain": message.gain if has("gain") else None,
        "temperature": message.temperature_millidegrees / 1000 if has("temperature_millidegrees") else None,
        "color_range": ColorRange(message.color_range),
    }


def nanoseconds(timestamp: timestamp_pb2.Timestamp) -> int:
    """A wall-clock time stamp as nanoseconds since the Unix epoch, in full precision."""
    return timestamp.seconds * 1_000_000_000 + timestamp.nanos
