"""The calls of the client that are about cameras and microphones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import grpc

from firstlight import values
from firstlight.calls import Calls
from firstlight.controls import Value, setting
from firstlight.streams import Stream
from firstlight.v1 import (
    control_pb2,
    device_service_pb2 as device_pb2,
    device_service_pb2_grpc as device_grpc,
)


class DeviceCalls(Calls):
    """The methods of `Client` that find devices and set controls."""

    def __init__(self, channel: grpc.Channel, *, timeout: float) -> None:
        super().__init__(channel, timeout=timeout)
        self._devices = device_grpc.DeviceServiceStub(channel)

    def devices(self, *device_types: device_pb2.DeviceType) -> list[device_pb2.Device]:
        """The cameras that are present now: all, or those of the given types, in the order of these types."""
        return self._list_devices(device_pb2.MEDIA_TYPE_VIDEO, device_types)

    def microphones(self) -> list[device_pb2.Device]:
        """The microphones that are present now. Their `audio_capabilities` tell what they deliver."""
        return self._list_devices(device_pb2.MEDIA_TYPE_AUDIO)

    def _list_devices(
        self, media_type: device_pb2.MediaType, device_types: Sequence[device_pb2.DeviceType] = ()
    ) -> list[device_pb2.Device]:
        devices: list[device_pb2.Device] = []
        request = device_pb2.ListDevicesRequest(media_type=media_type, device_types=device_types)
        while True:
            page = self._call(self._devices.ListDevices, request)
            devices += page.devices
            if not page.next_page_token:
                return devices
            request.page_token = page.next_page_token

    def device(self, device: str) -> device_pb2.Device:
        """The camera with the resource name `device`, with the present values of its controls; or a microphone."""
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
        """The best matching format of each camera that has one. An argument that is not given matches any format.

        `size` is the exact (width, height) in pixels, `frame_rate` the least number of frames per second, and
        `pixel_format` a V4L2 four-character code.
        """
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
        """Sets controls in the order of the mapping, each on its own. The value None sets a control to its default.

        A value is a whole number, a boolean, a string or bytes. Floats without a fraction and scalars of numpy stand
        for numbers, and numpy arrays of uint8, uint16 or uint32 for the bytes of array controls. Any other value raises
        TypeError or ValueError before anything is sent.

        While a session runs the camera, `session` must name that session. `active_frame_rate` limits the session's
        outputs to this number of frames per second until its stream restarts; 0 ends the limit.

        Returns one result for each control, in the same order. Its `outcome` is OUTCOME_SET; OUTCOME_CLAMPED when the
        driver took the nearest possible `value` instead; OUTCOME_REFUSED; or OUTCOME_WRONG_TYPE when the control does
        not take values of this type. For the last two, `FirstlightError.from_status(result.error)` says why.
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
        """Streams an event whenever a camera or a microphone comes, goes or changes. `media_type` tells which it is.

        The stream begins with an event for every device that is present. With `after_event_id`, the `event_id` of an
        earlier event, it has only the events after that one, and raises FirstlightError (OUT_OF_RANGE `EVENTS_LOST`)
        when the daemon does not know that event any more.
        """
        request = device_pb2.WatchDevicesRequest(after_event_id=values.text("after_event_id", after_event_id))
        return Stream(self._devices.WatchDevices(request), lambda r: r.event)
