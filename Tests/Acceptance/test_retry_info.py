"""An error that waiting can resolve says how long to wait. No other error has such a delay."""

import contextlib
import datetime
import io
import signal

from google.protobuf import message
from google.rpc import error_details_pb2, status_pb2
from PIL import Image

import firstlight
from captures import SMALL
from firstlight import overlays
from firstlight.v1 import (
    overlay_pb2,
    video_data_service_pb2 as video_data_pb2,
)
from support import SYNTHETIC, Collector, call, refused

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


def test_a_camera_in_use_is_worth_waiting_for(client, session):
    session(start=True)
    other = session()
    with worth_waiting("UNAVAILABLE", "DEVICE_IN_USE"):
        client.start(other)
    with worth_waiting("UNAVAILABLE", "DEVICE_IN_USE"):
        client.create_session(configuration=WANTED, start=True)


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
