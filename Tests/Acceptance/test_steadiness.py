"""What must hold for hours: an even pace for everybody, and nothing left behind by those who come and go.

Slow: `make soak` runs it.
"""

from __future__ import annotations

import itertools
import pathlib
import time
from collections.abc import Callable
from typing import NamedTuple

import grpc
import pytest

import firstlight
import wire
from firstlight import Encoding, video_data_output
from firstlight.daemon import Daemon
from firstlight.v1 import preview_service_pb2 as preview_pb2, video_data_service_pb2 as video_data_pb2
from pace import watch
from support import SYNTHETIC, Stubs
from test_stuck_reader import reading

pytestmark = [pytest.mark.slow, pytest.mark.timeout(420)]

READERS = 20
SECONDS = 60
CYCLES = 10_000
KILLED = 1_000
STEPS = 20


@pytest.fixture
def one_arena(monkeypatch):
    """Daemons whose threads share one heap: else each that comes may take some, and a leak is lost in megabytes."""
    monkeypatch.setenv("MALLOC_ARENA_MAX", "1")


@pytest.fixture
def streaming(own_daemon):
    """A daemon that streams 640x360 at 30 frames per second, its client, and the session."""
    daemon = own_daemon()
    with firstlight.connect(daemon.address) as client:
        session = client.create_session().name
        wanted = firstlight.configuration(
            SYNTHETIC[0],
            pixel_format="NV12",
            size=(640, 360),
            frame_rate=30,
            photo=False,
            video_data=[video_data_output("data")],
        )
        client.configure(session, wanted)
        client.start(session)
        yield daemon, client, session


def test_D1_twenty_readers_see_an_even_pace_for_a_minute(streaming, tmp_path):
    daemon, _, session = streaming
    with reading(READERS, daemon.address, session, tmp_path) as readers:
        # All of them run; what starting them took is over.
        time.sleep(2)
        seen = watch(readers, SECONDS)
    print(f"{READERS} readers, {SECONDS} s, the worst: {max(seen, key=lambda pace: pace.p99_ns)}")
    for pace in seen:
        pace.check()


class Held(NamedTuple):
    """What a process has. Of memory its own: pages of its file come with code that is used for the first time."""

    descriptors: int
    threads: int
    memory: int

    @classmethod
    def of(cls, daemon: Daemon) -> Held:
        process = pathlib.Path(f"/proc/{daemon.process.pid}")
        count = [len(list((process / folder).iterdir())) for folder in ("fd", "task")]
        status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
        return cls(*count, 1024 * sum(int(status[name].split()[0]) for name in ("RssAnon", "RssShmem")))


def settled(daemon: Daemon, at_most: Held | None = None) -> Held:
    """What it has once that stands still: the last that went are on their way out, gRPC keeps a thread for a while."""
    deadline = time.monotonic() + 20
    before, same = None, 0
    while True:
        held = Held.of(daemon)
        same = same + 1 if held == before else 0
        fits = at_most is None or (held.descriptors <= at_most.descriptors and held.threads <= at_most.threads)
        if fits and same >= 5:
            return held
        assert time.monotonic() < deadline, f"{at_most} became {held}"
        before = held
        time.sleep(0.1)


def assert_flat(daemon: Daemon, do: Callable[[int], None], times: int, leak: int, what: str) -> None:
    """Descriptors and threads are what they were after a warm-up, and each time leaves less than `leak` bytes.

    An allocator holds more at one time than at another, so the least of the second quarter is compared with that of the
    fourth: half of all times lie between them.
    """
    do(times // STEPS)
    first = settled(daemon)
    memory = []
    for _ in range(STEPS):
        do(times // STEPS)
        memory.append(settled(daemon).memory)
    last = settled(daemon, at_most=first)
    quarter = STEPS // 4
    each = (min(memory[-quarter:]) - min(memory[quarter : 2 * quarter])) / (times / 2)
    print(f"{what}: {first} -> {last}, {each:+.0f} bytes each time, of {memory}")
    assert each < leak, f"{what}: {memory}"


@pytest.mark.usefixtures("one_arena")
def test_D1_readers_that_come_and_go_leave_nothing(streaming):
    daemon, client, session = streaming
    stubs = Stubs(client.channel)

    def preview(**options: object) -> Callable[[], grpc.Call]:
        request = preview_pb2.StreamPreviewRequest(session=session, **options)
        return lambda: stubs.previews.StreamPreview(request)

    attach = itertools.cycle(
        (
            preview(encoding=preview_pb2.PREVIEW_ENCODING_JPEG),
            preview(encoding=preview_pb2.PREVIEW_ENCODING_NV12),
            preview(encoding=preview_pb2.PREVIEW_ENCODING_H264),
            preview(adaptive=True, max_unacknowledged_frames=2),
            lambda: stubs.video_data.StreamVideoData(video_data_pb2.StreamVideoDataRequest(session=session)),
        )
    )
    numbers = itertools.count()

    def come_and_go(times: int) -> None:
        # A status only, or a frame too, so that both ends of an attachment are cut short. Three and five: of each kind.
        for number, open_stream in itertools.islice(zip(numbers, attach, strict=False), times):
            stream = open_stream()
            assert next(stream).HasField("status")
            while number % 3 == 0 and not next(stream).HasField("frame"):
                pass
            stream.cancel()

    assert_flat(daemon, come_and_go, CYCLES, 100, f"{CYCLES} attached and detached")


@pytest.mark.usefixtures("one_arena")
def test_D1_clients_that_are_killed_in_the_middle_of_a_frame_leave_nothing(streaming):
    daemon, _, session = streaming

    def opening(attach: Callable[[firstlight.Client], firstlight.Stream]) -> bytes:
        def one_frame(address: str, opened: Callable[[], None]) -> None:
            with firstlight.connect(address) as client, attach(client) as frames:
                next(frames)
                opened()

        return wire.record(daemon.address, one_frame)

    def preview(**options: object) -> bytes:
        return opening(lambda client: client.preview(session, **options))

    # What opens a stream, and how many bytes surely come of it: of H.264 a key frame, of others that wait for
    # acknowledgements two frames.
    kinds = itertools.cycle(
        (
            (preview(max_unacknowledged_frames=0), 50_000),
            (preview(encoding=Encoding.NV12, max_unacknowledged_frames=0), 50_000),
            (preview(encoding=Encoding.H264, max_unacknowledged_frames=0), 2_000),
            (preview(adaptive=True), 50_000),
            (opening(lambda client: client.video_data(session)), 50_000),
        )
    )
    numbers = itertools.count()

    def kill(times: int) -> None:
        for number, (opening, bytes_to_come) in itertools.islice(zip(numbers, kinds, strict=False), times):
            wire.kill_a_client(daemon.address, opening, enough=1_000 + number * 997 % (bytes_to_come - 1_000))

    assert_flat(daemon, kill, KILLED, 500, f"{KILLED} clients killed")
