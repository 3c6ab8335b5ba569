"""Streams of the daemon as Python iterators that can be closed."""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Generic, TypeVar

import grpc

from firstlight.closing import Closing
from firstlight.errors import FirstlightError
from firstlight.frames import Frame
from firstlight.photos import Readiness
from firstlight.processes import OneProcess
from firstlight.v1 import (
    pressure_service_pb2 as pressure_pb2,
    preview_service_pb2 as preview_pb2,
    preview_service_pb2_grpc as preview_grpc,
    video_data_service_pb2 as video_data_pb2,
    video_data_service_pb2_grpc as video_data_grpc,
)

T = TypeVar("T")
Status = TypeVar("Status")


class Stream(OneProcess, Closing, Iterator[T], Generic[T]):
    """Iterates over the items of a server stream. The call is open as soon as the object exists.

    `close` and the end of a `with` block end the call; after that the iteration stops. When the call fails, the
    iteration raises FirstlightError. In a forked child the iteration raises it, too, and `close` does nothing.
    """

    _grpc_has: ClassVar[str] = "stream"

    def __init__(self, call: Any, item: Callable[[Any], T]) -> None:
        """Wraps an open call. `item` makes the item of the iterator from a response."""
        super().__init__()
        self._call = call
        self._item = item
        self._closed = False

    def __next__(self) -> T:
        """Waits for the next item."""
        return self._item(self._next_response())

    def close(self) -> None:
        """Ends the call. Any thread may call this, any number of times."""
        self._closed = True
        if not self._is_foreign:
            self._is_over = True
            self._call.cancel()

    def _next_response(self) -> Any:
        self._check_process()
        try:
            return next(self._call)
        except StopIteration:
            self._is_over = True
            raise
        except grpc.RpcError as error:
            self._is_over = True
            if self._closed:
                raise StopIteration from None
            raise FirstlightError.from_rpc_error(error) from error


class ReadinessStream(Stream[Readiness]):
    """Streams whether a client may ask for the next photo: the present value, then each change."""

    def __init__(self, call: Any) -> None:
        """Wraps an open call."""
        super().__init__(call, lambda r: Readiness(r.readiness))
        #: Names the stream, for `Client.start_tracking`. Empty until the first item was read.
        self.token = ""

    def _next_response(self) -> Any:
        response = super()._next_response()
        self.token = response.stream_token
        return response


class PressureStream(Stream[pressure_pb2.SystemPressureState]):
    """Streams the pressure state: the present one, or the states after an earlier one, then each change."""

    def __init__(self, call: Any, after_event_id: str = "") -> None:
        """Wraps an open call, which begins after the state `after_event_id`; empty: with the present state."""
        super().__init__(call, lambda r: r.state)
        #: The id of the newest state, after which `Client.watch_system_pressure` can resume. Until the first state was
        #: read, the `after_event_id` of the request.
        self.event_id = after_event_id

    def _next_response(self) -> Any:
        response = super()._next_response()
        self.event_id = response.event_id
        return response


class FrameStream(Stream[Frame], Generic[Status]):
    """Streams frames, and acknowledges each frame when the program asks for the next one.

    The daemon therefore never has more than `max_unacknowledged_frames` frames on the way.
    """

    def __init__(
        self, call: Any, acknowledging: preview_grpc.PreviewServiceStub, max_unacknowledged_frames: int
    ) -> None:
        """Wraps an open call. The stub `acknowledging` acknowledges its frames.

        With `max_unacknowledged_frames` 0 the stream acknowledges no frames.
        """
        super().__init__(call, Frame.from_message)
        self._acknowledging = acknowledging
        self._acknowledges = max_unacknowledged_frames > 0
        self._consumed: int | None = None
        # These references keep acknowledgements alive, because grpcio cancels a call to which nothing refers. As many
        # acknowledgements as unacknowledged frames can be on their way at once, beside one that was just answered.
        self._acknowledgements: collections.deque[grpc.Future] = collections.deque(maxlen=max_unacknowledged_frames + 1)
        #: The newest status of the stream: the session's state, and the size and the encoding or pixel format of frames
        #: at present. None until the first response was read.
        self.status: Status | None = None

    def __next__(self) -> Frame:
        """Acknowledges the previous frame and waits for the next."""
        self._acknowledge()
        while True:
            response = self._next_response()
            content = response.WhichOneof("content")
            if content == "status":
                self.status = response.status
            elif content == "frame":
                frame = self._item(response.frame)
                self._consumed = frame.sequence
                return frame

    def _acknowledge(self) -> None:
        if not self._acknowledges or self._consumed is None or self.status is None:
            return
        request = preview_pb2.AcknowledgeFramesRequest(stream_token=self.status.stream_token, sequence=self._consumed)
        self._consumed = None
        # The stream does not wait for the response, because a round trip for each frame would halve the rate over a
        # link with a long delay. When an acknowledgement fails, the stream itself fails, too.
        self._acknowledgements.append(self._acknowledging.AcknowledgeFrames.future(request))


class PreviewStream(FrameStream[preview_pb2.PreviewStatus]):
    """Streams the newest frame of a preview, again and again.

    Asking for the next frame acknowledges the one before, and the daemon never has more than
    `max_unacknowledged_frames` frames on the way. Frames are therefore as fresh as the link allows, however slow the
    program is.
    """

    def __init__(self, stub: preview_grpc.PreviewServiceStub, request: preview_pb2.StreamPreviewRequest) -> None:
        """Opens the stream."""
        super().__init__(stub.StreamPreview(request), stub, request.max_unacknowledged_frames)


class VideoDataStream(FrameStream[video_data_pb2.VideoDataStatus]):
    """Streams every frame of a video data output, in order.

    `Frame.dropped` counts exactly the frames that the program missed since the previous frame.
    """

    def __init__(
        self,
        stub: video_data_grpc.VideoDataServiceStub,
        acknowledging: preview_grpc.PreviewServiceStub,
        request: video_data_pb2.StreamVideoDataRequest,
    ) -> None:
        """Opens the stream."""
        super().__init__(stub.StreamVideoData(request), acknowledging, request.max_unacknowledged_frames)
