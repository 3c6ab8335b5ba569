"""Recorders and players see a preview as live H.264 over HTTP, in MPEG-TS and in MP4."""

from __future__ import annotations

import contextlib
import io
import itertools
import subprocess
import time

import av
import numpy as np
import pytest

import firstlight
from browser import board as canvas_board
from captures import SMALL
from firstlight import Encoding
from firstlight.v1 import session_pb2
from http_rpc import HTTPEndpoint
from live_video import CONTAINERS, Body, asking, connected, pictures, watching
from metrics import Page
from processes import thread_names
from support import SYNTHETIC, TIMEOUT, Collector, take, wait_until

LARGE = {"pixel_format": "NV12", "size": (1920, 1080), "frame_rate": 30}
MEDIUM = {**SMALL, "size": (640, 360)}
TYPES = {"mpegts": "video/mp2t", "mp4": "video/mp4"}
ON_DEMAND = """
sessions:
  door:
    start: on-demand
    idle-timeout: 0.2
    inputs:
      - device: devices/synthetic-0
        format: {pixel_format: NV12, width: 320, height: 180}
    preview: {}
"""

both = pytest.mark.parametrize("container", CONTAINERS)


@pytest.fixture
def serve(own_daemon, tmp_path):
    """Starts a daemon whose only session `front` runs: the daemon, the HTTP endpoint and a client."""
    file = tmp_path / "firstlight.yaml"
    file.write_text("sessions: {}\n")
    with contextlib.ExitStack() as stack:

        def start(size=SMALL):
            daemon = own_daemon("--http-listen", "127.0.0.1:0", "--config", str(file))
            client = stack.enter_context(firstlight.connect(daemon.address, timeout=8))
            client.create_session("front")
            client.configure("sessions/front", firstlight.configuration(SYNTHETIC[0], **size))
            client.start("sessions/front")
            return daemon, HTTPEndpoint.of(tmp_path / "firstlightd.log"), client

        yield start


def encoders(daemon):
    """The names of the threads that encode for previews."""
    return [name for name in thread_names(daemon.process.pid) if name.startswith("preview-")]


@pytest.mark.timeout(30)
@both
def test_ffprobe_and_ffmpeg_read_the_stream(serve, container):
    _, endpoint, _ = serve()
    address = endpoint.origin + CONTAINERS[container]
    quiet = ["-v", "error", "-analyzeduration", "500000"]
    entries = ["-show_entries", "stream=codec_name,width,height", "-of", "csv=p=0"]
    told = subprocess.run(
        ["ffprobe", *quiet, *entries, address], capture_output=True, text=True, timeout=TIMEOUT, check=True
    )
    assert told.stdout.split()[0] == "h264,320,180"
    decode = ["ffmpeg", *quiet, "-i", address, "-frames:v", "60", "-fps_mode", "passthrough"]
    raw = subprocess.run([*decode, "-pix_fmt", "gray", "-f", "rawvideo", "-"], capture_output=True, timeout=20)
    assert (raw.returncode, raw.stderr) == (0, b"")
    frames = np.frombuffer(raw.stdout, np.uint8).reshape(-1, 180, 320)
    boards = [firstlight.timecode.decode(frame) for frame in frames]
    assert len(boards) == 60
    steps = [after.sequence - before.sequence for before, after in itertools.pairwise(boards)]
    # A busy machine does not make a picture of every frame.
    assert min(steps) >= 1
    assert steps.count(1) > 15


@both
def test_the_times_are_those_of_the_capture(serve, container):
    _, endpoint, client = serve()
    with client.preview("sessions/front", encoding=Encoding.H264) as preview:
        others = Collector(preview)
        others.wait_for(len)
        with watching(endpoint, container) as video:
            seen = take(video, 45)
        others.wait_for(lambda frames: frames[-1].sequence >= seen[-1].board.sequence)
        times = {frame.sequence: frame.monotonic_time_ns for frame in others.close()}
    assert seen[0].time == 0
    assert seen[0].is_key_frame
    known = [picture for picture in seen if picture.board.sequence in times]
    assert len(known) > 20
    for picture in known:
        picture.check_time(known[0], times)


