"""Recordings by HTTP: the files at their addresses, their parts, and what Chromium makes of them."""

from __future__ import annotations

import itertools
import pathlib
import socket
import subprocess
from typing import Any

import numpy as np
import pytest

import firstlight
from browser import Serving, Viewfinder, board
from captures import SMALL
from firstlight import MovieCodec, MovieContainer
from footage import SECOND
from movies import kinds, read_movie, record, recording_session, without_index
from support import SYNTHETIC, TIMEOUT, Collector, wait_until

pytestmark = pytest.mark.timeout(120)

#: Opens an address in a new <video>, and waits until its first picture is there.
OPEN = """async (address) => {
    const video = document.createElement('video');
    document.body.replaceChildren(video);
    window.video = video;
    video.muted = true;
    await new Promise((resolve, reject) => {
        video.onloadeddata = resolve;
        video.onerror = () => reject(new Error(video.error.message));
        video.src = address;
    });
    return video.duration;
}"""

#: Goes to a time, and returns the picture there as a data URL.
SEEK = """async (time) => {
    await new Promise((resolve) => { video.onseeked = resolve; video.currentTime = time; });
    const canvas = new OffscreenCanvas(video.videoWidth, video.videoHeight);
    const context = canvas.getContext('2d');
    // A busy browser has the picture a little after the end of the seek. Until then the canvas stays transparent.
    do {
        await new Promise(requestAnimationFrame);
        context.drawImage(video, 0, 0);
    } while (context.getImageData(0, 0, 1, 1).data[3] === 0);
    const bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
    return `,${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}`;
}"""

#: Plays to the end, as fast as the browser can.
PLAY = """async () => {
    video.playbackRate = 4;
    await new Promise((resolve) => { video.onended = resolve; video.play(); });
    return video.currentTime;
}"""


#: Opens an address in a new <video>, and waits until its duration is known.
OPEN_METADATA = """async (address) => {
    const video = document.createElement('video');
    video.preload = 'metadata';
    document.body.replaceChildren(video);
    await new Promise((resolve, reject) => {
        video.onloadedmetadata = resolve;
        video.onerror = () => reject(new Error(video.error.message));
        video.src = address;
    });
    return video.duration;
}"""


@pytest.fixture
def server(serving, tmp_path: pathlib.Path) -> Serving:
    """A daemon that serves HTTP, with a folder of recordings of its own."""
    return serving("--recordings-dir", str(tmp_path / "movies"))


@pytest.fixture
def tab(server: Serving, context: Any) -> Viewfinder:
    """A tab of the daemon's origin whose page has no policy."""
    viewfinder = Viewfinder(context.new_page())
    viewfinder.page.goto(f"{server.address}healthz")
    return viewfinder


def running(server: Serving, **options: Any) -> firstlight.v1.recording_pb2.Recording:
    """A recording that goes on, and that has at least two fragments."""
    session = recording_session(server.client, SYNTHETIC[0], **SMALL)
    events = Collector(server.client.start_recording(session, fragment_seconds=0.3, **options))
    name = events.wait_for(len)[0].recording.name
    sizes = set()
    for _ in server.client.preview(session):
        sizes.add(server.client.recording(name).recorded_file_size)
        if len(sizes - {0}) > 1:
            return server.client.recording(name)
    raise AssertionError("the preview ended")


@pytest.mark.parametrize(
    ("container", "media_type"),
    [
        (MovieContainer.MP4, "video/mp4"),
        (MovieContainer.MOV, "video/quicktime"),
        (MovieContainer.MATROSKA, "video/x-matroska"),
        (MovieContainer.MPEG_TS, "video/mp2t"),
    ],
)
def test_a_file_and_its_parts(server, tmp_path, container, media_type):
    session = recording_session(server.client, SYNTHETIC[0], **SMALL)
    done = record(server.client, session, "front/door", frames=5, container=container)[-1].recording
    file = (tmp_path / "movies" / done.file).read_bytes()
    ask, target = server.endpoint.ask, f"/{done.name}"
    assert ask("GET", f"{target}?download")[1] == file
    response, whole = ask("GET", target)
    assert response.status == 200
    assert without_index(whole) == (file if b"sidx" not in whole else file[: file.rindex(b"mfra") - 4])
    assert (b"sidx" in whole) == (container in {MovieContainer.MP4, MovieContainer.MOV})
    fields = response.headers
    assert (fields["content-type"], fields["accept-ranges"]) == (media_type, "bytes")
    assert fields["content-disposition"] == f'inline; filename="{done.file.rpartition("/")[2]}"'
    assert fields["last-modified"].endswith(" GMT")
    assert fields["cache-control"] == "no-cache"
    head, nothing = ask("HEAD", target)
    assert (head.status, nothing, head.headers["content-length"]) == (200, b"", str(len(whole)))
    assert "attachment" in ask("HEAD", f"{target}?download")[0].headers["content-disposition"]
    for field, part in (("0-99", slice(0, 100)), ("100-", slice(100, None)), ("-7", slice(-7, None))):
        response, body = ask("GET", target, range=f"bytes={field}")
        assert (response.status, body) == (206, whole[part])
        start, stop, _ = part.indices(len(whole))
        assert response.headers["content-range"] == f"bytes {start}-{stop - 1}/{len(whole)}"
    assert ask("GET", target, range="bytes=0-1,5-6")[1] == whole
    assert ask("GET", target, range="bytes=0-1", if_range='"other"')[1] == whole
    assert ask("GET", target, range="bytes=0-1", if_range=fields["etag"])[1] == whole[:2]
    assert ask("GET", target, if_none_match=fields["etag"])[0].status == 304
    response, _ = ask("GET", target, range=f"bytes={len(whole)}-")
    assert (response.status, response.headers["content-range"]) == (416, f"bytes */{len(whole)}")


