"""Every refusal is well formed: it has a canonical code, one ErrorInfo, and the values that it names. The code is never
UNKNOWN or INTERNAL.
"""

import grpc
import pytest
from google.rpc import error_details_pb2, status_pb2

import firstlight
from firstlight.v1 import (
    asset_writer_service_pb2 as writers_pb2,
    delayed_feed_service_pb2 as delayed_pb2,
    device_service_pb2 as device_pb2,
    photo_service_pb2 as photos_pb2,
    pressure_service_pb2 as pressure_pb2,
    preview_service_pb2 as preview_pb2,
    recording_service_pb2 as recordings_pb2,
    session_service_pb2 as sessions_pb2,
    video_data_service_pb2 as video_data_pb2,
    video_storage_service_pb2 as storage_pb2,
    viewfinder_service_pb2 as viewfinder_pb2,
)
from support import TIMEOUT, call, refused

MISSING = "sessions/nowhere"
#: The codes of the reasons that are not NOT_FOUND.
CODES = {"OPERATOR_REQUIRED": "PERMISSION_DENIED", "INVALID_ARGUMENT": "INVALID_ARGUMENT"}


@pytest.mark.parametrize(
    ("service", "method", "request_", "reason"),
    [
        ("devices", "GetDevice", device_pb2.GetDeviceRequest(name="devices/nowhere"), "DEVICE_NOT_FOUND"),
        ("sessions", "GetSession", sessions_pb2.GetSessionRequest(name=MISSING), "SESSION_NOT_FOUND"),
        ("previews", "StreamPreview", preview_pb2.StreamPreviewRequest(session=MISSING), "SESSION_NOT_FOUND"),
        ("video_data", "StreamVideoData", video_data_pb2.StreamVideoDataRequest(session=MISSING), "SESSION_NOT_FOUND"),
        ("photos", "CapturePhoto", photos_pb2.CapturePhotoRequest(session=MISSING), "SESSION_NOT_FOUND"),
        ("recordings", "GetRecording", recordings_pb2.GetRecordingRequest(name="recordings/a"), "RECORDING_NOT_FOUND"),
        ("writers", "GetWriter", writers_pb2.GetWriterRequest(name="writers/nobody"), "WRITER_NOT_FOUND"),
        (
            "delayed",
            "StreamDelayedFrames",
            delayed_pb2.StreamDelayedFramesRequest(session=MISSING),
            "SESSION_NOT_FOUND",
        ),
        ("storage", "SetVideoStorageCapacity", storage_pb2.SetVideoStorageCapacityRequest(), "OPERATOR_REQUIRED"),
        (
            "pressure",
            "GetPressureHistory",
            pressure_pb2.GetPressureHistoryRequest(max_points=0),
            "INVALID_ARGUMENT",
        ),
        (
            "viewfinder",
            "UpdateViewfinder",
            viewfinder_pb2.UpdateViewfinderRequest(stream_token="none"),
            "STREAM_NOT_FOUND",
        ),
    ],
)
def test_every_service_refuses_by_its_reason(stubs, service, method, request_, reason):
    with refused(CODES.get(reason, "NOT_FOUND"), reason):
        call(getattr(getattr(stubs, service), method), request_)


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
