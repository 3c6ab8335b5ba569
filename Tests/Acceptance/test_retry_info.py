"""An error that waiting can resolve says how long to wait. No other error has such a delay."""

import contextlib
import datetime
import io
import signal

import pytest
from google.protobuf import message
from google.rpc import error_details_pb2, status_pb2
from PIL import Image

import firstlight
from captures import SMALL
from conftest import sessions
from faults import UNPLUG, inject, simulate, stall
from firstlight import PressureLevel, overlays
from firstlight.v1 import (
    device_service_pb2 as device_pb2,
    overlay_pb2,
    photo_pb2,
    photo_service_pb2 as photos_pb2,
    session_service_pb2 as sessions_pb2,
    video_data_service_pb2 as video_data_pb2,
)
from support import SYNTHETIC, Collector, Stubs, call, refused, watching

WANTED = firstlight.configuration(SYNTHETIC[0], **SMALL)
LONGEST = datetime.timedelta(minutes=1)


def status_of(error):
    """The `google.rpc.Status` of a failed call."""
    (value,) = (v for k, v in error.__cause__.trailing_metadata() if k == "grpc-status-details-bin")
    return status_pb2.Status.FromString(value)


def details(status, kind: type[message.Message]):
    """The details of one type in a status."""
    found = []
    for detail in status.details:
        if detail.Is(kind.DESCRIPTOR):
            found.append(kind())
            detail.Unpack(found[-1])
    return found


def check_waiting_helps(status, reason):
    """Checks that the status has one ErrorInfo and one RetryInfo, with a delay of at most a minute."""
    (info,) = details(status, error_details_pb2.ErrorInfo)
    assert info.reason == reason
    (retry,) = details(status, error_details_pb2.RetryInfo)
    assert datetime.timedelta(0) < retry.retry_delay.ToTimedelta() <= LONGEST


@contextlib.contextmanager
def worth_waiting(code, reason):
    """Expects the block to fail with an error that says how long to wait."""
    with refused(code, reason) as refusal:
        yield
    check_waiting_helps(status_of(refusal.error), reason)


@pytest.fixture
def faulty(own_daemon):
    """A client of a daemon that accepts injected faults."""
    with firstlight.connect(own_daemon("--enable-fault-injection").address, timeout=8) as client:
        yield client


@pytest.fixture
def stalled(faulty):
    """The name of a running session whose photo waits for a frame, and the events of that photo."""
    wanted = firstlight.configuration(SYNTHETIC[0], zero_shutter_lag=False, **SMALL)
    name = faulty.create_session(configuration=wanted, start=True).name
    faulty.photo(name)
    # Before a stream's first frame, a camera counts as stalled only after 5 s. The restart gives the test this time.
    faulty.stop(name)
    inject(faulty, stall(60))
    faulty.start(name)
    settings = photo_pb2.PhotoSettings(unique_id="waiting")
    request = photos_pb2.CapturePhotoRequest(session=name, settings=settings)
    responses = Stubs(faulty.channel).photos.CapturePhoto(request)
    events = Collector(firstlight.Stream(responses, lambda response: response.event))
    events.wait_for(len)
    return name, events


def test_a_camera_in_use_is_worth_waiting_for(client, session):
    session(start=True)
    other = session()
    with worth_waiting("UNAVAILABLE", "DEVICE_IN_USE"):
        client.start(other)
    with worth_waiting("UNAVAILABLE", "DEVICE_IN_USE"):
        client.create_session(configuration=WANTED, start=True)


def test_a_camera_that_is_unplugged_is_worth_waiting_for(faulty):
    name = faulty.create_session(configuration=WANTED).name
    inject(faulty, UNPLUG)
    with worth_waiting("UNAVAILABLE", "DEVICE_DISCONNECTED"):
        faulty.start(name)


def test_pressure_is_worth_waiting_for(faulty):
    name = faulty.create_session(configuration=WANTED).name
    simulate(faulty, PressureLevel.SHUTDOWN)
    with worth_waiting("UNAVAILABLE", "SYSTEM_PRESSURE"):
        faulty.start(name)


def test_an_interruption_tells_in_its_event_how_long_to_wait(faulty):
    name = faulty.create_session(configuration=WANTED, start=True).name
    events = watching(faulty, name)
    simulate(faulty, PressureLevel.SHUTDOWN)
    told = events.wait_for(lambda items: any(event.HasField("was_interrupted") for event in items))
    (interrupted,) = [event.was_interrupted for event in told if event.HasField("was_interrupted")]
    check_waiting_helps(interrupted.error, "SYSTEM_PRESSURE")


def test_a_daemon_that_stops_is_worth_waiting_for(own_daemon):
    daemon = own_daemon()
    with firstlight.connect(daemon.address, timeout=8) as client:
        streams = [Collector(client.watch_devices()), Collector(client.watch_system_pressure())]
        for stream in streams:
            stream.wait_for(len)
        daemon.process.send_signal(signal.SIGTERM)
        for stream in streams:
            error = stream.wait_for_end()
            assert error.code.name == "UNAVAILABLE"
            check_waiting_helps(status_of(error), "SHUTTING_DOWN")


def test_a_session_too_many_is_worth_waiting_for(own_daemon):
    with firstlight.connect(own_daemon().address, timeout=8) as client:
        for _ in range(client.server_info().limits.max_sessions - len(sessions(client))):
            client.create_session()
        with worth_waiting("RESOURCE_EXHAUSTED", "TOO_MANY_REQUESTS"):
            client.create_session()


