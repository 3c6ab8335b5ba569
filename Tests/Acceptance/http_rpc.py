"""The daemon's RPCs over HTTP, as plain requests: Connect in JSON and in binary, and gRPC-Web.

The forms follow https://connectrpc.com/docs/protocol and
https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md.
"""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import http.client
import json
import pathlib
import re
import struct
import urllib.parse
from collections.abc import Iterator
from typing import Any

import grpc
from google.protobuf import json_format
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.rpc import error_details_pb2, status_pb2

from support import TIMEOUT

END_OF_STREAM, TRAILERS = 2, 0x80


@dataclasses.dataclass(frozen=True)
class Answer:
    """The outcome of a call: the response, or the error with its details."""

    code: grpc.StatusCode
    response: Message | None = None
    message: str = ""
    details: tuple[Message, ...] = ()


def path(method: MethodDescriptor) -> str:
    """The path of a method's URL."""
    return f"/{method.containing_service.full_name}/{method.name}"


class HTTPEndpoint:
    """The HTTP address of a daemon, or of a proxy in front of one."""

    def __init__(self, host: str, port: int) -> None:
        """Names the address."""
        self.host, self.port = host, port
        self.origin = f"http://{host}:{port}"

    @classmethod
    def of(cls, log: pathlib.Path) -> HTTPEndpoint:
        """Reads the address from the log of a daemon that listens already."""
        (found,) = re.findall(r"http at http://(127\.0\.0\.1):(\d+)", log.read_text())
        return cls(found[0], int(found[1]))

    def connection(self, timeout: float = TIMEOUT) -> http.client.HTTPConnection:
        """A new connection."""
        return http.client.HTTPConnection(self.host, self.port, timeout=timeout)

    def ask(self, method: str, target: str, body: bytes = b"", **fields: str) -> tuple[http.client.HTTPResponse, bytes]:
        """The response to one request, on a connection of its own, and its body. Fields are named with underscores."""
        with contextlib.closing(self.connection()) as connection:
            connection.request(method, target, body, {name.replace("_", "-"): each for name, each in fields.items()})
            response = connection.getresponse()
            return response, response.read()

    def redirection(self, target: str) -> str:
        """The address to which a request for a part is redirected, as a client resolves it."""
        response, _ = self.ask("GET", target, range="bytes=0-")
        assert (response.status, response.headers["cache-control"]) == (307, "no-store")
        return urllib.parse.urljoin(target, response.headers["location"])

    def unary(self, form: str, method: MethodDescriptor, request: Message) -> Answer:
        """Calls a method by one of FORMS."""
        return FORMS[form](self, method, request)

    @contextlib.contextmanager
    def stream(self, method: MethodDescriptor, request: Message, subtype: str) -> Iterator[Iterator[tuple[int, bytes]]]:
        """Opens a stream of the content type `application/SUBTYPE`: the flags and the bytes of each envelope."""
        with contextlib.closing(self.connection()) as connection:
            encoded = json_format.MessageToJson(request).encode() if "json" in subtype else request.SerializeToString()
            connection.request("POST", path(method), envelope(encoded), {"content-type": f"application/{subtype}"})
            response = connection.getresponse()
            assert response.status == 200, response.read()
            assert response.headers["content-type"] == f"application/{subtype}"
            yield envelopes(response)


def envelope(message: bytes) -> bytes:
    """A message as both protocols put it into a stream."""
    return struct.pack(">BI", 0, len(message)) + message


def envelopes(response: Any) -> Iterator[tuple[int, bytes]]:
    """The flags and the bytes of each envelope of a body."""
    while prefix := response.read(5):
        flags, length = struct.unpack(">BI", prefix)
        yield flags, response.read(length)


def _connect(endpoint: HTTPEndpoint, method: MethodDescriptor, subtype: str, body: bytes, parse: Any) -> Answer:
    response, answer = endpoint.ask("POST", path(method), body, content_type=f"application/{subtype}")
    if response.status == 200:
        assert response.headers["content-type"] == f"application/{subtype}"
        return Answer(grpc.StatusCode.OK, parse(answer))
    assert response.headers["content-type"] == "application/json", (response.status, answer)
    return connect_error(json.loads(answer))


