"""Server streams as iterators that can be closed."""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

import grpc

from firstlight.errors import FirstlightError
from firstlight.frames import Frame
from firstlight.photos import Readiness
from firstlight.v1 import (
    pressure_service_pb2 as pressure_pb2,
    preview_service_pb2 as preview_pb2,
    preview_service_pb2_grpc as preview_grpc,
    video_data_service_pb2 as video_data_pb2,
    video_data_service_pb2_grpc as video_data_grpc,
)

T = TypeVar("T")
Status = TypeVar("Status")


class Stream(Iterator[T], Generic[T]):
    """What a server stream tells, one item at a time; the call is open from the moment this is made.

    Close it, or use it in a `with`, to end the call. Iterating after that stops. A failure of the call is raised as
    FirstlightError.
    """

    def __init__(self, call: Any, item: Callable[[Any], T]) -> None:
        """Wraps an open call; `item` turns a response into what the iterator gives."""
        self._call = call
        self._item = item
        self._closed = False

    def __next__(self) -> T:
        """Waits for the next item."""
        return self._item(self._next_response())

    def close(self) -> None:
        """Ends the call; from any thread, and as often as you like."""
        self._closed = True
        self._call.cancel()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _next_response(self) -> Any:
        try:
            return next(self._call)
        except grpc.RpcError as error:
            if self._closed:
                raise StopIteration from None
            raise FirstlightError.from_rpc_error(error) from error


class ReadinessStream(Stream[Readiness]):
    """Whether the next photo may be asked for: now, then each change."""

    def __init__(self, call: Any) -> None:
        """Wraps an open call."""
        super().__init__(call, lambda r: Readiness(r.readiness))
        #: Names the stream, for `Client.start_tracking`. Empty before the first item.
        self.token = ""

    def _next_response(self) -> Any:
        response = super()._next_response()
        self.token = response.stream_token
        return response


class PressureStream(Stream[pressure_pb2.SystemPressureState]):
    """How hot and how loaded the machine is: now, or after an event, then each change."""

    def __init__(self, call: Any, after_event_id: str = "") -> None:
        """Wraps an open call that begins after an event, or with the present state."""
        super().__init__(call, lambda r: r.state)
        #: Names the newest state, for `Client.watch_system_pressure` to go on after it. Before the first one it is what
        #: the stream was asked to go on after.
        self.event_id = after_event_id

    def _next_response(self) -> Any:
        response = super()._next_response()
        self.event_id = response.event_id
        return response


class FrameStream(Stream[Frame], Generic[Status]):
    """Frames, each acknowledged by asking for the next: the daemon never has more on the way than allowed."""

    def __init__(
        self, call: Any, acknowledging: preview_grpc.PreviewServiceStub, max_unacknowledged_frames: int
    ) -> None:
        """Wraps an open call, whose frames are acknowledged by a stub of the preview service."""
        super().__init__(call, Frame.from_message)
        self._acknowledging = acknowledging
        self._acknowledges = max_unacknowledged_frames > 0
        self._consumed: int | None = None
        # A call that nobody refers to is cancelled; so many can be on their way at once, and one just answered.
        self._acknowledgements: collections.deque[grpc.Future] = collections.deque(maxlen=max_unacknowledged_frames + 1)
        #: How the stream is: the session's state, and the size and encoding that frames have now. None before the
        #: first answer.
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
        # Not waited for: a round trip here would halve the rate over a long link. When it fails the stream fails too.
        self._acknowledgements.append(self._acknowledging.AcknowledgeFrames.future(request))


class PreviewStream(FrameStream[preview_pb2.PreviewStatus]):
    """The newest frame, again and again.

    Asking for the next frame says that the one before was consumed, and the daemon never has more frames on the way
    than `max_unacknowledged_frames`. So what you get is as fresh as the link allows, however slow you are.
    """

    def __init__(self, stub: preview_grpc.PreviewServiceStub, request: preview_pb2.StreamPreviewRequest) -> None:
        """Opens the stream."""
        super().__init__(stub.StreamPreview(request), stub, request.max_unacknowledged_frames)


class VideoDataStream(FrameStream[video_data_pb2.VideoDataStatus]):
    """Every frame of a video data output, in order; `Frame.dropped` counts exactly what was missed in between."""

    def __init__(
        self,
        stub: video_data_grpc.VideoDataServiceStub,
        acknowledging: preview_grpc.PreviewServiceStub,
        request: video_data_pb2.StreamVideoDataRequest,
    ) -> None:
        """Opens the stream."""
        super().__init__(stub.StreamVideoData(request), acknowledging, request.max_unacknowledged_frames)
