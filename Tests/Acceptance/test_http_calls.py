"""The RPCs over HTTP reach the same handlers as over gRPC, and give the same answers and the same errors."""

from __future__ import annotations

import base64
import gzip
import importlib
import io
import json
import pathlib
import pkgutil
import subprocess

import grpc
import pytest
from connectrpc.client import ConnectClientSync
from connectrpc.code import Code
from connectrpc.compat import google_protobuf_binary_codec, google_protobuf_json_codec
from connectrpc.errors import ConnectError
from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from connectrpc.protocol import ProtocolType
from google.protobuf import descriptor_pool, json_format
from google.protobuf.message_factory import GetMessageClass
from google.rpc import error_details_pb2

import firstlight
from buf_curl import buf_curl, with_files
from captures import SMALL
from firstlight import v1
from firstlight.v1 import preview_service_pb2 as previews_pb2
from http_rpc import END_OF_STREAM, FORMS, HTTPEndpoint, by_grpc, connect_error, envelopes, path
from support import SYNTHETIC

ROOT = pathlib.Path(__file__).parents[2]
#: The first bytes of a JPEG picture.
JPEG = b"\xff\xd8"
POOL = descriptor_pool.Default()


def methods(*, streams: bool):
    """The methods of the contract with, or without, a stream of responses."""
    modules = [importlib.import_module(f"firstlight.v1.{each.name}") for each in pkgutil.iter_modules(v1.__path__)]
    files = [each.DESCRIPTOR for each in modules if each.__name__.endswith("_pb2")]
    services = [each for file in files for each in file.services_by_name.values()]
    return [each for service in services for each in service.methods if each.server_streaming == streams]


@pytest.fixture
def served(own_daemon, tmp_path):
    """A daemon that serves RPCs by HTTP, too: a gRPC channel and the HTTP endpoint."""
    daemon = own_daemon("--http-listen", "127.0.0.1:0")
    with grpc.insecure_channel(daemon.address) as channel:
        yield channel, HTTPEndpoint.of(tmp_path / "firstlightd.log")


@pytest.fixture
def running(served):
    """A daemon as above whose session runs: the channel, the endpoint and the name of the session."""
    channel, endpoint = served
    client = firstlight.Client(channel, timeout=8)
    name = client.create_session().name
    client.configure(name, firstlight.configuration(SYNTHETIC[0], **SMALL))
    client.start(name)
    return channel, endpoint, name


def requests(method):
    """An empty request, and one that names things which do not exist."""
    empty = GetMessageClass(method.input_type)()
    named = GetMessageClass(method.input_type)()
    for field in method.input_type.fields:
        if field.name in ("name", "session", "device") and field.type == field.TYPE_STRING:
            setattr(named, field.name, "devices/none" if "device" in field.name else "sessions/none")
    return [empty] if named == empty else [empty, named]


def stable(message):
    """A copy of a response without what is new in every answer: names that the daemon makes up, and times."""
    copy = type(message)()
    copy.CopyFrom(message)
    _clear(copy)
    return copy


def _clear(message) -> None:
    for field, value in message.ListFields():
        if field.name in ("monotonic_time_ns", "wall_time", "name", "etag", "event_id", "create_time", "unique_id"):
            message.ClearField(field.name)
        elif field.message_type is None or field.message_type.GetOptions().map_entry:
            continue
        elif field.is_repeated:
            for each in value:
                _clear(each)
        else:
            _clear(value)


def test_every_unary_method_answers_alike_in_every_form(served):
    channel, endpoint = served
    unary = methods(streams=False)
    assert len(unary) >= 24
    for method in unary:
        for request in requests(method):
            expected = by_grpc(channel, method, request)
            for form in FORMS:
                answer = endpoint.unary(form, method, request)
                told = f"{method.full_name} by {form}"
                assert (answer.code, answer.message, answer.details) == (
                    expected.code,
                    expected.message,
                    expected.details,
                ), told
                if expected.response is not None:
                    assert stable(answer.response) == stable(expected.response), told


@pytest.mark.parametrize("subtype", ["connect+proto", "connect+json", "grpc-web+proto", "grpc-web+json"])
def test_frames_stream_in_every_form(running, subtype):
    _, endpoint, name = running
    method = POOL.FindMethodByName("firstlight.v1.PreviewService.StreamPreview")
    request = previews_pb2.StreamPreviewRequest(session=name)
    frames = []
    with endpoint.stream(method, request, subtype) as messages:
        while len(frames) < 5:
            flags, encoded = next(messages)
            assert flags == 0
            message = previews_pb2.StreamPreviewResponse()
            if "json" in subtype:
                json_format.Parse(encoded, message)
            else:
                message.ParseFromString(encoded)
            if message.HasField("frame"):
                frames.append(message.frame)
    assert all(each.data.startswith(b"\xff\xd8") and each.data.endswith(b"\xff\xd9") for each in frames)
    numbers = [each.sequence for each in frames]
    assert numbers == sorted(set(numbers))


