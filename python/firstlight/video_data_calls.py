"""What a client asks for programs: frames, and what previews show of them."""

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
    """Gives frames to programs, and shows what they draw. The part of `Client` that is about video data."""

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
        """Every frame of a video data output, in order; open from the moment of this call.

        `output` is the id of the output; empty for the session's only one. With `max_unacknowledged_frames=0` the
        daemon sends as fast as the connection takes.
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
        """Frames of a video data output, each answered with what a preview shows for it; open from this call on.

        `output` and `preview` are ids; empty for the session's only video data output and the main preview. The preview
        waits for an answer until `deadline_frames` newer ones came (1 to 8, 3 unless given), then shows the frame
        without one, and it shows every frame. Photos and video data stay what the camera gave. Another program for the
        same preview takes its place: this stream ends with `OPERATION_INTERRUPTED`.
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
        """Draws over every picture of a preview, in place of what was set before; without elements no more.

        Elements come of `firstlight.overlays`; `preview` is the id of a preview output, empty for the main one. The
        drawing stays until the output is removed. Photos and video data do not have it. What cannot be drawn is an
        INVALID_ARGUMENT with the field in `violations`, for example `overlay.elements[0].text.relative_height`.
        """
        overlay = overlay_pb2.Overlay(elements=elements)
        request = video_data_pb2.SetOverlayRequest(
            session=values.text("session", session), preview_output=values.text("preview", preview), overlay=overlay
        )
        self._call(self._video_data.SetOverlay, request)
