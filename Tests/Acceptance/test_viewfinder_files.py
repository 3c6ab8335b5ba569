"""The files of the viewfinder page in the binary: what the HTTP server answers, and how the page reads messages."""

from __future__ import annotations

import base64
import random
import re

import pytest
from google.protobuf import descriptor_pool, message_factory
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from google.rpc import error_details_pb2

from browser import Viewfinder, chromium, window
from conftest import REPOSITORY
from firstlight.v1 import viewfinder_service_pb2
from http_rpc import HTTPEndpoint

PAGE = REPOSITORY / "Sources/Services/ViewfinderPage/page"
FILES = sorted(path for path in PAGE.rglob("*") if path.is_file())
TYPES = {"html": "text/html", "js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}


@pytest.fixture
def endpoint(own_daemon, tmp_path) -> HTTPEndpoint:
    own_daemon("--http-listen", "127.0.0.1:0")
    return HTTPEndpoint.of(tmp_path / "firstlightd.log")


def target(path) -> str:
    """The path of a file's URL."""
    name = path.relative_to(PAGE).as_posix()
    return "/" if name == "index.html" else f"/{name}"


def test_every_file_of_the_page_is_in_the_binary(endpoint):
    for path in FILES:
        response, body = endpoint.ask("GET", target(path))
        assert response.status == 200, path
        assert body == path.read_bytes(), path
        assert response.headers["content-type"].partition(";")[0] == TYPES[path.suffix[1:]]


def test_a_file_has_a_strict_policy(endpoint):
    response, _ = endpoint.ask("GET", "/?session=front")
    rules = dict(rule.split(" ", 1) for rule in response.headers["content-security-policy"].split("; "))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == rules["style-src"] == rules["connect-src"] == rules["media-src"] == "'self'"
    assert rules["frame-ancestors"] == "'none'"
    assert "unsafe" not in response.headers["content-security-policy"]
    assert response.headers["x-content-type-options"] == "nosniff"


def test_a_browser_keeps_a_file_until_it_changes(endpoint):
    response, body = endpoint.ask("GET", "/main.js")
    assert response.headers["cache-control"] == "no-cache"
    etag = response.headers["etag"]
    again, nothing = endpoint.ask("GET", "/main.js", if_none_match=etag)
    assert (again.status, nothing, again.headers["etag"]) == (304, b"", etag)
    other, whole = endpoint.ask("GET", "/main.js", if_none_match='"0"')
    assert (other.status, whole) == (200, body)
    head, nothing = endpoint.ask("HEAD", "/main.js")
    assert (head.status, nothing, head.headers["content-length"]) == (200, b"", str(len(body)))
    refused, _ = endpoint.ask("POST", "/main.js")
    assert (refused.status, refused.headers["allow"]) == (405, "GET, HEAD")
    missing, _ = endpoint.ask("GET", "/no-such.js")
    assert missing.status == 404


def test_modules_stay_small():
    modules = [path for path in PAGE.glob("*.js") if len(path.read_text().splitlines()) > 220]
    assert modules == []


def test_nothing_is_fetched_from_elsewhere():
    for path in FILES:
        code = re.sub(r"^\s*//.*$", "", path.read_text(), flags=re.M)
        addresses = re.findall(r"https?://[^\s\"')]+", code)
        assert {
            address for address in addresses if "www.w3.org" not in address and "connectrpc.com" not in address
        } == set()


def filled(message: Message, source: random.Random, depth: int = 0) -> Message:
    """Sets every field of a message, of a oneof the last one, at random."""
    for field in message.DESCRIPTOR.fields:
        if field.label == FieldDescriptor.LABEL_REPEATED:
            if field.message_type and field.message_type.GetOptions().map_entry:
                getattr(message, field.name)["key"] = "value"
            elif field.message_type and depth < 4:
                for _ in range(2):
                    filled(getattr(message, field.name).add(), source, depth + 1)
            elif not field.message_type:
                getattr(message, field.name).extend(value(field, source) for _ in range(3))
        elif field.message_type:
            if depth < 4:
                getattr(message, field.name).SetInParent()
                filled(getattr(message, field.name), source, depth + 1)
        else:
            setattr(message, field.name, value(field, source))
    return message


def value(field: FieldDescriptor, source: random.Random) -> object:
    """A value that a field may have."""
    if field.enum_type:
        return source.choice(field.enum_type.values).number
    kinds = FieldDescriptor
    return {
        kinds.CPPTYPE_BOOL: lambda: True,
        kinds.CPPTYPE_DOUBLE: source.random,
        kinds.CPPTYPE_INT32: lambda: source.randrange(-(2**31), 2**31),
        kinds.CPPTYPE_INT64: lambda: source.randrange(-(2**63), 2**63),
        kinds.CPPTYPE_UINT32: lambda: source.randrange(2**32),
        kinds.CPPTYPE_UINT64: lambda: source.choice([1, 300, 2**28, 2**63 + 5, 2**64 - 1]),
        kinds.CPPTYPE_STRING: lambda: source.randbytes(200) if field.type == kinds.TYPE_BYTES else "Zoë\N{CAMERA}",
    }[field.cpp_type]()


@pytest.mark.timeout(60)
def test_the_page_reads_and_writes_messages_as_protobuf_does(endpoint):
    assert viewfinder_service_pb2
    assert error_details_pb2
    source = random.Random(30)
    with chromium() as browser, window(browser) as context:
        page = Viewfinder(context.new_page()).open(f"{endpoint.origin}/").page
        names = page.evaluate("async () => Object.keys((await import('/generated/messages.js')).messages)")
        for name in names:
            full_name = name if name.startswith("google.") else f"firstlight.v1.{name}"
            if full_name.endswith("MetadataEntry"):
                continue
            kind = message_factory.GetMessageClass(descriptor_pool.Default().FindMessageTypeByName(full_name))
            message = filled(kind(), source)
            answer = page.evaluate(
                """async ([name, text]) => {
                    const { decode, encode } = await import('/wire.js');
                    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
                    const letters = Array.from(encode(name, decode(name, bytes)), (byte) => String.fromCharCode(byte));
                    return btoa(letters.join(''));
                }""",
                [name, base64.b64encode(message.SerializeToString()).decode()],
            )
            assert kind.FromString(base64.b64decode(answer)) == message, name
