"""The stream of frames to a program that answers each frame with what a preview shows for it."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from types import TracebackType

import numpy as np

from firstlight import pixels
from firstlight.errors import FirstlightError
from firstlight.frames import Frame
from firstlight.requests import Requests
from firstlight.streams import Stream
from firstlight.v1 import (
    overlay_pb2,
    video_data_service_pb2 as video_data_pb2,
    video_data_service_pb2_grpc as video_data_grpc,
)


class ProcessingStream(Stream[Frame]):
    """Streams frames, each of which the program answers with what the preview shows for it.

    Use a stream from one thread. A program has one frame at a time: asking for the next frame answers the one before
    with the frame as it is, unless `answer` was called. The daemon has at most `deadline_frames` unanswered frames on
    the way, so a slow program falls no further behind than that; `Frame.dropped` counts the frames that it missed.

    The end of a `with` block ends the answers, and waits until the daemon has received the last one. The preview then
    shows the camera's frames again. When the daemon refuses an answer, the stream ends, and the next frame or the end
    of the block raises FirstlightError with the field at fault in `violations`. `close` ends the stream at once.
    """

    def __init__(
        self, stub: video_data_grpc.VideoDataServiceStub, start: video_data_pb2.ProcessingStart, *, timeout: float
    ) -> None:
        """Opens the stream. The end of a `with` block waits at most `timeout` seconds for the daemon."""
        self._requests = Requests(video_data_pb2.ProcessFramesRequest(processing_start=start))
        super().__init__(stub.ProcessFrames(self._requests), Frame.from_message)
        if not self._call.add_callback(self._requests.end):
            self._requests.end()
        self._timeout = timeout
        self._unanswered: Frame | None = None
        #: The newest status of the stream. None until the first frame was asked for.
        self.status: video_data_pb2.VideoDataStatus | None = None
        #: The number of answers that were `shown` or `late`, and of frames that stayed `unanswered`, at the time when
        #: the daemon sent the newest frame.
        self.counts = video_data_pb2.ProcessingCounts()

    def __next__(self) -> Frame:
        """Waits for the next frame. First answers the previous frame as it is, when the program has not answered it."""
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
        """Answers the newest frame, once. Without arguments the preview shows the frame as it is.

        - `overlay`: elements that `firstlight.overlays` made, to draw over the frame. The drawing stays on later frames
          until the next answer, for at most a second.
        - `picture`: a picture to show in place of the frame, in the camera's size and not rotated. It is an array in
          the shape and dtype that `Frame.as_array` gives for `pixel_format`, or the bytes of a JPEG file, or with
          `pixel_format` the bytes of a picture without padding.
        - `pixel_format`: the V4L2 four-character code of `picture`. For an array it is the frame's own format when
          empty, and RGB3 for a compressed frame.

        The daemon refuses an answer above 4 MiB (`REQUEST_TOO_LARGE`) unless its operator sets another limit. Answer
        with JPEG where uncompressed pictures are larger.

        Waits until the previous answer is on its way, so that answers never pile up. Raises ValueError for an array of
        another shape or dtype, for `overlay` together with `picture`, and when no frame waits for an answer.
        """
        self._check_process()
        frame = self._unanswered
        if frame is None:
            raise ValueError("no frame waits for an answer: every frame so far has been answered")
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
        """Ends the call at once; answers that are on their way are lost. Any thread may call this, at any time."""
        super().close()
        if not self._is_foreign:
            self._requests.end()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None and not self._closed and not self._is_foreign:
                self._finish()
        finally:
            self.close()

    def _finish(self) -> None:
        """Ends the answers, and waits until the daemon ends the call.

        Raises FirstlightError when the daemon refused an answer, which may be the last one.
        """
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


def _processed(
    picture: np.ndarray | bytes | bytearray | memoryview, pixel_format: str, like: Frame
) -> video_data_pb2.ProcessedFrame:
    """Makes the message of a picture that replaces the frame `like`. Raises ValueError as `ProcessingStream.answer`."""
    if isinstance(picture, bytes | bytearray | memoryview):
        pixel_format, data, (width, height) = pixel_format or "JPEG", bytes(picture), (like.width, like.height)
    else:
        pixel_format = pixel_format or ("RGB3" if like.pixel_format in pixels.COMPRESSED else like.pixel_format)
        data, (width, height) = pixels.packed(picture, pixel_format)
    return video_data_pb2.ProcessedFrame(pixel_format=pixel_format, width=width, height=height, data=data)
