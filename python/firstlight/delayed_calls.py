"""The calls of the client that show what a camera saw some time ago."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any

import grpc

from firstlight import values
from firstlight.calls import Calls
from firstlight.frames import Dropped, Frame, Gravity, nanoseconds
from firstlight.streams import Stream
from firstlight.v1 import (
    delayed_feed_service_pb2 as delayed_pb2,
    delayed_feed_service_pb2_grpc as delayed_grpc,
    preview_service_pb2 as preview_pb2,
)


@dataclasses.dataclass(frozen=True, slots=True)
class Chunk:
    """A chunk of a delayed feed: a complete MP4 file of H.264 pictures, which plays alone."""

    #: Counts the chunks of the stream, from 1, without gaps.
    number: int
    #: When the first frame was captured, in nanoseconds since the Unix epoch, on the daemon's wall clock.
    start_time_ns: int
    #: When the first frame was captured, in nanoseconds of the daemon's CLOCK_MONOTONIC. This time is authoritative.
    monotonic_time_ns: int
    #: From the capture of the first frame to the end of the last frame, in nanoseconds.
    duration_ns: int
    #: The number of frames in the chunk.
    frame_count: int
    #: Names the stream of the frames. Every start of the device begins another stream.
    stream_id: int
    #: The driver's number of the first frame.
    first_sequence: int
    #: The driver's number of the last frame.
    last_sequence: int
    #: The frames that this reader missed since the end of the chunk before, in this chunk and before it.
    dropped: Dropped
    #: The number of frames left out because of `max_frame_rate` since the end of the chunk before.
    omitted: int
    #: Pixels per line.
    width: int
    #: Lines.
    height: int
    #: The bytes of the MP4 file.
    data: bytes = dataclasses.field(repr=False)

    @classmethod
    def from_message(cls, message: delayed_pb2.DelayedChunk, data: bytes) -> Chunk:
        """Makes a chunk from its description and its bytes."""
        dropped = message.dropped
        return cls(
            number=message.chunk_number,
            start_time_ns=nanoseconds(message.chunk_start_time),
            monotonic_time_ns=message.monotonic_time_ns,
            duration_ns=message.duration.ToNanoseconds(),
            frame_count=message.frame_count,
            stream_id=message.stream_id,
            first_sequence=message.first_sequence,
            last_sequence=message.last_sequence,
            dropped=Dropped(dropped.late, dropped.out_of_buffers, dropped.discontinuity, dropped.damaged),
            omitted=message.omitted,
            width=message.width,
            height=message.height,
            data=data,
        )


class DelayedFrameStream(Stream[Frame]):
    """Streams the frames of a preview, each of them some time after its capture."""

    def __init__(self, call: Any) -> None:
        """Wraps an open call."""
        super().__init__(call, Frame.from_message)
        #: The newest status of the stream, as it was by the delay before. None until the first response was read.
        self.status: preview_pb2.PreviewStatus | None = None
        #: How far the history reaches back, as the daemon told last. None until it told that.
        self.history: delayed_pb2.DelayedHistory | None = None

    def __next__(self) -> Frame:
        """Waits for the next frame. Reads statuses and reports on the way."""
        while (frame := self.next_event()) is None:
            pass
        return frame

    def next_event(self) -> Frame | None:
        """Waits for the next response: a frame, or None when `status` or `history` has changed."""
        response = self._next_response()
        match response.WhichOneof("content"):
            case "frame":
                return self._item(response.frame)
            case "status":
                self.status = response.status
            case "delayed_history":
                self.history = response.delayed_history
        return None


class ChunkStream(Stream[Chunk]):
    """Streams the chunks of a preview, each as soon as it is complete."""

    def __init__(self, call: Any) -> None:
        """Wraps an open call."""
        super().__init__(call, lambda response: response.part)
        #: The newest status of the stream. None until the first response was read.
        self.status: preview_pb2.PreviewStatus | None = None

    def __next__(self) -> Chunk:
        """Waits for all parts of the next chunk."""
        parts: list[delayed_pb2.DelayedChunkPart] = []
        while not parts or not parts[-1].last:
            response = self._next_response()
            if response.WhichOneof("content") == "status":
                self.status = response.status
            elif response.WhichOneof("content") == "part":
                parts.append(response.part)
        return Chunk.from_message(parts[0].chunk, b"".join(part.data for part in parts))


class DelayedCalls(Calls):
    """The methods of `Client` that show what a camera saw some time ago."""

    def __init__(self, channel: grpc.Channel, *, timeout: float) -> None:
        super().__init__(channel, timeout=timeout)
        self._delayed = delayed_grpc.DelayedFeedServiceStub(channel)

    def stream_delayed_frames(
        self,
        session: str,
        delay: float,
        output: str = "",
        *,
        max_size: tuple[int, int] | None = None,
        gravity: Gravity | None = None,
        rotation: int = 0,
        max_frame_rate: float | Fraction | None = None,
        jpeg_quality: int | None = None,
    ) -> DelayedFrameStream:
        """Streams the pictures of a preview as JPEG, each of them `delay` seconds after its capture.

        The stream is open when this method returns. `Frame.as_array` decodes a picture to (height, width, 3), as for
        `preview`. A reader that is too slow gets the frame that is due when it reads; `Frame.dropped` counts the
        others. `DelayedFrameStream.history` tells how much there is while the first frame is not yet due.

        - `delay`: 0 to 60 seconds. With 0 each frame comes as soon as it is encoded.
        - `output`: the id of the preview output; empty for the main preview.
        - `max_size`: the largest (width, height) of pictures in pixels, after rotation. Pictures are scaled down to
          fit, and never up. None: the size of the captured frames.
        - `gravity`: how pictures fill `max_size`; None for RESIZE_ASPECT.
        - `rotation`: how far pictures are rotated clockwise, 0, 90, 180 or 270 degrees.
        - `max_frame_rate`: the most frames per second; None for all.
        - `jpeg_quality`: the quality of the pictures, 1 to 100; None for 80.

        Raises FirstlightError while it is read: NOT_FOUND for an unknown session or output, INVALID_ARGUMENT for a
        value out of its range, and the errors that end `preview`.
        """
        request = delayed_pb2.StreamDelayedFramesRequest(delay=values.duration("delay", delay))
        _fill(request, session, output, max_size, gravity, rotation, max_frame_rate, jpeg_quality)
        return DelayedFrameStream(self._delayed.StreamDelayedFrames(request))

    def stream_delayed_chunks(
        self,
        session: str,
        latency: float | None = None,
        output: str = "",
        *,
        max_size: tuple[int, int] | None = None,
        gravity: Gravity | None = None,
        rotation: int = 0,
        max_frame_rate: float | Fraction | None = None,
        jpeg_quality: int | None = None,
    ) -> ChunkStream:
        """Streams a preview as H.264 in MP4 files of at least `latency` seconds, each of which plays alone.

        The stream is open when this method returns. A chunk begins with the frame after the last one of the chunk
        before. That is a key frame, of which an encoder makes about one a second on request. A reader that is too slow
        loses whole chunks; `Chunk.dropped` counts their frames.

        - `latency`: 0.5 to 60 seconds; None for 2.
        - `jpeg_quality`: the quality of the H.264 pictures, 1 to 100; None for 80.
        - The other arguments are those of `stream_delayed_frames`.

        Raises FirstlightError while it is read: NOT_FOUND for an unknown session or output, INVALID_ARGUMENT for a
        value out of its range and where the daemon's machine has no libraries of FFmpeg, and the errors that end
        `preview`.
        """
        request = delayed_pb2.StreamDelayedChunksRequest()
        if latency is not None:
            request.latency.CopyFrom(values.duration("latency", latency))
        _fill(request, session, output, max_size, gravity, rotation, max_frame_rate, jpeg_quality)
        return ChunkStream(self._delayed.StreamDelayedChunks(request))


def _fill(
    request: delayed_pb2.StreamDelayedFramesRequest | delayed_pb2.StreamDelayedChunksRequest,
    session: str,
    output: str,
    max_size: tuple[int, int] | None,
    gravity: Gravity | None,
    rotation: int,
    max_frame_rate: float | Fraction | None,
    jpeg_quality: int | None,
) -> None:
    request.session = values.text("session", session)
    request.output = values.text("output", output)
    if gravity is not None:
        request.gravity = gravity
    request.rotation = values.whole("rotation", rotation)
    if max_size is not None:
        request.max_size.CopyFrom(values.size("max_size", max_size))
    if max_frame_rate is not None:
        request.max_frame_rate.CopyFrom(values.rate("max_frame_rate", max_frame_rate))
    if jpeg_quality is not None:
        request.jpeg_quality = values.whole("jpeg_quality", jpeg_quality)