def test_what_is_not_there_is_a_sentence(server):
    ask = server.endpoint.ask
    response, body = ask("GET", "/recordings/nobody")
    assert (response.status, body) == (404, b"There is no recording nobody.\n")
    assert ask("GET", "/recordings/a/b")[0].status == 400
    assert ask("GET", "/recordings/")[0].status == 404
    assert ask("POST", "/recordings/nobody")[0].status == 405
    response, _ = ask("GET", "/recordings/nobody?width=5")
    assert (response.status, response.headers["X-Ignored-Parameters"]) == (404, "width")
    assert ask("GET", "/recordings/nobody", origin="http://elsewhere.example")[0].status == 403
    assert ask("GET", "/recordings/nobody", host="elsewhere.example")[0].status == 421
    assert ask("GET", "/recordings/nobody", sec_fetch_site="cross-site")[0].status == 403


def test_a_recording_without_a_fragment_is_a_conflict(server):
    session = recording_session(server.client, SYNTHETIC[0], **SMALL)
    events = Collector(server.client.start_recording(session, fragment_seconds=60))
    # A recording without a frame would leave no file.
    name = events.wait_for(lambda found: "started" in kinds(found))[0].recording.name
    response, body = server.endpoint.ask("GET", f"/{name}")
    assert (response.status, body[-1:]) == (409, b"\n")
    server.client.stop_recording(name)
    assert server.endpoint.ask("GET", f"/{name}")[0].status == 200


def test_a_deleted_recording_is_sent_to_its_end(server, tmp_path):
    features = {**SMALL, "size": (1280, 720)}
    session = recording_session(server.client, SYNTHETIC[0], codec=MovieCodec.FFV1, **features)
    done = record(server.client, session, frames=20, container=MovieContainer.MATROSKA)[-1].recording
    whole = (tmp_path / "movies" / done.file).read_bytes()
    # The kernel and the daemon keep less than 1 MiB, so the rest is read from the file after the deletion.
    assert len(whole) > 2 << 20
    connection = server.endpoint.connection()
    with socket.socket() as connection.sock:
        connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
        connection.sock.settimeout(TIMEOUT)
        connection.sock.connect((server.endpoint.host, server.endpoint.port))
        connection.request("GET", f"/{done.name}")
        response = connection.getresponse()
        server.client.delete_recording(done.name)
        assert response.read() == whole
    assert server.endpoint.ask("GET", f"/{done.name}")[0].status == 404


def test_a_file_that_grows_plays_as_far_as_it_was_asked_for(server, tmp_path):
    name = running(server).name
    response, body = server.endpoint.ask("GET", f"/{name}")
    assert response.headers["content-length"] == str(len(body))
    part = tmp_path / "part.mp4"
    part.write_bytes(body)
    boards = read_movie(part).boards
    whole = tmp_path / "movies" / server.client.stop_recording(name).file
    assert read_movie(whole).boards[: len(boards)] == boards
    assert whole.read_bytes().startswith(without_index(body))
    assert server.endpoint.ask("GET", f"/{name}", range="bytes=0-1", if_range=response.headers["etag"])[0].status == 200