def test_a_stream_that_fails_ends_with_the_error(served):
    _, endpoint = served
    method = POOL.FindMethodByName("firstlight.v1.SessionService.WatchSession")
    request = GetMessageClass(method.input_type)(name="sessions/none")
    with endpoint.stream(method, request, "connect+proto") as messages:
        ((flags, end),) = list(messages)
    assert flags == END_OF_STREAM
    assert connect_error(json.loads(end)["error"]).code is grpc.StatusCode.NOT_FOUND


def test_events_stream_as_json(running):
    _, endpoint, name = running
    method = POOL.FindMethodByName("firstlight.v1.SessionService.WatchSession")
    with endpoint.stream(method, GetMessageClass(method.input_type)(name=name), "connect+json") as messages:
        _, first = next(messages)
    assert json.loads(first)["event"]


def test_a_client_that_goes_ends_its_stream(running):
    channel, endpoint, name = running
    client = firstlight.Client(channel, timeout=8)
    method = POOL.FindMethodByName("firstlight.v1.PreviewService.StreamPreview")
    with endpoint.stream(method, previews_pb2.StreamPreviewRequest(session=name), "connect+proto") as messages:
        next(messages)
    # The daemon can delete the session only after the reader has left, and then nothing of it remains.
    client.delete_session(name)
    with pytest.raises(firstlight.FirstlightError):
        client.session(name)


@pytest.mark.parametrize(
    ("head", "status"),
    [
        ({"method": "GET", "content_type": "application/json"}, 405),
        ({"method": "POST", "content_type": "text/plain"}, 415),
        ({"method": "POST"}, 415),
        ({"method": "POST", "content_type": "application/connect+json"}, 415),
        ({"method": "POST", "content_type": "application/json", "connect_protocol_version": "2"}, 400),
    ],
)
def test_what_is_no_call_gets_a_sentence(served, head, status):
    _, endpoint = served
    method = POOL.FindMethodByName("firstlight.v1.DeviceService.ListDevices")
    verb = head.pop("method")
    response, body = endpoint.ask(verb, path(method), b"{}", **head)
    assert (response.status, response.headers["content-type"]) == (status, "text/plain; charset=utf-8")
    assert body.decode().strip().endswith(".")


@pytest.mark.parametrize(
    ("fields", "body", "code", "reason"),
    [
        ({}, b'{"typo": 1}', "invalid_argument", "MALFORMED_REQUEST"),
        ({}, b"{", "invalid_argument", "MALFORMED_REQUEST"),
        ({}, b'"' + b"a" * 140_000 + b'"', "resource_exhausted", "REQUEST_TOO_LARGE"),
        ({"connect_timeout_ms": "soon"}, b"{}", "invalid_argument", "MALFORMED_TIMEOUT"),
        ({"content_encoding": "br"}, b"{}", "unimplemented", "COMPRESSION_UNSUPPORTED"),
    ],
)
def test_a_bad_call_gets_an_error_with_a_reason(served, fields, body, code, reason):
    _, endpoint = served
    method = POOL.FindMethodByName("firstlight.v1.DeviceService.ListDevices")
    response, answer = endpoint.ask("POST", path(method), body, content_type="application/json", **fields)
    error = json.loads(answer)
    assert error["code"] == code
    assert error["details"][0]["debug"]["reason"] == reason
    assert response.headers["content-type"] == "application/json"


def test_a_method_that_streams_both_ways_is_told_to_use_grpc(served):
    _, endpoint = served
    method = POOL.FindMethodByName("firstlight.v1.VideoDataService.ProcessFrames")
    response, body = endpoint.ask("POST", path(method), b"", content_type="application/connect+proto")
    assert response.status == 505
    assert b"gRPC" in body


def test_a_deadline_ends_a_stream(running):
    _, endpoint, name = running
    method = POOL.FindMethodByName("firstlight.v1.SessionService.WatchSession")
    body = b"\0" + len(f'{{"name": "{name}"}}').to_bytes(4, "big") + f'{{"name": "{name}"}}'.encode()
    fields = {"content_type": "application/connect+json", "connect_timeout_ms": "300"}
    _, answer = endpoint.ask("POST", path(method), body, **fields)
    flags, end = list(envelopes(io.BytesIO(answer)))[-1]
    assert flags == END_OF_STREAM
    assert json.loads(end)["error"]["code"] == "deadline_exceeded"


