"""A page that a user visits elsewhere cannot reach the camera, and hostile clients of the HTTP server hurt nobody."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import threading
import time
from collections.abc import Iterator

import grpc
import pytest

import firstlight
from captures import SMALL
from firstlight.v1 import session_service_pb2 as sessions_pb2
from http_rpc import HTTPEndpoint
from readers import lost, reading
from support import SYNTHETIC, TIMEOUT, Stubs, call, peak_bytes

LIST = "/firstlight.v1.DeviceService/ListDevices"
IDLE_SECONDS = 30
PEAK_BYTES = 128_000_000


@pytest.fixture
def serve(own_daemon, tmp_path):
    """Starts a daemon with an HTTP server: the daemon and the endpoint."""

    def start(*flags: str):
        daemon = own_daemon("--http-listen", "127.0.0.1:0", *flags)
        return daemon, HTTPEndpoint.of(tmp_path / "firstlightd.log")

    return start


def test_the_daemon_goes_by_loopback_names_and_addresses(serve):
    _, endpoint = serve()
    for host in ("127.0.0.1", "LOCALHOST", "cam.localhost", "192.168.7.7", "[::1]"):
        response, _ = endpoint.ask("GET", "/metrics", host=f"{host}:{endpoint.port}")
        assert response.status == 200


def test_a_name_that_points_here_by_dns_rebinding_is_refused(serve):
    _, endpoint = serve()
    for target, verb in (("/metrics", "GET"), (LIST, "POST")):
        for host in ("evil.example", "127.0.0.1.evil.example", "2130706433"):
            response, body = endpoint.ask(
                verb, target, b"{}", host=f"{host}:{endpoint.port}", content_type="application/json"
            )
            assert response.status == 421
            assert "http-hosts" in body.decode()


def test_a_request_without_one_host_is_refused(serve):
    _, endpoint = serve()
    with socket.create_connection((endpoint.host, endpoint.port), TIMEOUT) as connection:
        connection.sendall(b"GET /metrics HTTP/1.1\r\n\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 400 ")
    with socket.create_connection((endpoint.host, endpoint.port), TIMEOUT) as connection:
        connection.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 400 ")


def test_a_broken_body_gets_an_error_of_the_caller(serve):
    _, endpoint = serve()
    with socket.create_connection((endpoint.host, endpoint.port), TIMEOUT) as connection:
        connection.sendall(HOSTILE["bad-chunks"])
        assert b"HTTP/1.1 400 " in connection.recv(1000)


def test_a_client_that_waits_for_a_word_is_told_to_go_on(serve):
    _, endpoint = serve()
    head = f"POST {LIST} HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\ncontent-type: application/json\r\n"
    with socket.create_connection((endpoint.host, endpoint.port), TIMEOUT) as connection:
        connection.sendall(f"{head}content-length: 2\r\n\r\n".encode())
        assert connection.recv(1000).startswith(b"HTTP/1.1 100 ")
        connection.sendall(b"{}")
        assert connection.recv(1000).startswith(b"HTTP/1.1 200 ")


def test_a_page_of_another_origin_is_refused(serve):
    daemon, endpoint = serve()
    body = json.dumps({"configuration": {}, "start": True}).encode()
    create = "/firstlight.v1.SessionService/CreateSession"
    for origin in ("http://evil.example", "null", "http://127.0.0.1"):
        response, answer = endpoint.ask("POST", create, body, origin=origin, content_type="application/json")
        assert response.status == 403
        assert "http-origins" in answer.decode()
        assert response.headers["access-control-allow-origin"] is None
    with grpc.insecure_channel(daemon.address) as channel:
        left = call(Stubs(channel).sessions.ListSessions, sessions_pb2.ListSessionsRequest()).sessions
        assert [session.name for session in left] == ["sessions/default"]


def test_a_configured_origin_may_call_after_a_preflight(serve):
    _, endpoint = serve("--http-origins", "https://photos.example")
    origin = {"origin": "https://photos.example"}
    asked = {"access_control_request_method": "POST", "access_control_request_headers": "content-type"}
    response, _ = endpoint.ask("OPTIONS", LIST, **origin, **asked)
    assert (response.status, response.headers["access-control-allow-headers"]) == (204, "content-type")
    assert "POST" in response.headers["access-control-allow-methods"]
    response, _ = endpoint.ask("POST", LIST, b"{}", **origin, content_type="application/json")
    assert response.status == 200
    assert response.headers["access-control-allow-origin"] == "https://photos.example"
    assert endpoint.ask("GET", "/healthz")[0].headers["access-control-allow-origin"] is None


def test_a_port_in_use_is_named(binary, serve, tmp_path):
    _, endpoint = serve()
    address = f"{endpoint.host}:{endpoint.port}"
    command = [binary, "serve", "--listen", "127.0.0.1:0", "--http-listen", address, "--data-dir", tmp_path / "other"]
    ended = subprocess.run([*command, "--synthetic", "1"], capture_output=True, text=True, timeout=30)
    assert ended.returncode != 0
    assert f"cannot listen at {address}" in ended.stderr


def test_field_B22_a_failed_bind_says_nothing_of_what_did_not_happen(binary, serve, tmp_path):
    """A server that cannot listen ends the daemon, which has no recordings that a disk could keep waiting."""
    daemon, _ = serve()
    command = [binary, "serve", "--listen", daemon.address, "--http-listen", "none", "--data-dir", tmp_path / "other"]
    ended = subprocess.run([*command, "--synthetic", "1"], capture_output=True, text=True, timeout=30)
    assert ended.returncode != 0
    assert daemon.address in ended.stderr
    assert "disk" not in ended.stderr
    assert [line for line in ended.stderr.splitlines() if " error " in line] == []


def test_the_preflight_of_another_origin_is_refused(serve):
    _, endpoint = serve()
    fields = {"origin": "http://evil.example", "access_control_request_method": "POST"}
    response, _ = endpoint.ask("OPTIONS", LIST, **fields)
    assert response.status == 403


def test_a_form_of_another_page_cannot_call(serve):
    """A form sends no preflight, and old browsers sent no Origin with it. Its content types are none of an RPC's."""
    _, endpoint = serve()
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        response, _ = endpoint.ask("POST", LIST, b"{}", content_type=kind)
        assert response.status == 415