def test_parts_of_a_file_that_grows_are_parts_of_one_file(server):
    name = running(server).name
    ask = server.endpoint.ask
    address = server.endpoint.redirection(f"/{name}")
    whole = ask("GET", address)[1]
    size = server.client.recording(name).recorded_file_size
    frames = server.client.preview(server.client.recording(name).session)
    while server.client.recording(name).recorded_file_size == size:
        next(frames)
    place = whole.index(b"sidx") - 4
    for low, high in ((0, len(whole)), (place + 5, place + 9), (place - 3, place + 30), (len(whole) - 9, len(whole))):
        response, body = ask("GET", address, range=f"bytes={low}-{high - 1}")
        assert (response.status, body) == (206, whole[low:high])
    saved = server.endpoint.redirection(f"/{name}?download")
    assert ask("GET", saved)[1].startswith(without_index(whole))
    server.client.stop_recording(name)
    assert ask("GET", address)[1] == whole
    # The finished file has no other bytes later, so no client has to be sent elsewhere.
    assert ask("GET", f"/{name}", range="bytes=0-9")[0].status == 206
    assert ask("GET", f"/{name}?size={1 << 40}")[0].status == 404
    assert ask("GET", f"/{name}?size=0")[0].status == 400


def test_chromium_plays_and_seeks(server, tab, tmp_path):
    session = recording_session(server.client, SYNTHETIC[0], **SMALL)
    done = record(server.client, session, frames=60, fragment_seconds=0.5)[-1].recording
    movie = read_movie(tmp_path / "movies" / done.file)
    duration = tab.page.evaluate(OPEN, f"/{done.name}")
    assert duration == pytest.approx(done.recorded_duration.ToNanoseconds() / 1e9, abs=0.1)
    for index in (45, 3, 30):
        # The middle of a picture: browsers round the time.
        assert shown(tab, movie.times[index] + 1 / 60) == movie.boards[index]
    assert tab.page.evaluate(PLAY) == pytest.approx(duration, abs=0.1)


@pytest.mark.parametrize("sound", [False, True])
def test_fault_F13_chromium_shows_a_long_movie_after_three_requests(server, tab, sound):
    """Also while it is written. Without an index, Chromium asks for the head of each fragment of 1 MB."""
    noise = "nullsrc=size=640x360:rate=1,geq=random(1)*255:128:128"
    made = ("ffmpeg -v error -f lavfi -i", noise, "-frames:v 1 -c:v libx264 -qp 12 -bsf:v h264_mp4toannexb -f h264 -")
    picture = subprocess.run(" ".join(made).split(), check=True, capture_output=True).stdout
    tracks = [firstlight.audio_input()] if sound else []
    writer = server.client.asset_writer((640, 360), pixel_format="H264", audio=tracks, frame_rate=1)
    writer.start()

    def write(times: range) -> None:
        for second in times:
            writer.append(picture, second * SECOND)
            if sound:
                writer.append_audio(np.zeros((48_000, 2), np.int16), second * SECOND)
        writer.flush()
        # What is not on the storage yet cannot be read.
        wait_until(lambda: writer.refresh().writer_inputs[0].acknowledged_sample_count >= times.stop - 4)

    def requests() -> tuple[int, float]:
        asked = []
        tab.page.on("request", lambda request: asked.append(request.url))
        duration = tab.page.evaluate(OPEN_METADATA, f"/{writer.recording}")
        return len(asked), duration

    write(range(30))
    count, duration = requests()
    assert 20 < duration <= 30
    assert count <= 3
    write(range(30, 90))
    writer.finish()
    count, duration = requests()
    assert duration == pytest.approx(90, abs=0.1)
    assert count <= 3
    # FFmpeg, which reads as Chromium does, finds all pictures, and those behind a time.
    for first in (0, 85):
        probe = (
            f"ffprobe -v error -select_streams v -read_intervals {first}%90 -show_entries packet=pts_time -of csv=p=0"
        )
        command = [*probe.split(), f"{server.address}{writer.recording}"]
        found = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        assert [round(float(each.strip(","))) for each in found] == list(range(first, 90))


def test_chromium_plays_and_seeks_what_is_still_being_written(server, tab):
    name = running(server).name
    tab.page.evaluate(OPEN, f"/{name}")
    first = shown(tab, 0)
    assert shown(tab, 0.2).sequence > first.sequence
    assert tab.page.evaluate(PLAY) > 0.2
    size = server.client.recording(name).recorded_file_size
    session = server.client.recording(name).session
    frames = server.client.preview(session)
    while server.client.recording(name).recorded_file_size == size:
        next(frames)
    list(itertools.islice(frames, 5))
    # Opened again, it has more.
    before = tab.get("video.duration")
    assert tab.page.evaluate(OPEN, f"/{name}") >= before
    assert shown(tab, 0) == first
    server.client.stop_recording(name)


def shown(tab: Viewfinder, time: float) -> firstlight.timecode.Timecode:
    """The board of the picture that the <video> shows at a time."""
    found = board(tab.page.evaluate(SEEK, time))
    assert found is not None
    return found
