"""Every refusal is well formed: it has a canonical code, one ErrorInfo, and the values that it names. The code is never
UNKNOWN or INTERNAL.
"""

import grpc
import pytest
from google.rpc import error_details_pb2, status_pb2

import firstlight
from firstlight.v1 import (
    device_service_pb2 as device_pb2,
    photo_service_pb2 as photos_pb2,
    preview_service_pb2 as preview_pb2,
    session_service_pb2 as sessions_pb2,
    video_data_service_pb2 as video_data_pb2,
)
from support import TIMEOUT, call, refused

MISSING = "sessions/nowhere"


@pytest.mark.parametrize(
    ("service", "method", "request_"),
    [
        ("sessions", "GetSession", sessions_pb2.GetSessionRequest(name=MISSING)),
        ("sessions", "DeleteSession", sessions_pb2.DeleteSessionRequest(name=MISSING)),
        ("sessions", "ConfigureSession", sessions_pb2.ConfigureSessionRequest(name=MISSING)),
        ("sessions", "StartSession", sessions_pb2.StartSessionRequest(name=MISSING)),
        ("sessions", "StopSession", sessions_pb2.StopSessionRequest(name=MISSING)),
        ("sessions", "RunDeferredStart", sessions_pb2.RunDeferredStartRequest(name=MISSING)),
        ("sessions", "WatchSession", sessions_pb2.WatchSessionRequest(name=MISSING)),
        ("sessions", "WatchAudioLevels", sessions_pb2.WatchAudioLevelsRequest(name=MISSING)),
        ("sessions", "GetLaunchTimeline", sessions_pb2.GetLaunchTimelineRequest(name=MISSING)),
        ("previews", "StreamPreview", preview_pb2.StreamPreviewRequest(session=MISSING)),
        ("photos", "CapturePhoto", photos_pb2.CapturePhotoRequest(session=MISSING)),
        ("photos", "WatchReadiness", photos_pb2.WatchReadinessRequest(session=MISSING)),
    ],
)
def test_every_method_tells_a_missing_session(stubs, service, method, request_):
    with refused("NOT_FOUND", "SESSION_NOT_FOUND") as refusal:
        call(getattr(getattr(stubs, service), method), request_)
    assert "nowhere" in " ".join(refusal.error.metadata.values())


@pytest.mark.parametrize(
    ("service", "method", "request_", "field"),
    [
        ("sessions", "GetSession", sessions_pb2.GetSessionRequest(name="devices/a"), "name"),
        ("sessions", "StartSession", sessions_pb2.StartSessionRequest(name=""), "name"),
        ("previews", "StreamPreview", preview_pb2.StreamPreviewRequest(session="nowhere"), "session"),
        ("photos", "CapturePhoto", photos_pb2.CapturePhotoRequest(session="captures/a"), "session"),
        ("photos", "GetCapture", photos_pb2.GetCaptureRequest(name="sessions/a"), "name"),
        ("photos", "DownloadCapture", photos_pb2.DownloadCaptureRequest(name="captures/"), "name"),
    ],
)
def test_every_method_refuses_a_name_of_another_kind(stubs, service, method, request_, field):
    with refused("INVALID_ARGUMENT") as refusal:
        call(getattr(getattr(stubs, service), method), request_)
    assert [violation.field for violation in refusal.error.violations] == [field]


def test_an_error_carries_one_error_info_of_our_domain(stubs):
    with pytest.raises(grpc.RpcError) as raised:
        stubs.devices.GetDevice(device_pb2.GetDeviceRequest(name="devices/nowhere"), timeout=TIMEOUT)
    (encoded,) = (v for k, v in raised.value.trailing_metadata() if k == "grpc-status-details-bin")
    status = status_pb2.Status.FromString(encoded)
    assert status.code == grpc.StatusCode.NOT_FOUND.value[0]
    assert status.message == raised.value.details()
    (info,) = (detail for detail in status.details if detail.Is(error_details_pb2.ErrorInfo.DESCRIPTOR))
    unpacked = error_details_pb2.ErrorInfo()
    info.Unpack(unpacked)
    assert (unpacked.domain, unpacked.reason) == ("firstlight", "DEVICE_NOT_FOUND")


def test_an_oversized_request_is_refused_with_its_limit(stubs, client):
    # Each kind of method has its own limit. The small request stays below twice that limit, because the daemon cuts a
    # connection that sends more.
    small = sessions_pb2.GetSessionRequest(name="sessions/" + "a" * (100 << 10))
    large = video_data_pb2.SetOverlayRequest(session="sessions/" + "a" * (7 << 20))
    for method, request in ((stubs.sessions.GetSession, small), (stubs.video_data.SetOverlay, large)):
        with refused("RESOURCE_EXHAUSTED", "REQUEST_TOO_LARGE") as refusal:
            call(method, request)
        assert any(value.isdigit() for value in refusal.error.metadata.values())
        assert client.server_info().version, "the connection must survive"


def test_bytes_that_are_no_message_are_refused(client):
    method = client.channel.unary_unary("/firstlight.v1.DeviceService/ListDevices")
    with refused("INVALID_ARGUMENT"):
        call(method, b"\xff\xff\xff\xff")


@pytest.mark.parametrize("path", ["/firstlight.v1.DeviceService/Nothing", "/firstlight.v2.DeviceService/ListDevices"])
def test_an_unknown_method_is_unimplemented(client, path):
    with pytest.raises(firstlight.FirstlightError) as raised:
        call(client.channel.unary_unary(path), b"")
    assert raised.value.code is grpc.StatusCode.UNIMPLEMENTED


@pytest.mark.parametrize("session_id", ["A", "1a", "-", "a b", "a" * 64, "ä", "a/b"])
def test_a_malformed_session_id_is_refused(stubs, session_id):
    with refused("INVALID_ARGUMENT") as refusal:
        call(stubs.sessions.CreateSession, sessions_pb2.CreateSessionRequest(session_id=session_id))
    assert [violation.field for violation in refusal.error.violations] == ["session_id"]