def test_the_own_origin_and_configured_names_may_call(serve):
    _, endpoint = serve("--http-hosts", "cam.example", "--http-origins", "https://photos.example")
    for host, origin in (
        (f"{endpoint.host}:{endpoint.port}", endpoint.origin),
        (f"cam.example:{endpoint.port}", f"http://cam.example:{endpoint.port}"),
        ("cam.example", "https://cam.example"),
        (f"localhost:{endpoint.port}", "https://photos.example"),
    ):
        response, _ = endpoint.ask("POST", LIST, b"{}", host=host, origin=origin, content_type="application/json")
        assert response.status == 200, (host, origin)


def test_health_and_metrics_have_pages(serve):
    _, endpoint = serve()
    for target, start in (("/healthz", b"ok"), ("/readyz", b"ok"), ("/metrics", b"# HELP ")):
        response, body = endpoint.ask("GET", target)
        assert response.status == 200
        assert body.startswith(start)
        head, empty = endpoint.ask("HEAD", target)
        assert (head.status, empty) == (200, b"")
    assert endpoint.ask("POST", "/metrics")[0].status == 405
    response, body = endpoint.ask("GET", "/nothing?x=1")
    assert (response.status, body) == (404, b"There is nothing at /nothing.\n")


def test_without_an_address_nothing_listens(own_daemon, tmp_path):
    own_daemon("--http-listen", "none")
    assert "http at" not in (tmp_path / "firstlightd.log").read_text()


@pytest.fixture
def watched(serve, tmp_path):
    """A daemon whose camera streams to a viewer over gRPC: the daemon, the endpoint and the viewer."""
    daemon, endpoint = serve()
    with firstlight.connect(daemon.address, timeout=8) as client:
        name = client.create_session().name
        client.configure(name, firstlight.configuration(SYNTHETIC[0], photo=False, **SMALL))
        client.start(name)
        with reading(1, daemon.address, name, tmp_path) as (viewer,):
            yield daemon, endpoint, viewer