def connect_error(error: dict[str, Any]) -> Answer:
    """The error that Connect writes as JSON."""
    code = error["code"].upper().replace("CANCELED", "CANCELLED")
    details = tuple(detail(each["type"], base64.b64decode(each["value"] + "==")) for each in error.get("details", ()))
    return Answer(grpc.StatusCode[code], None, error.get("message", ""), details)


def connect_json(endpoint: HTTPEndpoint, method: MethodDescriptor, request: Message) -> Answer:
    """Calls a method by Connect in JSON."""
    body = json_format.MessageToJson(request).encode()
    kind = GetMessageClass(method.output_type)
    return _connect(endpoint, method, "json", body, lambda answer: json_format.Parse(answer, kind()))


def connect_binary(endpoint: HTTPEndpoint, method: MethodDescriptor, request: Message) -> Answer:
    """Calls a method by Connect in binary."""
    kind = GetMessageClass(method.output_type)
    return _connect(endpoint, method, "proto", request.SerializeToString(), kind.FromString)


def grpc_web(endpoint: HTTPEndpoint, method: MethodDescriptor, request: Message) -> Answer:
    """Calls a method by gRPC-Web."""
    subtype = "application/grpc-web+proto"
    body = envelope(request.SerializeToString())
    response, answer = endpoint.ask("POST", path(method), body, content_type=subtype)
    return _grpc_web_answer(response, method, subtype, answer)


def grpc_web_text(endpoint: HTTPEndpoint, method: MethodDescriptor, request: Message) -> Answer:
    """Calls a method by gRPC-Web in its text form."""
    subtype = "application/grpc-web-text+proto"
    body = base64.b64encode(envelope(request.SerializeToString()))
    response, answer = endpoint.ask("POST", path(method), body, content_type=subtype)
    # The body is a sequence of base64 texts, each with its own padding.
    pieces = re.findall(rb"[A-Za-z0-9+/]+=*", answer)
    return _grpc_web_answer(response, method, subtype, b"".join(base64.b64decode(piece) for piece in pieces))


def _grpc_web_answer(response: http.client.HTTPResponse, method: MethodDescriptor, subtype: str, body: bytes) -> Answer:
    assert (response.status, response.headers["content-type"]) == (200, subtype), (response.status, body)
    message, trailers = None, {}
    while body:
        flags, length = struct.unpack(">BI", body[:5])
        piece, body = body[5 : 5 + length], body[5 + length :]
        if flags == TRAILERS:
            trailers = dict(line.split(": ", 1) for line in piece.decode().splitlines())
        else:
            message = GetMessageClass(method.output_type).FromString(piece)
    (code,) = [each for each in grpc.StatusCode if each.value[0] == int(trailers["grpc-status"])]
    if code is grpc.StatusCode.OK:
        return Answer(code, message)
    status = status_pb2.Status.FromString(base64.b64decode(trailers["grpc-status-details-bin"] + "=="))
    assert status.message == urllib.parse.unquote(trailers["grpc-message"])
    return Answer(code, None, status.message, details_of(status))


def details_of(status: Any) -> tuple[Message, ...]:
    """The details of a status, as in `Answer`."""
    return tuple(detail(each.type_url.rpartition("/")[2], each.value) for each in status.details)


def detail(name: str, encoded: bytes) -> Message:
    """A detail of an error. Its bytes may differ from call to call, because maps have no order."""
    return getattr(error_details_pb2, name.removeprefix("google.rpc.")).FromString(encoded)


def by_grpc(channel: grpc.Channel, method: MethodDescriptor, request: Message) -> Answer:
    """Calls a method by gRPC."""
    kind = GetMessageClass(method.output_type)
    ask = channel.unary_unary(path(method), type(request).SerializeToString, kind.FromString)
    try:
        return Answer(grpc.StatusCode.OK, ask(request, timeout=TIMEOUT))
    except grpc.RpcError as error:
        trailing = dict(error.trailing_metadata() or ())
        status = status_pb2.Status.FromString(trailing["grpc-status-details-bin"])
        return Answer(error.code(), None, error.details(), details_of(status))


#: How to call a method, by the name of the form.
FORMS = {
    "connect-json": connect_json,
    "connect-binary": connect_binary,
    "grpc-web": grpc_web,
    "grpc-web-text": grpc_web_text,
}