def test_a_reader_too_many_is_worth_waiting_for(client, stubs, session):
    name = session(photo=False, video_data=[firstlight.video_data_output("frames")])
    request = video_data_pb2.StreamVideoDataRequest(session=name)
    with contextlib.ExitStack() as stack:
        for _ in range(client.server_info().limits.max_video_data_readers):
            responses = stubs.video_data.StreamVideoData(request)
            stack.callback(responses.cancel)
            assert next(responses).HasField("status")
        with worth_waiting("RESOURCE_EXHAUSTED", "TOO_MANY_REQUESTS"):
            call(stubs.video_data.StreamVideoData, request)


def test_an_overlay_too_large_is_worth_waiting_for(client, stubs, session):
    name = session(**SMALL, photo=False, additional_previews=[f"preview{number}" for number in range(4)])
    # Four such overlays take all the memory for images.
    overlay = overlay_pb2.Overlay(elements=[overlays.image(blank_png(4096, 4096))])
    for number in range(4):
        request = video_data_pb2.SetOverlayRequest(session=name, preview_output=f"preview{number}", overlay=overlay)
        call(stubs.video_data.SetOverlay, request)
    with worth_waiting("RESOURCE_EXHAUSTED", "OUT_OF_BUFFERS"):
        call(stubs.video_data.SetOverlay, video_data_pb2.SetOverlayRequest(session=name, overlay=overlay))


def blank_png(width, height):
    """A PNG file of a transparent picture."""
    file = io.BytesIO()
    Image.new("RGBA", (width, height)).save(file, "PNG")
    return file.getvalue()


def test_a_photo_that_is_not_there_yet_is_worth_waiting_for(faulty, stalled):
    request = photos_pb2.DownloadCaptureRequest(name="captures/waiting")
    with worth_waiting("FAILED_PRECONDITION", "CAPTURE_NOT_FINISHED"):
        call(Stubs(faulty.channel).photos.DownloadCapture, request)


def test_a_capture_that_was_interrupted_is_worth_another_try(faulty, stalled):
    name, events = stalled
    faulty.stop(name)
    told = events.wait_for(lambda items: items[-1].HasField("did_finish_capture"))
    check_waiting_helps(told[-1].did_finish_capture.error, "OPERATION_INTERRUPTED")
    with worth_waiting("ABORTED", "OPERATION_INTERRUPTED"):
        call(Stubs(faulty.channel).photos.DownloadCapture, photos_pb2.DownloadCaptureRequest(name="captures/waiting"))
    (capture,) = faulty.captures(name, state=photos_pb2.Capture.STATE_FAILED).captures
    check_waiting_helps(capture.error, "OPERATION_INTERRUPTED")


@pytest.mark.parametrize(
    ("service", "method", "request_", "reason"),
    [
        ("sessions", "GetSession", sessions_pb2.GetSessionRequest(name="sessions/nowhere"), "SESSION_NOT_FOUND"),
        ("sessions", "GetSession", sessions_pb2.GetSessionRequest(name="nowhere"), "INVALID_ARGUMENT"),
        ("sessions", "CreateSession", sessions_pb2.CreateSessionRequest(session_id="A"), "INVALID_ARGUMENT"),
        ("sessions", "ListSessions", sessions_pb2.ListSessionsRequest(page_size=-1), "INVALID_ARGUMENT"),
        ("devices", "GetDevice", device_pb2.GetDeviceRequest(name="devices/nowhere"), "DEVICE_NOT_FOUND"),
        ("devices", "WatchDevices", device_pb2.WatchDevicesRequest(after_event_id="lost"), "EVENTS_LOST"),
        ("photos", "GetCapture", photos_pb2.GetCaptureRequest(name="captures/nowhere"), "CAPTURE_NOT_FOUND"),
    ],
)
def test_what_no_waiting_changes_does_not_say_how_long(stubs, service, method, request_, reason):
    with refused(reason_code(reason), reason) as refusal:
        call(getattr(getattr(stubs, service), method), request_)
    assert details(status_of(refusal.error), error_details_pb2.RetryInfo) == []


def reason_code(reason):
    return {"INVALID_ARGUMENT": "INVALID_ARGUMENT", "EVENTS_LOST": "OUT_OF_RANGE"}.get(reason, "NOT_FOUND")


def test_a_session_that_has_to_change_first_does_not_say_how_long(client, session):
    name = session(configure=False)
    costly = firstlight.configuration(SYNTHETIC[0], pixel_format="NV12", size=(3840, 2160), frame_rate=60)
    unknown = firstlight.configuration(SYNTHETIC[0], pixel_format="NV12", size=(641, 7))
    attempts = {
        "SESSION_EXISTS": lambda: client.create_session(name.removeprefix("sessions/")),
        "NO_INPUT": lambda: client.start(name),
        "FORMAT_NOT_SUPPORTED": lambda: client.configure(name, unknown),
        "ETAG_MISMATCH": lambda: client.configure(name, WANTED, etag="stale"),
        "OUTPUT_NOT_FOUND": lambda: next(client.readiness(name)),
        "HARDWARE_COST_EXCEEDED": lambda: client.create_session(configuration=costly, start=True),
    }
    for reason, attempt in attempts.items():
        with pytest.raises(firstlight.FirstlightError) as raised:
            attempt()
        assert raised.value.reason == reason
        assert details(status_of(raised.value), error_details_pb2.RetryInfo) == [], reason


def test_a_control_that_is_refused_does_not_say_how_long(client):
    (result,) = client.set_controls(SYNTHETIC[1], {"no_such_control": 1})
    assert details(result.error, error_details_pb2.ErrorInfo)
    assert details(result.error, error_details_pb2.RetryInfo) == []