@pytest.mark.parametrize("protocol", ["connect", "grpcweb"])
def test_buf_curl_calls_and_streams_over_http(running, protocol):
    _, endpoint, name = running

    def buf(method, request, enough=lambda _: False):
        address = f"{endpoint.host}:{endpoint.port}"
        return buf_curl(address, method, request, enough, flags=with_files(protocol))

    (devices,) = buf("DeviceService/ListDevices", {})
    assert [device["name"] for device in devices["devices"]] == list(SYNTHETIC)
    (session,) = buf("SessionService/GetSession", {"name": name})
    assert session["session"]["name"] == name
    pictures = buf("PreviewService/StreamPreview", {"session": name}, lambda answer: "frame" in answer)
    assert base64.b64decode(pictures[-1]["frame"]["data"]).startswith(JPEG)
    (first,) = buf("SessionService/WatchSession", {"name": name}, lambda _: True)
    assert first["event"]["snapshot"]["name"] == name


@pytest.mark.parametrize("protocol", [ProtocolType.CONNECT, ProtocolType.GRPC_WEB], ids=["connect", "grpc-web"])
@pytest.mark.parametrize(
    "codec", [google_protobuf_binary_codec(), google_protobuf_json_codec()], ids=["binary", "json"]
)
def test_the_connect_client_for_python_works_unchanged(running, protocol, codec):
    _, endpoint, name = running

    def info(path, kind):
        method = POOL.FindMethodByName(f"firstlight.v1.{path}")
        messages = {"input": GetMessageClass(method.input_type), "output": GetMessageClass(method.output_type)}
        service = method.containing_service.full_name
        level = IdempotencyLevel.UNKNOWN
        return MethodInfo(name=method.name, service_name=service, idempotency_level=level, stream_type=kind, **messages)

    with ConnectClientSync(endpoint.origin, protocol=protocol, codec=codec) as client:
        get = info("SessionService.GetSession", StreamType.UNARY)
        assert client.execute_unary(request=get.input(name=name), method=get).session.name == name
        with pytest.raises(ConnectError) as raised:
            client.execute_unary(request=get.input(name="sessions/none"), method=get)
        assert raised.value.code == Code.NOT_FOUND
        reasons = [error_details_pb2.ErrorInfo.FromString(each.message_bytes) for each in raised.value.details]
        assert [each.reason for each in reasons] == ["SESSION_NOT_FOUND"]
        stream = info("PreviewService.StreamPreview", StreamType.SERVER_STREAM)
        answers = client.execute_server_stream(request=stream.input(session=name), method=stream)
        frame = next(answer.frame for answer in answers if answer.HasField("frame"))
        assert frame.data.startswith(JPEG)
        answers.close()


def test_a_long_answer_is_compressed_for_a_client_that_takes_it(served):
    _, endpoint = served
    method = POOL.FindMethodByName("firstlight.v1.DeviceService.ListDevices")
    head, plain = endpoint.ask("POST", path(method), b"{}", content_type="application/json")
    assert head.getheader("content-encoding") is None
    head, compressed = endpoint.ask(
        "POST", path(method), b"{}", content_type="application/json", accept_encoding="br, gzip"
    )
    assert head.getheader("content-encoding") == "gzip"
    assert json.loads(gzip.decompress(compressed)) == json.loads(plain)
    assert len(compressed) < len(plain) / 2


def test_a_request_that_decompresses_to_gigabytes_is_refused(served):
    _, endpoint = served
    method = POOL.FindMethodByName("firstlight.v1.DeviceService.ListDevices")
    fields = {"content_type": "application/proto", "content_encoding": "gzip"}
    head, answer = endpoint.ask("POST", path(method), gzip.compress(bytes(50 << 20)), **fields)
    assert head.status == 429
    assert json.loads(answer)["code"] == "resource_exhausted"


def test_curl_gets_an_answer(served):
    _, endpoint = served
    url = f"{endpoint.origin}/firstlight.v1.DeviceService/ListDevices"
    answer = subprocess.run(
        ["curl", "-sf", "-H", "content-type: application/json", "-d", "{}", url],
        capture_output=True,
        check=True,
        timeout=30,
    )
    assert [each["name"] for each in json.loads(answer.stdout)["devices"]] == list(SYNTHETIC)
