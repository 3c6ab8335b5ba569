"""Frames of previews and video data outputs, as numpy arrays."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np
from google.protobuf import timestamp_pb2

from firstlight import pixels
from firstlight.compositions import LayerSource
from firstlight.enums import ColorRange, ContractEnum, Encoding
from firstlight.pixels import Plane
from firstlight.v1 import preview_service_pb2 as preview_pb2, video_data_service_pb2 as video_data_pb2


class Gravity(ContractEnum):
    """How a picture fills the `max_size` of a preview. The values of the contract's `PreviewGravity`."""

    #: The picture is stretched to the shape of `max_size`.
    RESIZE = preview_pb2.PREVIEW_GRAVITY_RESIZE
    #: The picture keeps its own shape and fits into `max_size`.
    RESIZE_ASPECT = preview_pb2.PREVIEW_GRAVITY_RESIZE_ASPECT
    #: The picture has the shape of `max_size`; the parts beyond that shape are cut off.
    RESIZE_ASPECT_FILL = preview_pb2.PREVIEW_GRAVITY_RESIZE_ASPECT_FILL


class Dropped(NamedTuple):
    """The number of frames that this reader missed since the previous frame of the stream, by cause."""

    #: The reader was too slow, and a newer frame replaced the one that waited.
    late: int
    #: The daemon's frame pool had no memory left.
    out_of_buffers: int
    #: The driver skipped sequence numbers, or the stream was restarted.
    discontinuity: int
    #: The camera or its driver delivered a damaged picture.
    damaged: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class Frame:
    """A picture of a preview or a video data output, with the time at which it was captured."""

    #: The id of the session's input.
    input: str
    #: Names the stream of the frame. Every start of the device begins another stream.
    stream_id: int
    #: The driver's number of the frame, extended to 64 bits.
    sequence: int
    #: When the frame was captured, in nanoseconds since the Unix epoch, on the daemon's wall clock.
    capture_time_ns: int
    #: When the frame was captured, in nanoseconds of the daemon's CLOCK_MONOTONIC. This time is authoritative.
    monotonic_time_ns: int
    #: Pixels per line.
    width: int
    #: Lines.
    height: int
    #: How `data` is encoded.
    encoding: Encoding
    #: V4L2 four-character code of `data`. For compressed frames of a preview it is the name of the encoding, `JPEG` or
    #: `H264`.
    pixel_format: str
    #: The frames that this reader missed since the previous frame.
    dropped: Dropped
    #: The revision of the configuration under which the frame was captured.
    config_revision: int
    #: The place of each plane in `data`. Empty for compressed formats.
    planes: tuple[Plane, ...]
    #: Whether the frame can be decoded without the frames before it. Always True for frames of a video data output.
    key_frame: bool
    #: The number of frames of a preview that were left out since the previous frame because of `max_frame_rate`. 0 for
    #: frames of a video data output.
    omitted: int
    #: The bytes of the picture. The client copies the bytes once, out of the received message; for a `SharedFrame` it
    #: does not copy them.
    data: bytes | memoryview = dataclasses.field(repr=False)
    #: How long the sensor was exposed, in nanoseconds. None where the driver does not tell, and in previews.
    exposure_ns: int | None = None
    #: The value of the driver's control `gain`, in the unit of that control. None where the driver does not tell, and
    #: in previews.
    gain: int | None = None
    #: The temperature of the machine's warmest thermal zone, in °C. None where no zone could be read, and in previews.
    temperature: float | None = None
    #: Which numbers stand for black and white. UNSPECIFIED in previews, whose uncompressed pictures are LIMITED.
    color_range: ColorRange = ColorRange.UNSPECIFIED
    #: What each layer of a composition shows, in the order of its layers. Empty for a frame of a camera.
    sources: tuple[LayerSource, ...] = ()

    @classmethod
    def from_message(cls, message: preview_pb2.PreviewFrame | video_data_pb2.VideoDataFrame) -> Frame:
        """Makes a frame from the message that carried it."""
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
            key_frame=message.key_frame,
            omitted=message.omitted if isinstance(message, preview_pb2.PreviewFrame) else 0,
            data=message.data,
            sources=LayerSource.from_messages(message.sources),
            **(_video_data(message) if isinstance(message, video_data_pb2.VideoDataFrame) else {}),
        )

    def as_array(self) -> np.ndarray:
        """The picture as an array of uint8; of uint16 for P010, Y10, Y12, Y14, Y16 and Y16-BE.

        - NV12, NV21: (height · 3/2, width), luma above interleaved chroma, as OpenCV's `COLOR_YUV2BGR_NV12` takes it.
        - P010: the same shape and order, of 16-bit samples whose upper ten bits count; always a copy.
        - YUYV, UYVY: (height, width, 2).
        - GREY: (height, width).
        - Y10, Y12, Y14, Y16: (height, width) of `<u2`, little-endian uint16: the values that the sensor measured, as
          of a thermal camera. Y16-BE: the same of `>u2`, big-endian uint16.
        - AR24: (height, width, 4), blue, green, red and opacity. BGR4, XR24: the same, but the fourth byte has no
          meaning.
        - RGB3, BGR3: (height, width, 3).
        - H264: ValueError, because the client has no decoder.
        - JPEG, MJPG: (height, width, 3), red, green and blue, decoded by Pillow (`pip install firstlight[jpeg]`).

        The arrays of uncompressed pictures are read-only views of `data`. Apart from P010, a copy is made only when the
        two planes of an NV12 or NV21 picture do not lie one after the other with the same stride. Raises ValueError for
        other formats.
        """
        return pixels.as_array(self.data, self.pixel_format, (self.width, self.height), self.planes)

    def luma(self) -> np.ndarray:
        """The brightness as a (height, width) array of uint8; of uint16 for P010, Y10, Y12, Y14, Y16 and Y16-BE.

        The array is a view of `data` for NV12, NV21, YUYV, UYVY, planar formats and those of luma alone, which are
        GREY, Y10, Y12, Y14, Y16 and Y16-BE; for P010 a view where its lines have no padding. The brightness of RGB
        pictures is computed, and JPEG is decoded by Pillow. Raises ValueError for other formats.
        """
        return pixels.luma(self.data, self.pixel_format, (self.width, self.height), self.planes)


def _video_data(message: video_data_pb2.VideoDataFrame) -> dict[str, Any]:
    """The fields that only frames of a video data output have."""
    has = message.HasField
    return {
        "exposure_ns": message.exposure_duration.ToNanoseconds() if has("exposure_duration") else None,
        "gain": message.gain if has("gain") else None,
        "temperature": message.temperature_millidegrees / 1000 if has("temperature_millidegrees") else None,
        "color_range": ColorRange(message.color_range),
    }


def nanoseconds(timestamp: timestamp_pb2.Timestamp) -> int:
    """A time stamp as nanoseconds since the Unix epoch, in full precision."""
    return timestamp.seconds * 1_000_000_000 + timestamp.nanos
