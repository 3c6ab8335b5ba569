"""Frames for a program that decides what a preview shows for each."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from types import TracebackType

import numpy as np

from firstlight import pixels
from firstlight.errors import FirstlightError
from firstlight.frames import Frame
from firstlight.streams import Stream
from firstlight.v1 import (
    overlay_pb2,
    video_data_service_pb2 as video_data_pb2,
    video_data_service_pb2_grpc as video_data_grpc,
)


class ProcessingStream(Stream[Frame]):
    """Frames, each to be answered with what the preview shows for it; one in hand at a time, from one thread.

    Asking for the next frame answers the one before as it is, unless `answer` did. The daemon has no more than
    `deadline_frames` unanswered ones on the way, so a slow program never falls further behind; `Frame.dropped` counts
    what it missed.

    Leaving the `with` block ends the answers and waits until the daemon had the last; then the preview is the camera's
    own again. What the daemon refuses is raised as FirstlightError by the next frame or there, with the bad field in
    `violations`; the stream has ended then. `close` ends it at once.
    """

    def __init__(
        self, stub: video_data_grpc.VideoDataServiceStub, start: video_data_pb2.ProcessingStart, *, timeout: float
    ) -> None:
        """Opens the stream; the end of a `with` block waits at most `timeout` seconds for the daemon."""
        self._requests = _Requests(video_data_pb2.ProcessFramesRequest(processing_start=start))
        super().__init__(stub.ProcessFrames(self._requests), Frame.from_message)
        if not self._call.add_callback(self._requests.end):
            self._requests.end()
        self._timeout = timeout
        self._unanswered: Frame | None = None
        #: How the stream is. None before the first frame was asked for.
        self.status: video_data_pb2.VideoDataStatus | None = None
        #: What became of answers and frames until the newest frame was sent: `shown`, `late` and `unanswered`.
        self.counts = video_data_pb2.ProcessingCounts()

    def __next__(self) -> Frame:
        """Waits for the next frame; the one before is shown as it is when it was not answered."""
        if self._unanswered is not None:
            self.answer()
        while True:
            response = self._next_response()
            if response.HasField("frame"):
                self._unanswered = self._item(response.frame)
                return self._unanswered

    def answer(
        self,
        *,
        overlay: Iterable[overlay_pb2.OverlayElement] | None = None,
        picture: np.ndarray | bytes | bytearray | memoryview | None = None,
        pixel_format: str = "",
    ) -> None:
        """Answers the newest frame, once: with something drawn over it, another picture in its place, or as it is.

        `overlay` comes of `firstlight.overlays`, and stays on the frames after it until the next answer, at most for a
        second. `picture` is an array of the camera's size, not turned, in the shape that `Frame.as_array` gives for
        `pixel_format`, a V4L2 four-character code: the frame's own unless given, RGB3 for JPEG. Or it is bytes: a JPEG
        file, or a picture without padding in `pixel_format`. The daemon takes 4 MiB unless told otherwise
        (`REQUEST_TOO_LARGE`): answer with JPEG where raw pictures are larger.

        Waits while the answer before is not on its way, so that answers never pile up. ValueError for an array of
        another shape or type, and without a frame to answer.
        """
        frame = self._unanswered
        if frame is None:
            raise ValueError("no frame waits for an answer: each has one")
        if overlay is not None and picture is not None:
            raise ValueError("overlay and picture exclude each other")
        answer = video_data_pb2.ProcessingAnswer(stream_id=frame.stream_id, sequence=frame.sequence)
        if overlay is not None:
            answer.overlay.CopyFrom(overlay_pb2.Overlay(elements=overlay))
        elif picture is not None:
            answer.replacement.CopyFrom(_processed(picture, pixel_format, frame))
        self._unanswered = None
        self._requests.put(video_data_pb2.ProcessFramesRequest(answer=answer))

    def close(self) -> None:
        """Ends the call at once, without the answers still on their way; from any thread, and as often as you like."""
        super().close()
        self._requests.end()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None and not self._closed:
                self._finish()
        finally:
            self.close()

    def _finish(self) -> None:
        """Ends the answers and waits for the daemon's last word: the last answer may be one that cannot be drawn."""
        limit = threading.Timer(self._timeout, self.close)
        limit.start()
        try:
            self._requests.end()
            while True:
                self._next_response()
        except StopIteration:
            pass
        finally:
            limit.cancel()

    def _next_response(self) -> video_data_pb2.ProcessFramesResponse:
        try:
            response = super()._next_response()
        except FirstlightError:
            self.close()
            raise
        self.counts = response.counts
        if response.HasField("status"):
            self.status = response.status
        return response


class _Requests(Iterator[video_data_pb2.ProcessFramesRequest]):
    """What is to be written: one request, until gRPC takes it because the one before is on its way."""

    def __init__(self, first: video_data_pb2.ProcessFramesRequest) -> None:
        self._changed = threading.Condition()
        self._waiting: video_data_pb2.ProcessFramesRequest | None = first
        self._ended = False

    def put(self, request: video_data_pb2.ProcessFramesRequest) -> None:
        """Waits for room; after the end nothing."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting is None or self._ended)
            if not self._ended:
                self._waiting = request
                self._changed.notify_all()

    def end(self) -> None:
        """No more will come. What waits is still given."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def __next__(self) -> video_data_pb2.ProcessFramesRequest:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting is not None or self._ended)
            request, self._waiting = self._waiting, None
            self._changed.notify_all()
        if request is None:
            raise StopIteration
        return request


def _processed(
    picture: np.ndarray | bytes | bytearray | memoryview, pixel_format: str, like: Frame
) -> video_data_pb2.ProcessedFrame:
    """A picture in place of a frame."""
    if isinstance(picture, bytes | bytearray | memoryview):
        pixel_format, data, (width, height) = pixel_format or "JPEG", bytes(picture), (like.width, like.height)
    else:
        pixel_format = pixel_format or ("RGB3" if like.pixel_format in pixels.COMPRESSED else like.pixel_format)
        data, (width, height) = pixels.packed(picture, pixel_format)
    return video_data_pb2.ProcessedFrame(pixel_format=pixel_format, width=width, height=height, data=data)