@both
def test_a_viewer_begins_with_a_key_frame_at_once(serve, container):
    _, endpoint, client = serve()
    with client.preview("sessions/front", encoding=Encoding.H264) as preview:
        others = Collector(preview)
        newest = others.wait_for(lambda frames: len(frames) > 35)[-1].sequence
        with watching(endpoint, container) as video:
            first = next(video)
        assert first.is_key_frame
        # Without a request there is a key frame every 300 pictures. A busy machine takes long to open the page.
        assert newest <= first.board.sequence <= newest + 150
        others.wait_for(lambda frames: frames[-1].sequence >= first.board.sequence)
        keys = {frame.sequence for frame in others.close() if frame.key_frame}
    assert first.board.sequence in keys, "it is one for all viewers of the encoding"


@pytest.mark.alone
@both
def test_viewers_in_a_row_begin_with_a_key_frame_at_once(serve, container):
    """The encoder has key frames in store, so a viewer need not wait because another one came shortly before."""
    _, endpoint, client = serve()
    with client.preview("sessions/front", encoding=Encoding.H264) as preview:
        others = Collector(preview)
        count = len(others.wait_for(len))
        waits = []
        for _ in range(5):
            newest = others.wait_for(lambda frames, seen=count: len(frames) > seen)[-1].sequence
            with asking(endpoint, container) as response, av.open(Body(response), format=container) as stream:
                first = next(pictures(stream))
            assert first.is_key_frame
            waits.append(first.board.sequence - newest)
            count = len(others.wait_for(len))
    # A busy machine takes long to ask now and then.
    assert min(waits) >= 0
    assert sorted(waits)[2] <= 2, waits


@both
def test_a_picture_leaves_the_daemon_before_the_next_one_is_taken(serve, container):
    _, endpoint, _ = serve()
    data = bytearray()
    # The second picture comes ten seconds after the first one, and the whole first one is there before it.
    with asking(endpoint, container, "fps=0.1") as response:
        boards = []
        while not boards:
            data += response.read1(1 << 20)
            file = io.BytesIO(bytes(data))
            with contextlib.suppress(av.error.FFmpegError, IndexError), av.open(file, format=container) as stream:
                boards = list(pictures(stream))
    assert len(boards) == 1
    assert boards[0].is_key_frame


@pytest.mark.timeout(60)
@both
def test_a_viewer_that_does_not_read_goes_on_with_a_key_frame(serve, container):
    _, endpoint, client = serve(LARGE)
    with (
        connected(endpoint, container, "quality=100") as reply,
        client.preview("sessions/front", encoding=Encoding.H264, jpeg_quality=100) as preview,
    ):
        others = Collector(preview)
        while reply.readline() != b"\r\n":
            pass
        with av.open(Body(reply), format=container, options={"probesize": "100000", "analyzeduration": "0"}) as stream:
            video = pictures(stream)
            seen = take(video, 5)
            time.sleep(2)
            stopped = others.wait_for(len)[-1].sequence
            while seen[-1].board.sequence < stopped + 10:
                seen.append(next(video))
        times = {frame.sequence: frame.monotonic_time_ns for frame in others.close()}
    lost = [(a, b) for a, b in itertools.pairwise(seen) if not times.keys().isdisjoint(between(a, b))]
    assert lost, "the kernel kept all of it"
    assert all(after.is_key_frame for _, after in lost)
    known = [picture for picture in seen if picture.board.sequence in times]
    for picture in known:
        picture.check_time(known[0], times)


def between(before, after):
    """The numbers of the frames between two pictures."""
    return range(before.board.sequence + 1, after.board.sequence)


def test_all_viewers_share_one_encoder(serve):
    daemon, endpoint, client = serve()
    with contextlib.ExitStack() as stack:
        viewers = [stack.enter_context(watching(endpoint, container)) for container in [*CONTAINERS, "mp4"]]
        next(stack.enter_context(client.preview("sessions/front", encoding=Encoding.H264)))
        for viewer in viewers:
            take(viewer, 3)
        assert encoders(daemon) == ["preview-H264"]
        page = Page(endpoint.ask("GET", "/metrics")[1].decode())
        assert page("firstlight_output_readers", session="sessions/front", output="preview") == 4
    wait_until(lambda: not encoders(daemon))


