"""The client: one connection to a daemon, with a method for each common task."""

from __future__ import annotations

from fractions import Fraction

import grpc

from firstlight import values
from firstlight.channel import Channel, options_for
from firstlight.closing import Closing
from firstlight.delayed_calls import DelayedCalls
from firstlight.device_calls import DeviceCalls
from firstlight.enums import Encoding
from firstlight.frames import Gravity
from firstlight.library_calls import LibraryCalls
from firstlight.photo_calls import PhotoCalls
from firstlight.processes import check_fork
from firstlight.recording_calls import RecordingCalls
from firstlight.streams import PressureStream, PreviewStream, Stream
from firstlight.v1 import (
    launch_timeline_pb2 as timeline_pb2,
    pressure_service_pb2 as pressure_pb2,
    pressure_service_pb2_grpc as pressure_grpc,
    preview_service_pb2 as preview_pb2,
    server_service_pb2 as server_pb2,
    server_service_pb2_grpc as server_grpc,
    session_configuration_pb2 as configuration_pb2,
    session_events_pb2 as events_pb2,
    session_pb2,
    session_service_pb2 as sessions_pb2,
    session_service_pb2_grpc as session_grpc,
)
from firstlight.video_data_calls import VideoDataCalls
from firstlight.video_storage_calls import VideoStorageCalls
from firstlight.writer_calls import WriterCalls

#: The address at which a daemon listens unless its operator sets another one.
DEFAULT_ADDRESS = "127.0.0.1:50051"


def connect(address: str = DEFAULT_ADDRESS, *, timeout: float = 30.0) -> Client:
    """Makes a client of the daemon at `address`. The first call makes the connection.

    `timeout` is the number of seconds that a call may take, including a photo and a bracket. Other streams have no
    limit and last until they are closed.

    The environment can name a proxy (`http_proxy`, `no_proxy` and the other variables of gRPC) for a daemon elsewhere.
    Nothing on this machine or its own link is asked for through a proxy.
    """
    check_fork()
    name = values.text("address", address)
    return Client(grpc.insecure_channel(name, options=options_for(name)), timeout=timeout)


