"""The calls of the client that are for programs: frames, and drawings over previews."""

from __future__ import annotations

from collections.abc import Iterable

import grpc

from firstlight import values
from firstlight.calls import Calls
from firstlight.channel import MAX_RECEIVE_MESSAGE_BYTES
from firstlight.processing import ProcessingStream
from firstlight.streams import VideoDataStream
from firstlight.v1 import (
    overlay_pb2,
    preview_service_pb2_grpc as preview_grpc,
    video_data_service_pb2 as video_data_pb2,
    video_data_service_pb2_grpc as video_data_grpc,
)


class VideoDataCalls(Calls):
    """The methods of `Client` that give frames to programs, and show the programs' drawings in previews."""

    def __init__(self, channel: grpc.Channel, *, timeout: float) -> None:
        super().__init__(channel, timeout=timeout)
        self._previews = preview_grpc.PreviewServiceStub(channel)
        self._video_data = video_data_grpc.VideoDataServiceStub(channel)

    def video_data(
        self,
        session: str,
        output: str = "",
        *,
        max_message_bytes: int = MAX_RECEIVE_MESSAGE_BYTES,
        max_unacknowledged_frames: int = 0,
    ) -> VideoDataStream:
        """Streams every frame of a video data output, in order. The stream is open when this method returns.

        - `output`: the id of the video data output; empty for the session's only one.
        - `max_message_bytes`: the largest message in bytes, 64 KiB to 256 MiB. When frames are larger, the stream
          raises FirstlightError with the reason `MESSAGE_LIMIT`.
        - `max_unacknowledged_frames`: the most frames that the daemon sends ahead of this program, at most 64. With 0
          the daemon sends as fast as the connection takes the frames.
        """
        request = video_data_pb2.StreamVideoDataRequest(
            session=values.text("session", session),
            output=values.text("output", output),
            max_message_bytes=values.whole("max_message_bytes", max_message_bytes),
            max_unacknowledged_frames=values.whole("max_unacknowledged_frames", max_unacknowledged_frames),
        )
        return VideoDataStream(self._video_data, self._previews, request)

    def process_frames(
        self,
        session: str,
        output: str = "",
        *,
        preview: str = "",
        deadline_frames: int | None = None,
        max_message_bytes: int = MAX_RECEIVE_MESSAGE_BYTES,
    ) -> ProcessingStream:
        """Streams the frames of a video data output to a program that answers each with what a preview shows for it.

        The stream is open when this method returns. The preview shows every frame: with its answer, or without one when
        none came in time. Photos and video data keep the camera's frames.

        - `output`: the id of the video data output; empty for the session's only one.
        - `preview`: the id of the preview output; empty for the main preview.
        - `deadline_frames`: how many newer frames may come while a frame waits for its answer, 1 to 8; None for 3.
        - `max_message_bytes`: the largest message in bytes, 64 KiB to 256 MiB.

        When another program processes the frames of the same preview, it takes over, and this stream raises
        FirstlightError with the reason `OPERATION_INTERRUPTED`.
        """
        start = video_data_pb2.ProcessingStart(
            session=values.text("session", session),
            output=values.text("output", output),
            preview_output=values.text("preview", preview),
            deadline_frames=values.whole_or_none("deadline_frames", deadline_frames),
            max_message_bytes=values.whole("max_message_bytes", max_message_bytes),
        )
        return ProcessingStream(self._video_data, start, timeout=self._timeout)

    def set_overlay(
        self, session: str, elements: Iterable[overlay_pb2.OverlayElement] = (), *, preview: str = ""
    ) -> None:
        """Draws an overlay over every picture of a preview, in place of the former overlay.

        `firstlight.overlays` makes the elements; no elements end the drawing. `preview` is the id of the preview
        output; empty for the main preview. The overlay stays until the output is removed. Photos and video data do not
        show it. Raises FirstlightError (INVALID_ARGUMENT) for an element that cannot be drawn, with the field at fault
        in `violations`, for example `overlay.elements[0].text.relative_height`.
        """
        overlay = overlay_pb2.Overlay(elements=elements)
        request = video_data_pb2.SetOverlayRequest(
            session=values.text("session", session), preview_output=values.text("preview", preview), overlay=overlay
        )
        self._call(self._video_data.SetOverlay, request)
