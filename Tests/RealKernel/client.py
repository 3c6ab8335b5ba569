"""A plain client of the daemon, made of the generated stubs only."""

import queue
import subprocess
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import pairwise

import grpc
from google.rpc import error_details_pb2, status_pb2

from firstlight.v1 import (
    device_service_pb2 as device,
    device_service_pb2_grpc as device_grpc,
    photo_events_pb2,
    photo_service_pb2 as photo,
    photo_service_pb2_grpc as photo_grpc,
    pressure_service_pb2 as pressure,
    pressure_service_pb2_grpc as pressure_grpc,
    preview_service_pb2 as preview,
    preview_service_pb2_grpc as preview_grpc,
    session_configuration_pb2 as configuration_pb2,
    session_pb2,
    session_service_pb2 as sessions_pb2,
    session_service_pb2_grpc as session_grpc,
    video_data_service_pb2 as video_data,
    video_data_service_pb2_grpc as video_data_grpc,
    viewfinder_service_pb2_grpc as viewfinder_grpc,
)

# Seconds to wait for any single answer. The time is generous, because the machine is emulated. No test waits for it to
# pass.
PATIENCE = 30.0


class Stream:
    """A server stream that a thread of its own reads, so that a test can wait for one message."""

    def __init__(self, call: grpc.Call):
        """Begins to read at once."""
        self._call = call
        self._messages: queue.Queue = queue.Queue()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        try:
            for message in self._call:
                self._messages.put(message)
            self._messages.put(EOFError("the stream ended"))
        except grpc.RpcError as error:
            self._messages.put(error)

    def next(self, timeout: float = PATIENCE):
        """The next message. Raises the error of the stream when the stream has ended. Fails after `timeout` seconds."""
        try:
            message = self._messages.get(timeout=timeout)
        except queue.Empty:
            raise AssertionError(f"nothing came in {timeout} s") from None
        if isinstance(message, Exception):
            raise message
        return message

    def until(self, wanted: Callable) -> list:
        """All messages up to the first for which `wanted` holds."""
        messages = [self.next()]
        while not wanted(messages[-1]):
            messages.append(self.next())
        return messages

    def waiting(self) -> list:
        """The messages that have come and that the test has not taken yet."""
        messages = []
        while not self._messages.empty():
            messages.append(self.next())
        return messages

    def close(self) -> None:
        """Cancels the call and waits for the thread to end."""
        self._call.cancel()
        self._thread.join(PATIENCE)


class Client:
    """The services of the daemon, and the steps that tests repeat."""

    def __init__(self, channel: grpc.Channel):
        """A client on one connection."""
        self.devices = device_grpc.DeviceServiceStub(channel)
        self.sessions = session_grpc.SessionServiceStub(channel)
        self.previews = preview_grpc.PreviewServiceStub(channel)
        self.video_data = video_data_grpc.VideoDataServiceStub(channel)
        self.photos = photo_grpc.PhotoServiceStub(channel)
        self.pressure = pressure_grpc.PressureServiceStub(channel)
        self.viewfinder = viewfinder_grpc.ViewfinderServiceStub(channel)

    def cameras(self) -> list[device.Device]:
        """The cameras, the single-planar one first."""
        response = self.devices.ListDevices(
            device.ListDevicesRequest(media_type=device.MEDIA_TYPE_VIDEO), timeout=PATIENCE
        )
        return sorted(response.devices, key=lambda camera: camera.location)

    @contextmanager
    def stream(self, call: grpc.Call) -> Iterator[Stream]:
        """The messages of a call, which is cancelled when the block ends."""
        stream = Stream(call)
        try:
            yield stream
        finally:
            stream.close()

    def watch_devices(self) -> AbstractContextManager[Stream]:
        """The device events, those of the present cameras first."""
        return self.stream(self.devices.WatchDevices(device.WatchDevicesRequest()))

    def watch_session(self, name: str) -> AbstractContextManager[Stream]:
        """The events of a session, a snapshot first."""
        return self.stream(self.sessions.WatchSession(sessions_pb2.WatchSessionRequest(name=name)))

    def watch_pressure(self) -> AbstractContextManager[Stream]:
        """The pressure states, the present one first."""
        return self.stream(self.pressure.WatchSystemPressure(pressure.WatchSystemPressureRequest()))

    def stream_preview(self, name: str, encoding: int | None = None) -> AbstractContextManager[Stream]:
        """A preview of a session. Without `encoding` the frames are as the camera delivers them, in YUYV."""
        request = preview.StreamPreviewRequest(session=name, encoding=encoding)
        if encoding is None:
            request.pixel_format = "YUYV"
        return self.stream(self.previews.StreamPreview(request))

    def stream_video_data(self, name: str, output: str) -> AbstractContextManager[Stream]:
        """The frames of a video data output."""
        request = video_data.StreamVideoDataRequest(session=name, output=output)
        return self.stream(self.video_data.StreamVideoData(request))

    def configure(
        self, name: str, wanted: configuration_pb2.SessionConfiguration
    ) -> sessions_pb2.ConfigureSessionResponse:
        """Commits a whole configuration."""
        request = sessions_pb2.ConfigureSessionRequest(name=name, configuration=wanted)
        return self.sessions.ConfigureSession(request, timeout=PATIENCE)

    @contextmanager
    def open_session(
        self,
        camera: str,
        pixel_format: str = "YUYV",
        start: bool = True,
        video_data: Iterable[configuration_pb2.VideoDataOutput] = (),
        window: int | None = None,
    ) -> Iterator[str]:
        """A session of 640 by 360 with preview and photo. It runs unless `start` is false, and is deleted when the
        block ends. `window` is for how many seconds frames stay available for photos. A test that asks for a frame it
        saw needs more than the usual 0.6 s, because a request may take long on an emulated machine.
        """
        identifier = f"s-{uuid.uuid4().hex[:12]}"
        created = self.sessions.CreateSession(
            sessions_pb2.CreateSessionRequest(session_id=identifier), timeout=PATIENCE
        )
        name = created.session.name
        try:
            wanted = configuration(camera, pixel_format, video_data)
            if window is not None:
                wanted.photo.zero_shutter_lag_window.FromSeconds(window)
            self.configure(name, wanted)
            if start:
                self.start(name)
            yield name
        finally:
            self.sessions.DeleteSession(sessions_pb2.DeleteSessionRequest(name=name), timeout=PATIENCE)

    def start(self, name: str) -> session_pb2.Session:
        """Starts a session. The device streams when this returns."""
        return self.sessions.StartSession(sessions_pb2.StartSessionRequest(name=name), timeout=PATIENCE).session

    def stop(self, name: str) -> session_pb2.Session:
        """Stops a session. The device is free when this returns."""
        return self.sessions.StopSession(sessions_pb2.StopSessionRequest(name=name), timeout=PATIENCE).session

    def state(self, name: str) -> int:
        """The state of a session."""
        return self.sessions.GetSession(sessions_pb2.GetSessionRequest(name=name), timeout=PATIENCE).session.state

    def capture(self, name: str, **moment) -> list[photo_events_pb2.PhotoCaptureEvent]:
        """All events of a capture."""
        request = photo.CapturePhotoRequest(session=name, **moment)
        return [response.event for response in self.photos.CapturePhoto(request, timeout=PATIENCE)]