@both
def test_the_parameters_mean_what_they_mean_for_motion_jpeg(serve, container):
    _, endpoint, _ = serve()
    with watching(endpoint, container, "session=sessions%2Ffront&width=160&fps=10&quality=95") as video:
        seen = take(video, 8)
    # The first picture comes at once, at any time between two others.
    assert seen[-1].time - seen[1].time == pytest.approx(6 / 10, rel=0.2)
    with asking(endpoint, container, "width=160") as response, av.open(Body(response), format=container) as stream:
        assert (stream.streams.video[0].width, stream.streams.video[0].height) == (160, 90)


@both
def test_a_new_size_ends_the_stream(serve, container):
    _, endpoint, client = serve()
    with asking(endpoint, container) as response, asking(endpoint, container, "width=160") as other:
        small = av.open(Body(other), format=container)
        shown = pictures(small)
        next(shown)
        data = bytearray()
        while len(data) < 20_000:
            data += response.read1(1 << 16)
        client.configure("sessions/front", firstlight.configuration(SYNTHETIC[0], **MEDIUM))
        # The body ends with its last chunk, which a broken connection would leave out.
        data += response.read()
        # A viewer whose pictures stay as they are sees a gap.
        newer = next(picture for picture in shown if picture.time > 0.5)
        assert newer.board is not None
        small.close()
    with av.open(io.BytesIO(bytes(data)), format=container) as stream:
        boards = list(pictures(stream))
    assert boards[0].is_key_frame
    assert len(boards) > 2
    with asking(endpoint, container) as response, av.open(Body(response), format=container) as stream:
        assert (stream.streams.video[0].width, stream.streams.video[0].height) == (640, 360)


@both
def test_a_stream_ends_with_its_session(serve, container):
    _, endpoint, client = serve()
    with asking(endpoint, container) as response:
        assert response.read1(1 << 16)
        client.delete_session("sessions/front")
        response.read()
    assert endpoint.ask("GET", CONTAINERS[container])[0].status == 404


@both
def test_a_viewer_starts_the_camera(own_daemon, tmp_path, container):
    file = tmp_path / "firstlight.yaml"
    file.write_text(ON_DEMAND)
    daemon = own_daemon("--http-listen", "127.0.0.1:0", "--config", str(file))
    endpoint = HTTPEndpoint.of(tmp_path / "firstlightd.log")
    with firstlight.connect(daemon.address, timeout=TIMEOUT) as client:
        state = session_pb2.Session.State
        assert endpoint.ask("HEAD", CONTAINERS[container])[0].status == 200
        assert client.session("sessions/door").state == state.STATE_STOPPED
        with watching(endpoint, container) as video:
            assert next(video).is_key_frame
            assert client.session("sessions/door").state == state.STATE_RUNNING
        wait_until(lambda: client.session("sessions/door").state == state.STATE_STOPPED)


@both
@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_only_clients_of_http_1_1_get_chunks(serve, container, version):
    _, endpoint, client = serve()
    with connected(endpoint, container, version=version) as reply:
        head = [line.rstrip().lower() for line in iter(reply.readline, b"\r\n")]
        assert head[0] == f"http/{version} 200 ok".encode()
        assert f"content-type: {TYPES[container]}".encode() in head
        assert (b"transfer-encoding: chunked" in head) == (version == "1.1")
        client.delete_session("sessions/front")
        if version == "1.0":
            while reply.read(65536):
                pass
            return
        while count := int(reply.readline(), 16):
            reply.read(count + 2)
        assert reply.readline() == b"\r\n"


def test_head_has_no_viewer(serve):
    daemon, endpoint, _ = serve()
    for container, page in CONTAINERS.items():
        response, body = endpoint.ask("HEAD", page)
        assert (response.status, body) == (200, b"")
        assert response.headers["Content-Type"] == TYPES[container]
    assert encoders(daemon) == []