class Client(
    DeviceCalls,
    VideoDataCalls,
    PhotoCalls,
    LibraryCalls,
    RecordingCalls,
    VideoStorageCalls,
    WriterCalls,
    DelayedCalls,
    Closing,
):
    """A connection to a daemon. Every method may be called from any thread.

    A method raises FirstlightError when the call fails; a method that returns a stream returns at once, and the stream
    raises the error. A method raises TypeError or ValueError, which names the argument, for a number, size, rate,
    duration or text that does not fit into the request; then it sends nothing. Whole numbers may be floats without a
    fraction, and every number may be a scalar of numpy.

    A session is named by its resource name, `sessions/{id}`, and a camera by `devices/{id}`. Any client may control
    any session.

    A client belongs to the process that made it. In a child that was forked, every method and every stream raises
    FirstlightError (FAILED_PRECONDITION), because gRPC would wait there for ever.
    """

    def __init__(self, channel: grpc.Channel, *, timeout: float = 30.0) -> None:
        """Uses a channel that the caller made, for example with TLS. `close` closes the channel.

        Make the channel with CHANNEL_OPTIONS. `timeout` is the number of seconds that a call may take, as in `connect`.
        """
        check_fork()
        channel = Channel(channel)
        super().__init__(channel, timeout=timeout if timeout is None else values.number("timeout", timeout))
        self._sessions = session_grpc.SessionServiceStub(channel)
        self._pressure = pressure_grpc.PressureServiceStub(channel)
        self._server = server_grpc.ServerServiceStub(channel)

    def close(self) -> None:
        """Closes the connection. Open streams end. In a forked child does nothing."""
        self.channel.close()

    def server_info(self) -> server_pb2.ServerInfo:
        """The daemon's version, abilities, limits and clocks.

        Another `instance_id` than before means that the daemon was started again.
        """
        return self._call(self._server.GetServerInfo, server_pb2.GetServerInfoRequest()).server_info

    def create_session(
        self,
        session_id: str = "",
        *,
        idle_timeout: float = 0,
        configuration: configuration_pb2.SessionConfiguration | None = None,
        start: bool = False,
    ) -> session_pb2.Session:
        """Creates a session: stopped and without a configuration, or configured, or with `start` running.

        `session_id` is 1 to 63 characters of a-z, 0-9 and `-`, the first one a letter; the daemon makes an id when it
        is empty. With `idle_timeout` the daemon stops and deletes the session after this number of seconds without an
        attached stream and without a call that names the session, so that a script that crashed does not hold the
        camera; 0 means never.

        Make `configuration` with `firstlight.configuration`. With `start` the call returns when the camera streams, as
        the method `start` does. When a part fails, the method raises that error and no session remains.
        """
        request = sessions_pb2.CreateSessionRequest(
            session_id=values.text("session_id", session_id), configuration=configuration, start=start
        )
        if idle_timeout is not None and (idle := values.duration("idle_timeout", idle_timeout)).ToNanoseconds():
            request.idle_timeout.CopyFrom(idle)
        return self._call(self._sessions.CreateSession, request).session

    def session(self, session: str) -> session_pb2.Session:
        """The present state of a session."""
        return self._call(
            self._sessions.GetSession, sessions_pb2.GetSessionRequest(name=values.text("session", session))
        ).session

    def configure(
        self, session: str, configuration: configuration_pb2.SessionConfiguration, *, etag: str = ""
    ) -> session_pb2.Session:
        """Commits a whole configuration: all of it or none of it. Returns the session after the commit.

        With `etag`, the `Session.etag` that the caller has read, the call commits only when the configuration still
        has this etag; otherwise it raises FirstlightError with the reason `ETAG_MISMATCH`.
        """
        request = sessions_pb2.ConfigureSessionRequest(
            name=values.text("session", session), configuration=configuration, etag=values.text("etag", etag)
        )
        return self._call(self._sessions.ConfigureSession, request).session

    def check(
        self, session: str, configuration: configuration_pb2.SessionConfiguration
    ) -> tuple[session_pb2.Session, list[sessions_pb2.ConfigurationIssue]]:
        """The session as it would be after a commit, and the errors that the commit would have. Changes nothing."""
        request = sessions_pb2.ConfigureSessionRequest(
            name=values.text("session", session), configuration=configuration, validate_only=True
        )
        response = self._call(self._sessions.ConfigureSession, request)
        return response.session, list(response.issues)

    def start(self, session: str) -> session_pb2.Session:
        """Starts a session. Returns when its camera streams."""
        return self._call(
            self._sessions.StartSession, sessions_pb2.StartSessionRequest(name=values.text("session", session))
        ).session

    def stop(self, session: str) -> session_pb2.Session:
        """Stops a session. Returns when its camera is free for other sessions and programs.

        Only a client on the daemon's machine stops a session of the configuration file; others get FirstlightError with
        the reason `OPERATOR_REQUIRED`. The same holds for `configure`.
        """
        return self._call(
            self._sessions.StopSession, sessions_pb2.StopSessionRequest(name=values.text("session", session))
        ).session

    def delete_session(self, session: str) -> None:
        """Stops and deletes a session. Its streams end.

        Raises FirstlightError with the reason `SESSION_DECLARED` for a session of the daemon's configuration file.
        """
        self._call(
            self._sessions.DeleteSession, sessions_pb2.DeleteSessionRequest(name=values.text("session", session))
        )

    def run_deferred_start(self, session: str) -> None:
        """Starts the deferred outputs now. Returns at once; `watch_session` tells when the outputs are ready.

        Raises FirstlightError with the reason `AUTOMATIC_DEFERRED_START` unless the session's
        `automatically_runs_deferred_start` is false.
        """
        self._call(
            self._sessions.RunDeferredStart, sessions_pb2.RunDeferredStartRequest(name=values.text("session", session))
        )

    def watch_session(self, session: str, *, after_event_id: str = "") -> Stream[events_pb2.SessionEvent]:
        """Streams the events of a session.

        The first event is a snapshot of the session. With `after_event_id`, the `event_id` of an earlier event, the
        stream has only the events after that one, and raises FirstlightError (OUT_OF_RANGE `EVENTS_LOST`) when the
        daemon does not know that event any more.
        """
        request = sessions_pb2.WatchSessionRequest(
            name=values.text("session", session), after_event_id=values.text("after_event_id", after_event_id)
        )
        return Stream(self._sessions.WatchSession(request), lambda r: r.event)

    def audio_levels(self, session: str) -> Stream[sessions_pb2.AudioLevels]:
        """Streams how loud the microphones of a session are, ten times a second for each microphone that runs.

        `channel_levels` has the `average_level` and the `peak_level` of each channel in decibels of full scale.
        The daemon measures only while somebody watches, and starts no microphone for it.
        """
        request = sessions_pb2.WatchAudioLevelsRequest(name=values.text("session", session))
        return Stream(self._sessions.WatchAudioLevels(request), lambda r: r.audio_levels)

    def launch_timeline(self, session: str) -> timeline_pb2.LaunchTimeline:
        """When each step of the session's newest launch happened, in nanoseconds of the daemon's CLOCK_MONOTONIC."""
        request = sessions_pb2.GetLaunchTimelineRequest(name=values.text("session", session))
        return self._call(self._sessions.GetLaunchTimeline, request).timeline

    def suggest_lower_cost(
        self, session: str, configuration: configuration_pb2.SessionConfiguration | None = None
    ) -> list[sessions_pb2.CostReduction]:
        """The changes that bring the hardware cost of a configuration to at most 1, in order. Changes nothing.

        The list is empty when the cost is at most 1 already. Without `configuration` the changes are for the session's
        own configuration. `configure` with the configuration of the last change applies all of them.
        """
        request = sessions_pb2.SuggestLowerCostRequest(
            name=values.text("session", session), configuration=configuration
        )
        return list(self._call(self._sessions.SuggestLowerCost, request).reductions)

    def preview(
        self,
        session: str,
        output: str = "",
        *,
        encoding: Encoding | None = None,
        pixel_format: str = "",
        max_size: tuple[int, int] | None = None,
        gravity: Gravity | None = None,
        rotation: int = 0,
        max_frame_rate: float | Fraction | None = None,
        jpeg_quality: int | None = None,
        adaptive: bool = False,
        max_message_bytes: int | None = None,
        max_unacknowledged_frames: int = 2,
    ) -> PreviewStream:
        """Streams the newest frame of a preview, again and again. The stream is open when this method returns.

        - `output`: the id of the preview output; empty for the main preview.
        - `encoding`: JPEG (default), H264 or UNCOMPRESSED.
        - `pixel_format`: the V4L2 four-character code of uncompressed pictures, `NV12` (default) or `YUYV`. A code
          makes UNCOMPRESSED the default encoding.
        - `max_size`: the largest (width, height) of pictures in pixels, after rotation. Pictures are scaled down to
          fit, and never up. None: the size of the captured frames.
        - `gravity`: how pictures fill `max_size`; None for RESIZE_ASPECT.
        - `rotation`: how far pictures are rotated clockwise, 0, 90, 180 or 270 degrees.
        - `max_frame_rate`: the most frames per second; None for all. `Frame.omitted` counts the frames left out for it.
        - `jpeg_quality`: the quality of JPEG and H264 pictures, 1 to 100; None for 80.
        - `adaptive`: whether a slow link gets a lower quality, then a lower rate, then a smaller size.
          `PreviewStream.status` tells what the stream gets at present.
        - `max_message_bytes`: the largest message in bytes, at least 64 KiB; None for 4 MiB. Pictures are scaled down
          to fit.
        - `max_unacknowledged_frames`: the most frames that the daemon sends ahead of this program, at most 64. With 0
          the daemon sends as fast as the connection takes the frames.
        """
        request = preview_pb2.StreamPreviewRequest(
            session=values.text("session", session),
            output=values.text("output", output),
            encoding=encoding,
            pixel_format=values.text("pixel_format", pixel_format),
            gravity=gravity,
            rotation=values.whole("rotation", rotation),
            jpeg_quality=values.whole_or_none("jpeg_quality", jpeg_quality),
            adaptive=adaptive,
            max_message_bytes=values.whole_or_none("max_message_bytes", max_message_bytes),
            max_unacknowledged_frames=values.whole("max_unacknowledged_frames", max_unacknowledged_frames),
        )
        if max_size is not None:
            request.max_size.CopyFrom(values.size("max_size", max_size))
        if max_frame_rate is not None:
            request.max_frame_rate.CopyFrom(values.rate("max_frame_rate", max_frame_rate))
        return PreviewStream(self._previews, request)

    def system_pressure(self, device: str = "") -> pressure_pb2.SystemPressureState:
        """The pressure of the machine, and the readings that it comes from.

        With `device`, the resource name of a camera, the state is that of the machine together with this camera.
        """
        request = pressure_pb2.GetSystemPressureRequest(device=values.text("device", device))
        return self._call(self._pressure.GetSystemPressure, request).state

    def watch_system_pressure(self, device: str = "", *, after_event_id: str = "") -> PressureStream:
        """Streams the state that `system_pressure` returns: the present one, then each change of level or factors.

        With `after_event_id`, the `PressureStream.event_id` of an earlier state, the stream has only the states after
        that one, of which only the newest has readings. It raises FirstlightError (OUT_OF_RANGE `EVENTS_LOST`) when the
        daemon does not know that state any more.
        """
        request = pressure_pb2.WatchSystemPressureRequest(
            device=values.text("device", device), after_event_id=values.text("after_event_id", after_event_id)
        )
        return PressureStream(self._pressure.WatchSystemPressure(request), after_event_id)

    def adaptation_ladder(self) -> list[pressure_pb2.AdaptationStep]:
        """The steps that sessions with the policy SERVER take under pressure, in order."""
        request = pressure_pb2.GetAdaptationLadderRequest()
        return list(self._call(self._pressure.GetAdaptationLadder, request).ladder.steps)

    def pressure_history(
        self, *, start_ns: int | None = None, end_ns: int | None = None, max_points: int | None = None
    ) -> list[pressure_pb2.PressureHistoryPoint]:
        """The pressure level and the temperatures of the last 24 hours, one point for each minute, the oldest first.

        `start_ns` and `end_ns` limit the time. They are instants of the daemon's wall clock, in nanoseconds since the
        Unix epoch; None for the oldest point and for now. `max_points` is the most points to return, 1 to 1,440: the
        daemon merges neighbouring minutes until there are no more. None for 1,440.
        """
        request = pressure_pb2.GetPressureHistoryRequest(
            max_points=values.whole_or_none("max_points", max_points, values.SIGNED_32)
        )
        if start_ns is not None:
            request.start_time.CopyFrom(values.instant("start_ns", start_ns))
        if end_ns is not None:
            request.end_time.CopyFrom(values.instant("end_ns", end_ns))
        return list(self._call(self._pressure.GetPressureHistory, request).history.points)