def configuration(
    camera: str, pixel_format: str = "YUYV", video_data: Iterable[configuration_pb2.VideoDataOutput] = ()
) -> configuration_pb2.SessionConfiguration:
    """A configuration of 640 by 360 with preview and photo."""
    return configuration_pb2.SessionConfiguration(
        inputs=[
            configuration_pb2.SessionInput(
                device=camera,
                format=configuration_pb2.StreamFormat(pixel_format=pixel_format, width=640, height=360),
            )
        ],
        preview=configuration_pb2.PreviewOutput(),
        photo=configuration_pb2.PhotoOutput(),
        video_data=video_data,
    )


def next_frame(stream: Stream) -> preview.PreviewFrame | video_data.VideoDataFrame:
    """The next frame of a stream. Skips the statuses before it."""
    return stream.until(lambda message: message.HasField("frame"))[-1].frame


def frames_until(stream: Stream, wanted: Callable) -> list:
    """All frames of a stream up to the first for which `wanted` holds."""
    messages = stream.until(lambda message: message.HasField("frame") and wanted(message.frame))
    return [message.frame for message in messages if message.HasField("frame")]


def assert_every_gap_is_counted(frames: list) -> None:
    """Checks that each frame's number is the number before it, plus one, plus the frames reported as dropped."""
    for before, after in pairwise(frames):
        assert after.stream_id == before.stream_id, "the device's stream was restarted"
        told = after.dropped
        dropped = told.late + told.out_of_buffers + told.discontinuity + told.damaged
        assert after.sequence - before.sequence == 1 + dropped, (
            f"{before.sequence} is followed by {after.sequence} with {dropped} dropped"
        )
        assert after.monotonic_time_ns > before.monotonic_time_ns


def error_info(error: grpc.RpcError) -> error_details_pb2.ErrorInfo:
    """The ErrorInfo of a failed call. Every error of the daemon has exactly one."""
    packed = [value for key, value in error.trailing_metadata() if key == "grpc-status-details-bin"]
    assert len(packed) == 1, f"{error.code()} carries no details: {error.details()}"
    return status_error_info(status_pb2.Status.FromString(packed[0]))


def status_error_info(status: status_pb2.Status) -> error_details_pb2.ErrorInfo:
    """The ErrorInfo of a status. Fails unless there is exactly one."""
    infos = [detail for detail in status.details if detail.Is(error_details_pb2.ErrorInfo.DESCRIPTOR)]
    assert len(infos) == 1, f"{len(infos)} ErrorInfo in {status}"
    info = error_details_pb2.ErrorInfo()
    infos[0].Unpack(info)
    assert info.domain == "firstlight"
    return info


def guest(*command: str) -> None:
    """Runs one of the programs in scripts/vm/guest."""
    subprocess.run(command, check=True, timeout=PATIENCE)
