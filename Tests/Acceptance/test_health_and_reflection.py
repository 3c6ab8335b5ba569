"""The standard gRPC services that third-party clients rely on: health and reflection, and the daemon's clocks."""

import base64
import json
import pathlib
import subprocess
import time

import grpc
import pytest
from google.protobuf import descriptor_pool
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

from conftest import REPOSITORY
from support import SYNTHETIC, TIMEOUT

OWN = {
    f"firstlight.v1.{service}"
    for service in (
        "DeviceService",
        "SessionService",
        "PreviewService",
        "VideoDataService",
        "PhotoService",
        "PhotoLibraryService",
        "RecordingService",
        "AssetWriterService",
        "VideoStorageService",
        "DelayedFeedService",
        "PressureService",
        "ViewfinderService",
        "ServerService",
    )
}
COMMON = {"grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection"}
BUF = REPOSITORY / ".venv/bin/buf"


@pytest.mark.parametrize("service", ["", *sorted(OWN)])
def test_health_is_serving(client, service):
    stub = health_pb2_grpc.HealthStub(client.channel)
    request = health_pb2.HealthCheckRequest(service=service)
    assert stub.Check(request, timeout=TIMEOUT).status == health_pb2.HealthCheckResponse.SERVING
    watch = stub.Watch(request)
    assert next(watch).status == health_pb2.HealthCheckResponse.SERVING
    watch.cancel()


def test_health_of_an_unknown_service(client):
    stub = health_pb2_grpc.HealthStub(client.channel)
    with pytest.raises(grpc.RpcError) as raised:
        stub.Check(health_pb2.HealthCheckRequest(service="nobody"), timeout=TIMEOUT)
    assert raised.value.code() is grpc.StatusCode.NOT_FOUND
    watch = stub.Watch(health_pb2.HealthCheckRequest(service="nobody"))
    assert next(watch).status == health_pb2.HealthCheckResponse.SERVICE_UNKNOWN
    watch.cancel()


def test_reflection_lists_and_describes_every_service(client):
    database = ProtoReflectionDescriptorDatabase(client.channel)
    assert set(database.get_services()) == OWN | COMMON
    pool = descriptor_pool.DescriptorPool(database)
    for service in OWN | COMMON:
        assert pool.FindServiceByName(service).methods
    photo = pool.FindMessageTypeByName("firstlight.v1.Photo")
    assert photo.fields_by_name["data"].number == 1000


@pytest.mark.parametrize("version", ["v1", "v1alpha"])
def test_reflection_answers_in_both_versions(client, version):
    # The messages of both versions are the same on the wire.
    call = client.channel.stream_stream(
        f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo",
        request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
        response_deserializer=reflection_pb2.ServerReflectionResponse.FromString,
    )
    requests = (
        reflection_pb2.ServerReflectionRequest(file_containing_symbol="firstlight.v1.PhotoService.CapturePhoto"),
        reflection_pb2.ServerReflectionRequest(file_by_filename="google/rpc/status.proto"),
        reflection_pb2.ServerReflectionRequest(file_containing_symbol="no.such.Thing"),
    )
    symbol, file, missing = call(iter(requests), timeout=TIMEOUT)
    assert symbol.file_descriptor_response.file_descriptor_proto
    assert file.file_descriptor_response.file_descriptor_proto
    assert missing.error_response.error_code == grpc.StatusCode.NOT_FOUND.value[0]


def buf_curl(*arguments):
    command = [str(BUF), "curl", "--protocol", "grpc", "--http2-prior-knowledge", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)


def test_buf_curl_works_without_proto_files(daemon):
    if not BUF.exists():
        pytest.exit(f"{BUF} is not there, run: make setup", returncode=2)
    listed = buf_curl("--list-services", f"http://{daemon.address}")
    assert set(listed.stdout.split()) >= OWN, listed.stderr
    called = buf_curl(f"http://{daemon.address}/firstlight.v1.DeviceService/ListDevices")
    assert called.returncode == 0, called.stderr
    names = [device["name"] for device in json.loads(called.stdout)["devices"]]
    assert set(SYNTHETIC) <= set(names)


def test_buf_curl_shows_what_an_error_carries(daemon):
    request = json.dumps({"name": "devices/nowhere"})
    failed = buf_curl("--data", request, f"http://{daemon.address}/firstlight.v1.DeviceService/GetDevice")
    assert failed.returncode != 0
    error = json.loads(failed.stderr)
    assert error["code"] == "not_found"
    (detail,) = error["details"]
    assert detail["type"] == "google.rpc.ErrorInfo"
    padded = detail["value"] + "=" * (-len(detail["value"]) % 4)
    assert error_details_pb2.ErrorInfo.FromString(base64.b64decode(padded)).reason == "DEVICE_NOT_FOUND"


def test_the_clocks_told_are_the_machines(client):
    before = time.monotonic_ns(), time.time_ns()
    told = client.server_info()
    after = time.monotonic_ns(), time.time_ns()
    assert before[0] <= told.monotonic_time_ns <= after[0]
    assert before[1] <= told.wall_time.ToNanoseconds() <= after[1]
    assert told.boot_id == pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