HOSTILE = {
    "slow-loris": b"GET / HTTP/1.1\r\nHost: localhost\r\nX-A: ",
    "nothing": b"",
    "garbage": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 50,
    "endless-header": b"GET / HTTP/1.1\r\nHost: localhost\r\nX-A: " + b"a" * 200_000,
    "endless-headers": b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"a: b\r\n" * 50_000,
    "endless-body": b"POST " + LIST.encode() + b" HTTP/1.1\r\nHost: localhost\r\ncontent-type: application/json\r\n"
    b"content-length: 9000000000\r\n\r\n" + b"a" * 2_000_000,
    "bad-chunks": b"POST " + LIST.encode() + b" HTTP/1.1\r\nHost: localhost\r\ncontent-type: application/json\r\n"
    b"transfer-encoding: chunked\r\n\r\nzz\r\n",
    "pipelined": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20_000,
    "pipelined-garbage": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n\x00\x01\x02garbage\r\n\r\n" * 1000,
}


@contextlib.contextmanager
def attacking(endpoint: HTTPEndpoint, kind: str, connections: int = 20) -> Iterator[None]:
    """Sends the bytes of HOSTILE on each connection, and keeps the connections open until the block ends."""
    with contextlib.ExitStack() as stack:

        def attack() -> None:
            for _ in range(connections):
                connection = stack.enter_context(socket.create_connection((endpoint.host, endpoint.port), TIMEOUT))
                connection.settimeout(0.1)
                # The daemon closes the connection, or stops reading from it.
                with contextlib.suppress(OSError):
                    connection.sendall(HOSTILE[kind])

        thread = threading.Thread(target=attack)
        thread.start()
        try:
            yield
        finally:
            thread.join()


@pytest.mark.alone
@pytest.mark.parametrize("kind", HOSTILE)
def test_a_viewer_loses_nothing_to_hostile_http(watched, kind):
    daemon, endpoint, viewer = watched
    start = time.monotonic_ns()
    with attacking(endpoint, kind):
        while len(viewer.rows(start)) < 60:
            time.sleep(0.1)
        assert endpoint.ask("GET", "/healthz")[0].status == 200
    assert lost(viewer.rows(start)) == 0
    assert peak_bytes(daemon.process.pid) < PEAK_BYTES


@pytest.mark.alone
def test_idle_connections_give_way_to_new_ones(watched):
    daemon, endpoint, viewer = watched
    start = time.monotonic_ns()
    with contextlib.ExitStack() as stack:
        for _ in range(1100):
            stack.enter_context(socket.create_connection((endpoint.host, endpoint.port), TIMEOUT))
        assert endpoint.ask("GET", "/healthz")[0].status == 200
        while len(viewer.rows(start)) < 10:
            time.sleep(0.1)
    assert lost(viewer.rows(start)) == 0
    assert peak_bytes(daemon.process.pid) < PEAK_BYTES


@pytest.mark.timeout(90)
@pytest.mark.slow
def test_a_connection_that_sends_nothing_is_closed(serve):
    _, endpoint = serve()
    with socket.create_connection((endpoint.host, endpoint.port), IDLE_SECONDS * 2) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: ")
        assert connection.recv(1) == b""


@pytest.mark.timeout(90)
@pytest.mark.slow
def test_a_body_that_drips_is_closed(serve):
    _, endpoint = serve()
    head = f"POST {LIST} HTTP/1.1\r\nHost: localhost\r\ncontent-type: application/json\r\ncontent-length: 60000\r\n\r\n"
    with socket.create_connection((endpoint.host, endpoint.port), IDLE_SECONDS * 2) as connection:
        connection.sendall(head.encode())
        sent = 0
        with contextlib.suppress(OSError):
            while sent < 2 * IDLE_SECONDS:
                connection.sendall(b" ")
                sent += 1
                time.sleep(1)
    assert sent < 2 * IDLE_SECONDS
