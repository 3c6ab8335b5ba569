"""Browsers, players and programs for home automation see a preview as Motion JPEG over HTTP, and as single pictures."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import socket
import subprocess
import time

import av
import pytest

import firstlight
from captures import SMALL
from firstlight import connection
from firstlight.v1 import preview_service_pb2 as previews_pb2
from http_rpc import HTTPEndpoint
from metrics import Page
from motion_jpeg import parts, snapshot, watching
from processes import thread_names
from support import SYNTHETIC, TIMEOUT, resident_bytes, take, wait_until

LARGE = {"pixel_format": "NV12", "size": (1920, 1080), "frame_rate": 30}
PERIOD_NS = 10**9 // 30
STOPPED_SECONDS = 12
PAGES = ("/stream.mjpg", "/snapshot.jpg")


@pytest.fixture
def serve(own_daemon, tmp_path):
    """Starts a daemon whose only session `front` runs: the daemon, the HTTP endpoint and a client."""
    file = tmp_path / "firstlight.yaml"
    file.write_text("sessions: {}\n")
    with contextlib.ExitStack() as stack:

        def start(*flags: str, size=SMALL, **configuration):
            daemon = own_daemon("--http-listen", "127.0.0.1:0", "--config", str(file), *flags)
            client = stack.enter_context(firstlight.connect(daemon.address, timeout=8))
            client.create_session("front")
            client.configure("sessions/front", firstlight.configuration(SYNTHETIC[0], **size, **configuration))
            client.start("sessions/front")
            return daemon, HTTPEndpoint.of(tmp_path / "firstlightd.log"), client

        yield start


def encoders(daemon):
    """The names of the threads that encode for previews."""
    return [name for name in thread_names(daemon.process.pid) if name.startswith("preview-")]


def test_every_part_is_a_picture_with_its_number_and_time(serve):
    _, endpoint, _ = serve()
    with watching(endpoint) as pictures:
        seen = take(pictures, 30)
    for picture in seen:
        picture.check()
        assert picture.image.size == SMALL["size"]
    assert all(a.sequence < b.sequence for a, b in itertools.pairwise(seen))
    assert len({picture.fields["X-Stream-Id"] for picture in seen}) == 1


@pytest.mark.alone
def test_a_viewer_sees_the_present(serve):
    _, endpoint, _ = serve()
    with watching(endpoint) as pictures:
        take(pictures, 5)
        assert next(pictures).age_ns < 3 * PERIOD_NS


def test_the_next_boundary_follows_each_picture_at_once(serve):
    """Blink shows a part when it has seen the next boundary."""
    _, endpoint, _ = serve()
    with contextlib.closing(endpoint.connection()) as asked:
        asked.request("GET", "/stream.mjpg?fps=0.2")
        response = asked.getresponse()
        boundary = response.headers["Content-Type"].split("; boundary=")[1]
        next(parts(response))
        start = time.monotonic()
        assert response.readline() == b"\r\n"
        assert response.readline() == f"--{boundary}\r\n".encode()
        assert time.monotonic() - start < 1


def test_a_picture_fits_into_the_box(serve):
    _, endpoint, _ = serve()
    for query, size in (
        ("width=160", (160, 90)),
        ("height=90", (160, 90)),
        ("width=160&height=160", (160, 90)),
        ("width=640", (320, 180)),
    ):
        with watching(endpoint, query) as pictures:
            assert next(pictures).image.size == size
        assert snapshot(endpoint, query).image.size == size


def test_quality_and_rate_are_as_asked(serve):
    _, endpoint, _ = serve()
    best, worst = (len(snapshot(endpoint, f"quality={quality}").jpeg) for quality in (95, 5))
    assert worst < best / 2
    with watching(endpoint, "fps=5") as pictures:
        next(pictures)  # comes at once, at any time between two others
        times = [picture.board.capture_time_ns for picture in take(pictures, 8)]
    assert times[-1] - times[0] == pytest.approx(7 * 10**9 / 5, rel=0.1)


@pytest.mark.alone
def test_a_snapshot_is_a_fresh_picture(serve):
    _, endpoint, _ = serve()
    picture = snapshot(endpoint)
    assert picture.age_ns < 10**9 // 4
    picture.check()
    with watching(endpoint) as pictures:
        take(pictures, 5)
        picture = snapshot(endpoint)
        assert picture.age_ns < 4 * PERIOD_NS


def test_all_viewers_share_one_encoding(serve):
    daemon, endpoint, client = serve()
    with contextlib.ExitStack() as stack:
        viewers = [stack.enter_context(watching(endpoint)) for _ in range(3)]
        next(stack.enter_context(client.preview("sessions/front")))
        for viewer in viewers:
            take(viewer, 3)
        assert encoders(daemon) == ["preview-JPEG"]
        page = Page(endpoint.ask("GET", "/metrics")[1].decode())
        assert page("firstlight_output_readers", session="sessions/front", output="preview") == 4
        other = stack.enter_context(watching(endpoint, "quality=30"))
        take(other, 3)
        assert encoders(daemon) == ["preview-JPEG"] * 2
    wait_until(lambda: not encoders(daemon))


@pytest.mark.alone
def test_viewers_of_both_kinds_get_the_same_bytes(serve):
    _, endpoint, _ = serve()
    method = previews_pb2.DESCRIPTOR.services_by_name["PreviewService"].methods_by_name["StreamPreview"]
    request = previews_pb2.StreamPreviewRequest(session="sessions/front")
    with watching(endpoint) as pictures, endpoint.stream(method, request, "connect+proto") as stream:
        by_rpc = {}
        for _, message in itertools.islice(stream, 30):
            frame = previews_pb2.StreamPreviewResponse.FromString(message).frame
            by_rpc[frame.sequence] = frame.data
        seen = [picture for picture in take(pictures, 30) if picture.sequence in by_rpc]
    assert len(seen) > 5
    assert all(picture.jpeg == by_rpc[picture.sequence] for picture in seen)


def test_the_session_and_the_output_are_found(serve):
    _, endpoint, client = serve(additional_previews=["second"])
    for query in ("", "session=front", "session=sessions/front", "session=sessions%2Ffront&output=second"):
        snapshot(endpoint, query).check()
    client.create_session("back")
    response, body = endpoint.ask("GET", "/snapshot.jpg")
    assert (response.status, body.decode()) == (
        404,
        "There are several sessions; name one by the parameter session: back, front.\n",
    )
    client.create_session("default")
    client.configure("sessions/default", firstlight.configuration(SYNTHETIC[1], **SMALL))
    client.start("sessions/default")
    assert snapshot(endpoint).board.camera == 1


def test_a_wrong_query_gets_a_sentence(serve):
    _, endpoint, _ = serve()
    queries = (
        ("session=back", 404, "back"),
        ("output=back", 404, "back"),
        ("session=devices/x", 400, "sessions/{id}"),
        ("fps=5&fps=6", 400, "once"),
        ("width=x", 400, "from 2 to 65535"),
    )
    for page, (query, status, words) in itertools.product(PAGES, queries):
        for method in ("GET", "HEAD"):
            response, body = endpoint.ask(method, f"{page}?{query}")
            assert (response.status, response.headers["Content-Type"]) == (status, "text/plain; charset=utf-8")
            assert words in body.decode() or method == "HEAD"
    for page in PAGES:
        response, _ = endpoint.ask("POST", f"{page}?session=front")
        assert (response.status, response.headers["Allow"]) == (405, "GET, HEAD")


@pytest.mark.timeout(30)
def test_a_session_that_does_not_run_has_no_snapshot(serve):
    _, endpoint, client = serve()
    client.stop("sessions/front")
    start = time.monotonic()
    with contextlib.closing(endpoint.connection(timeout=20)) as asked:
        asked.request("GET", "/snapshot.jpg")
        response = asked.getresponse()
        assert (response.status, response.headers["Retry-After"]) == (503, "5")
        assert "10 seconds" in response.read().decode()
    assert 9 < time.monotonic() - start < 12


def test_a_stream_ends_with_its_session(serve):
    _, endpoint, client = serve()
    with watching(endpoint) as pictures:
        next(pictures)
        client.delete_session("sessions/front")
        for picture in pictures:
            picture.check()
    response, _ = endpoint.ask("GET", "/stream.mjpg")
    assert response.status == 404


def test_head_has_no_viewer(serve):
    daemon, endpoint, _ = serve()
    for page in PAGES:
        response, body = endpoint.ask("HEAD", page)
        assert (response.status, body) == (200, b"")
        assert response.headers["Content-Type"].startswith(("multipart/x-mixed-replace; ", "image/jpeg"))
    assert encoders(daemon) == []


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_a_stream_has_no_chunks_and_ends_with_the_connection(serve, version):
    _, endpoint, client = serve()
    with socket.create_connection((endpoint.host, endpoint.port), TIMEOUT) as asked:
        asked.sendall(f"GET /stream.mjpg HTTP/{version}\r\nHost: localhost\r\n\r\n".encode())
        reply = asked.makefile("rb")
        head = list(iter(reply.readline, b"\r\n"))
        assert head[0] == b"HTTP/1.0 200 OK\r\n"
        assert b"Connection: close\r\n" in [line.title().replace(b"Close", b"close") for line in head]
        assert not any(line.lower().startswith(b"transfer-encoding") for line in head)
        assert reply.readline().startswith(b"--")
        client.delete_session("sessions/front")
        while reply.read(65536):
            pass


def test_every_answer_to_http_1_0_ends_with_the_connection(serve):
    _, endpoint, _ = serve()
    request = b"GET %s HTTP/1.0\r\nHost: localhost\r\n\r\n"
    for page, start in ((b"/healthz", b"ok\n"), (b"/snapshot.jpg", b"\xff\xd8")):
        with socket.create_connection((endpoint.host, endpoint.port), TIMEOUT) as asked:
            asked.sendall(request % page)
            head, body = b"".join(iter(lambda: asked.recv(65536), b"")).split(b"\r\n\r\n", 1)
        assert head.startswith(b"HTTP/1.0 200 ")
        assert body.startswith(start)


def test_an_image_of_another_site_does_not_reach_the_camera(serve):
    daemon, endpoint, _ = serve("--http-origins", "https://photos.example")
    site = "cross-site"
    image = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}
    link = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    for page, fields in itertools.product(PAGES, (image, link)):
        response, body = endpoint.ask("GET", page, **fields)
        assert response.status == 403
        assert "http-origins" in body.decode()
        assert response.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert encoders(daemon) == []
    response, _ = endpoint.ask("GET", "/healthz", **link)
    assert response.status == 200
    allowed = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "cors", "Origin": "https://photos.example"}
    assert snapshot(endpoint, **allowed).fields["Access-Control-Allow-Origin"] == "https://photos.example"


def test_ffmpeg_reads_the_stream(serve):
    _, endpoint, _ = serve()
    with av.open(f"{endpoint.origin}/stream.mjpg", timeout=TIMEOUT) as stream:
        frames = list(itertools.islice(stream.decode(video=0), 10))
    boards = [firstlight.timecode.decode(frame.to_ndarray(format="gray")) for frame in frames]
    assert all(a.sequence < b.sequence for a, b in itertools.pairwise(boards))


def test_curl_reads_a_snapshot(serve, tmp_path):
    _, endpoint, _ = serve()
    file = tmp_path / "snapshot.jpg"
    subprocess.run(["curl", "-sfo", file, f"{endpoint.origin}/snapshot.jpg?width=160"], check=True, timeout=TIMEOUT)
    assert file.read_bytes().startswith(b"\xff\xd8")


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize("stop", ["process", "socket"])
def test_a_stopped_viewer_holds_little_and_comes_back_to_the_present(serve, tmp_path, stop):
    """`process` stops a curl; `socket` is a client that opens the stream and does not read."""
    daemon, endpoint, _ = serve(size=LARGE)
    command = ["curl", "-sN", f"{endpoint.origin}/stream.mjpg"]
    with watching(endpoint) as other, subprocess.Popen(command, stdout=subprocess.PIPE) as curl:
        take(other, 120)
        with contextlib.ExitStack() as stack:
            if stop == "socket":
                curl.kill()
                late = stack.enter_context(contextlib.closing(endpoint.connection()))
                late.request("GET", "/stream.mjpg")
                response = late.getresponse()
                source = parts(response)
                take(source, 60)
            else:
                take(iter(lambda: os.read(curl.stdout.fileno(), 1 << 16), b""), 300)
                curl.send_signal(signal.SIGSTOP)
            memory = resident_bytes(daemon.process.pid)
            grown = 0
            start = time.monotonic()
            while time.monotonic() - start < STOPPED_SECONDS:
                take(other, 15)
                grown = max(grown, resident_bytes(daemon.process.pid) - memory)
            assert next(other).age_ns < 10**9
            resumed = time.time_ns()
            if stop == "process":
                curl.send_signal(signal.SIGCONT)
                stale = stale_bytes_of_curl(curl, resumed)
            else:
                stale = 0
                for picture in source:
                    if picture.board.capture_time_ns > resumed - 3 * PERIOD_NS:
                        break
                    stale += len(picture.jpeg)
            fresh_after = time.time_ns() - resumed
            curl.kill()
    print(f"{stop}: daemon {grown / 1e6:+.1f} MB, stale {stale / 1e6:.2f} MB, fresh after {fresh_after / 1e6:.0f} ms")
    assert grown < 20e6
    assert stale < 2.5e6
    assert fresh_after < 10**9


def stale_bytes_of_curl(curl: subprocess.Popen, resumed: int) -> int:
    """The bytes that curl still hands on of pictures from before it was resumed."""
    stale = 0
    text = b""
    while True:
        chunk = os.read(curl.stdout.fileno(), 1 << 16)
        assert chunk
        stale += len(chunk)
        text = text[-100:] + chunk
        for line in text.split(b"\r\n")[1:-1]:
            if line.startswith(b"X-Timestamp: ") and float(line.split()[1]) * 1e9 > resumed - 3 * PERIOD_NS:
                return stale


def test_a_turned_preview_is_turned(serve):
    _, endpoint, _ = serve(connections=[connection("preview", rotated=90)])
    assert snapshot(endpoint).image.size == SMALL["size"][::-1]