def test_a_wrong_query_gets_a_sentence(serve):
    _, endpoint, _ = serve()
    queries = (
        ("session=back", 404, "back"),
        ("output=back", 404, "back"),
        ("width=x", 400, "from 2 to 65535"),
    )
    for page, (query, status, words) in itertools.product(CONTAINERS.values(), queries):
        for method in ("GET", "HEAD"):
            response, body = endpoint.ask(method, f"{page}?{query}")
            assert (response.status, response.headers["Content-Type"]) == (status, "text/plain; charset=utf-8")
            assert words in body.decode() or method == "HEAD"


def test_a_video_of_another_site_does_not_reach_the_camera(serve):
    daemon, endpoint, _ = serve()
    for page, (mode, place) in itertools.product(CONTAINERS.values(), (("no-cors", "video"), ("navigate", "document"))):
        fields = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": place}
        assert endpoint.ask("GET", page, **fields)[0].status == 403
    assert encoders(daemon) == []


@pytest.mark.timeout(60)
@pytest.mark.parametrize("way", ["address", "media source"])
def test_chromium_plays_the_mp4(serve, context, way):
    """As the address of a video Chromium reads it by FFmpeg, and as a media source by a reader of its own."""
    _, endpoint, _ = serve(MEDIUM)
    page = context.new_page()
    page.goto(f"{endpoint.origin}/healthz")
    told = page.evaluate(PLAY, way)
    boards = [canvas_board(data) for data in told]
    assert all(boards)
    assert boards[0].sequence < boards[-1].sequence


#: Plays the stream, and gives what a canvas shows of the first picture and of one half a second later.
PLAY = """async (way) => {
    const video = document.createElement('video');
    video.muted = true;
    document.body.append(video);
    if (way === 'address') video.src = '/stream.mp4';
    else {
        const source = new MediaSource();
        video.src = URL.createObjectURL(source);
        await new Promise((resolve) => source.addEventListener('sourceopen', resolve, { once: true }));
        const reader = (await fetch('/stream.mp4')).body.getReader();
        let bytes = new Uint8Array();
        const more = async () => {
            const { value } = await reader.read();
            const joined = new Uint8Array(bytes.length + value.length);
            joined.set(bytes);
            joined.set(value, bytes.length);
            bytes = joined;
        };
        let place = -1;
        while (place < 0) {
            await more();
            place = bytes.findIndex((_, index) => String.fromCharCode(...bytes.slice(index, index + 4)) === 'avcC');
        }
        const profile = [...bytes.slice(place + 5, place + 8)].map((each) => each.toString(16).padStart(2, '0'));
        const buffer = source.addSourceBuffer(`video/mp4; codecs="avc1.${profile.join('')}"`);
        (async () => {
            for (;;) {
                if (!bytes.length) await more();
                const updated = new Promise((resolve) => buffer.addEventListener('updateend', resolve, { once: true }));
                buffer.appendBuffer(bytes);
                bytes = new Uint8Array();
                await updated;
            }
        })();
    }
    const shown = () => new Promise((resolve, reject) => {
        video.addEventListener('error', () => reject(new Error(video.error.message)));
        video.requestVideoFrameCallback(() => {
            const canvas = document.createElement('canvas');
            [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
            canvas.getContext('2d').drawImage(video, 0, 0);
            resolve(canvas.toDataURL());
        });
    });
    const first = shown();
    video.play();
    const pictures = [await first];
    // A media source stops at a gap, which a busy machine leaves where it lost pictures.
    const jumping = setInterval(() => {
        const { buffered, currentTime } = video;
        for (let index = 1; index < buffered.length; index += 1) {
            const end = buffered.end(index - 1);
            if (Math.abs(currentTime - end) < 0.1) video.currentTime = buffered.start(index);
        }
    }, 100);
    do pictures.splice(1, 1, await shown()); while (video.currentTime < 0.5);
    clearInterval(jumping);
    return pictures;
}"""
