"""The client: one connection to a daemon, one method for each thing people do."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import TracebackType
from typing import Self

import grpc

from firstlight import values
from firstlight.channel import CHANNEL_OPTIONS
from firstlight.controls import Value, setting
from firstlight.enums import Encoding
from firstlight.frames import Gravity
from firstlight.photo_calls import PhotoCalls
from firstlight.streams import PressureStream, PreviewStream, Stream
from firstlight.v1 import (
    control_pb2,
    device_service_pb2 as device_pb2,
    device_service_pb2_grpc as device_grpc,
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

DEFAULT_ADDRESS = "127.0.0.1:50051"


def connect(address: str = DEFAULT_ADDRESS, *, timeout: float = 30.0) -> Client:
    """Makes a client of the daemon at `address`; the connection is made by the first call.

    `timeout` is for how many seconds a call may take. Streams have none, they last until closed.
    """
    return Client(grpc.insecure_channel(values.text("address", address), options=CHANNEL_OPTIONS), timeout=timeout)


class Client(VideoDataCalls, PhotoCalls):
    """A connection to a daemon. Every method may be called from any thread and raises FirstlightError.

    A number, size, rate, duration or text that no request has room for is a TypeError or a ValueError that names the
    argument, before anything is sent. Whole numbers may be floats without a fraction, and any number one of numpy.

    Sessions are named by their resource name, `sessions/{id}`; any client may drive any session.
    """

    def __init__(self, channel: grpc.Channel, *, timeout: float = 30.0) -> None:
        """Uses a channel made elsewhere, for example with TLS; give it CHANNEL_OPTIONS. Closes it in `close`."""
        super().__init__(channel, timeout=timeout if timeout is None else values.number("timeout", timeout))
        self._devices = device_grpc.DeviceServiceStub(channel)
        self._sessions = session_grpc.SessionServiceStub(channel)
        self._pressure = pressure_grpc.PressureServiceStub(channel)
        self._server = server_grpc.ServerServiceStub(channel)

    def close(self) -> None:
        """Closes the connection; open streams end."""
        self.channel.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def server_info(self) -> server_pb2.ServerInfo:
        """Who answers, what it can do and its clocks. Another `instance_id` means that the daemon was started anew."""
        return self._call(self._server.GetServerInfo, server_pb2.GetServerInfoRequest()).server_info

    def devices(self, *device_types: device_pb2.DeviceType) -> list[device_pb2.Device]:
        """The cameras present now: all, or those of the given types in that order."""
        devices: list[device_pb2.Device] = []
        request = device_pb2.ListDevicesRequest(device_types=device_types)
        while True:
            page = self._call(self._devices.ListDevices, request)
            devices += page.devices
            if not page.next_page_token:
                return devices
            request.page_token = page.next_page_token

    def device(self, device: str) -> device_pb2.Device:
        """A camera with the present values of its controls."""
        return self._call(
            self._devices.GetDevice, device_pb2.GetDeviceRequest(name=values.text("device", device))
        ).device

    def find_formats(
        self,
        *,
        size: tuple[int, int] | None = None,
        frame_rate: float | Fraction | None = None,
        pixel_format: str = "",
    ) -> list[device_pb2.FormatMatch]:
        """The best format of each camera that has exactly this size and at least this rate."""
        query = device_pb2.FormatQuery(pixel_format=values.text("pixel_format", pixel_format))
        if size is not None:
            query.size.CopyFrom(values.size("size", size))
        if frame_rate is not None:
            query.frame_rate.CopyFrom(values.rate("frame_rate", frame_rate))
        matches: list[device_pb2.FormatMatch] = []
        request = device_pb2.ListDevicesRequest(format_query=query)
        while True:
            page = self._call(self._devices.ListDevices, request)
            matches += page.format_matches
            if not page.next_page_token:
                return matches
            request.page_token = page.next_page_token

    def set_controls(
        self,
        device: str,
        controls: Mapping[str, Value | None] | None = None,
        *,
        session: str = "",
        active_frame_rate: float | Fraction | None = None,
    ) -> list[control_pb2.ControlResult]:
        """Sets controls in their order, each on its own; None is a control's default.

        Whole numbers, booleans, strings and bytes are taken, and what stands for them: floats without a fraction,
        scalars of numpy, and for arrays numpy arrays of uint8, uint16 or uint32. Anything else is a TypeError or a
        ValueError before anything is sent.

        While a session runs the camera it must be named. The `outcome` of each result is OUTCOME_SET, OUTCOME_CLAMPED
        when the driver took the nearest `value` instead, OUTCOME_REFUSED, or OUTCOME_WRONG_TYPE for a value of a type
        that means nothing to the control. With the last two `error` tells why:
        `FirstlightError.from_status(result.error)`. `active_frame_rate` gives the session's outputs at most so many
        frames per second until its stream restarts, 0 all of them again.
        """
        request = control_pb2.SetControlsRequest(
            device=values.text("device", device), session=values.text("session", session)
        )
        if controls is not None and not isinstance(controls, Mapping):
            raise TypeError(
                f"controls = {values.shown(controls)}: it takes a mapping of controls to their values, for example"
                f' {{"brightness": 5}}, not {type(controls).__name__}'
            )
        for control, value in (controls or {}).items():
            request.control_settings.append(setting(control, value))
        if active_frame_rate is not None:
            request.active_frame_rate.CopyFrom(values.rate("active_frame_rate", active_frame_rate))
        return list(self._call(self._devices.SetControls, request).results)

    def watch_devices(self, *, after_event_id: str = "") -> Stream[device_pb2.DeviceEvent]:
        """Cameras coming and going, first those present, or only what happened after an event.

        OUT_OF_RANGE `EVENTS_LOST` when the daemon does not know the event any more.
        """
        request = device_pb2.WatchDevicesRequest(after_event_id=values.text("after_event_id", after_event_id))
        return Stream(self._devices.WatchDevices(request), lambda r: r.event)

    def create_session(
        self,
        session_id: str = "",
        *,
        idle_timeout: float = 0,
        configuration: configuration_pb2.SessionConfiguration | None = None,
        start: bool = False,
    ) -> session_pb2.Session:
        """A new session: stopped and without a configuration, or configured, and running with `start`.

        With `idle_timeout` the daemon stops and deletes it after so many seconds without an attached stream or a call
        that names it, so that a script that crashed does not hold the camera.

        `configuration` comes of `firstlight.configuration`, as for `configure`. With `start` the call returns when the
        camera streams, as the method `start` does. If any part fails, its error is raised and there is no session.
        """
        request = sessions_pb2.CreateSessionRequest(
            session_id=values.text("session_id", session_id), configuration=configuration, start=start
        )
        if idle_timeout is not None and (idle := values.duration("idle_timeout", idle_timeout)).ToNanoseconds():
            request.idle_timeout.CopyFrom(idle)
        return self._call(self._sessions.CreateSession, request).session

    def session(self, session: str) -> session_pb2.Session:
        """A session as it is now."""
        return self._call(
            self._sessions.GetSession, sessions_pb2.GetSessionRequest(name=values.text("session", session))
        ).session

    def configure(
        self, session: str, configuration: configuration_pb2.SessionConfiguration, *, etag: str = ""
    ) -> session_pb2.Session:
        """Commits a whole configuration: all of it or none of it. With `etag` only if nobody else did meanwhile."""
        request = sessions_pb2.ConfigureSessionRequest(
            name=values.text("session", session), configuration=configuration, etag=values.text("etag", etag)
        )
        return self._call(self._sessions.ConfigureSession, request).session

    def check(
        self, session: str, configuration: configuration_pb2.SessionConfiguration
    ) -> tuple[session_pb2.Session, list[sessions_pb2.ConfigurationIssue]]:
        """What a commit would give, and what stands against it. Changes nothing."""
        request = sessions_pb2.ConfigureSessionRequest(
            name=values.text("session", session), configuration=configuration, validate_only=True
        )
        response = self._call(self._sessions.ConfigureSession, request)
        return response.session, list(response.issues)

    def start(self, session: str) -> session_pb2.Session:
        """Starts capture; returns when the camera streams."""
        return self._call(
            self._sessions.StartSession, sessions_pb2.StartSessionRequest(name=values.text("session", session))
        ).session

    def stop(self, session: str) -> session_pb2.Session:
        """Stops capture; returns when the camera is free for others."""
        return self._call(
            self._sessions.StopSession, sessions_pb2.StopSessionRequest(name=values.text("session", session))
        ).session

    def delete_session(self, session: str) -> None:
        """Stops and deletes a session; its streams end."""
        self._call(
            self._sessions.DeleteSession, sessions_pb2.DeleteSessionRequest(name=values.text("session", session))
        )

    def run_deferred_start(self, session: str) -> None:
        """Starts the deferred outputs now; returns at once."""
        self._call(
            self._sessions.RunDeferredStart, sessions_pb2.RunDeferredStartRequest(name=values.text("session", session))
        )

    def watch_session(self, session: str, *, after_event_id: str = "") -> Stream[events_pb2.SessionEvent]:
        """What happens to a session, first a snapshot of it, or only what happened after an event.

        OUT_OF_RANGE `EVENTS_LOST` when the daemon does not know the event any more.
        """
        request = sessions_pb2.WatchSessionRequest(
            name=values.text("session", session), after_event_id=values.text("after_event_id", after_event_id)
        )
        return Stream(self._sessions.WatchSession(request), lambda r: r.event)

    def launch_timeline(self, session: str) -> timeline_pb2.LaunchTimeline:
        """When each step of the newest launch happened."""
        request = sessions_pb2.GetLaunchTimelineRequest(name=values.text("session", session))
        return self._call(self._sessions.GetLaunchTimeline, request).timeline

    def suggest_lower_cost(
        self, session: str, configuration: configuration_pb2.SessionConfiguration | None = None
    ) -> list[sessions_pb2.CostReduction]:
        """Changes that bring a configuration's hardware cost to at most 1, in order; none when it does already.

        `configuration` is the session's own unless given. Changes nothing: `configure` with the last one's
        configuration applies them all.
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
        gravity: Gravity = Gravity.RESIZE_ASPECT,
        rotation: int = 0,
        max_frame_rate: float | Fraction | None = None,
        jpeg_quality: int | None = None,
        adaptive: bool = False,
        max_message_bytes: int | None = None,
        max_unacknowledged_frames: int = 2,
    ) -> PreviewStream:
        """The newest frame, again and again; open from the moment of this call.

        `output` is the id of a preview output; empty for the main one.
        `encoding` is JPEG unless given; H264 and UNCOMPRESSED are there, too. `pixel_format` is the four-character code
        of uncompressed pictures, `NV12` (unless given) or `YUYV`, and means UNCOMPRESSED by itself.
        `gravity` is how they fill `max_size`, `rotation` turns them clockwise by 90, 180 or 270 degrees. At most
        `max_frame_rate` frames come in a second; `Frame.omitted` tells how many that left out.
        With `adaptive` a slow link gets a lower quality, then rate, then size; `PreviewStream.status` tells which.
        Pictures are scaled down to fit `max_size` (width, height) and `max_message_bytes`, which is 4 MiB unless
        given. With `max_unacknowledged_frames=0` the daemon sends as fast as the connection takes.
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
        """How hot and how loaded the machine is, with a `device` that camera too, and the readings behind it."""
        request = pressure_pb2.GetSystemPressureRequest(device=values.text("device", device))
        return self._call(self._pressure.GetSystemPressure, request).state

    def watch_system_pressure(self, device: str = "", *, after_event_id: str = "") -> PressureStream:
        """As `system_pressure`: now, or after an event, then each change of level or factors.

        `PressureStream.event_id` names the newest state. After an event, only the newest state has readings.
        OUT_OF_RANGE `EVENTS_LOST` when the daemon does not know the event any more.
        """
        request = pressure_pb2.WatchSystemPressureRequest(
            device=values.text("device", device), after_event_id=values.text("after_event_id", after_event_id)
        )
        return PressureStream(self._pressure.WatchSystemPressure(request), after_event_id)

    def adaptation_ladder(self) -> list[pressure_pb2.AdaptationStep]:
        """What sessions whose policy is SERVER do under pressure, in order."""
        request = pressure_pb2.GetAdaptationLadderRequest()
        return list(self._call(self._pressure.GetAdaptationLadder, request).ladder.steps)

    def pressure_history(
        self, *, start_ns: int | None = None, end_ns: int | None = None, max_points: int | None = None
    ) -> list[pressure_pb2.PressureHistoryPoint]:
        """Level and temperatures of the last 24 hours, by the minute, the oldest first.

        `start_ns` and `end_ns` are instants of the daemon's wall clock, in nanoseconds since the Unix epoch. With
        `max_points` neighbouring minutes are merged until there are no more than so many.
        """
        request = pressure_pb2.GetPressureHistoryRequest(
            max_points=values.whole_or_none("max_points", max_points, values.SIGNED_32)
        )
        if start_ns is not None:
            request.start_time.CopyFrom(values.instant("start_ns", start_ns))
        if end_ns is not None:
            request.end_time.CopyFrom(values.instant("end_ns", end_ns))
        return list(self._call(self._pressure.GetPressureHistory, request).history.points)
