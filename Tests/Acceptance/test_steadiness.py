"""What must hold for hours: all readers get frames at an even pace, and clients that come and go leave nothing behind.

The tests are slow: `make soak` runs them.
"""

from __future__ import annotations

import itertools
import os
import pathlib
import time
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import grpc
import pytest

import firstlight
import wire
from firstlight import Encoding, video_data_output
from firstlight.daemon import Daemon
from firstlight.v1 import preview_service_pb2 as preview_pb2, types_pb2, video_data_service_pb2 as video_data_pb2
from pace import watch
from processes import thread_names
from support import SYNTHETIC, Stubs
from test_stuck_reader import reading

pytestmark = [pytest.mark.alone, pytest.mark.slow, pytest.mark.timeout(420)]

READERS = 20
SECONDS = 60
#: The counts for each of five kinds of reader. Each kind has a daemon of its own, because the holes that another kind
#: leaves in the heap would hide a leak. Ten thousand readers come and go, half of them before the measurement. A
#: thousand clients are killed. Many more are killed before the measurement, so that the daemon already has the memory
#: that it keeps for connections up to a limit.
CYCLES = 2_000
KILLED = 200
KILLED_BEFORE = 500
STEPS = 20
#: The names of threads that gRPC and Swift create when there is work and keep for a while or for ever. The number of
#: processors bounds them.
POOLS = (
    "default-executo",
    "event_engine",
    "nexting_thread",
    "grpc_global_tim",
    "resolver-execut",
    "timer_manager",
    "qos",
)


@pytest.fixture
def exact_heap(monkeypatch):
    """Makes the memory of daemons equal to what they hold: one heap for all threads, no stock of freed pieces, and
    pictures outside the heap.
    """
    for name in ("MMAP_THRESHOLD", "TRIM_THRESHOLD"):
        monkeypatch.setenv(f"MALLOC_{name}_", "32768")
    monkeypatch.setenv("MALLOC_ARENA_MAX", "1")
    monkeypatch.setenv("MALLOC_TOP_PAD_", "0")
    monkeypatch.setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0")


@pytest.fixture
def streaming(own_daemon):
    """A daemon that streams 640x360 at 30 frames per second, a client of this daemon, and the name of the session."""
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
        # All readers run, and the load of their start is over.
        time.sleep(2)
        seen = watch(readers, SECONDS)
    print(f"{READERS} readers, {SECONDS} s, the worst: {max(seen, key=lambda pace: pace.p99_ns)}")
    for pace in seen:
        pace.check()


class Held(NamedTuple):
    """The resources of a process. Memory is anonymous and shared memory only, since code that is used for the first
    time adds pages of its file.
    """

    descriptors: int
    #: The threads by name, without those of the pools.
    threads: Counter[str]
    pooled: int
    memory: int

    @classmethod
    def of(cls, daemon: Daemon) -> Held:
        process = pathlib.Path(f"/proc/{daemon.process.pid}")
        names = Counter(thread_names(daemon.process.pid))
        pooled = {name for name in names if any(pool in name for pool in POOLS)}
        status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
        return cls(
            len(list((process / "fd").iterdir())),
            Counter({name: count for name, count in names.items() if name not in pooled}),
            sum(names[name] for name in pooled),
            1024 * sum(int(status[name].split()[0]) for name in ("RssAnon", "RssShmem", "VmSwap")),
        )

    def is_within(self, first: Held) -> bool:
        """Whether it has no more descriptors and threads than `first`, apart from the growth that pools may have."""
        more = first.pooled + 4 * (os.cpu_count() or 1)
        return self.descriptors <= first.descriptors and self.threads <= first.threads and self.pooled <= more


def settled(daemon: Daemon, at_most: Held | None = None) -> Held:
    """The resources once they stand still, after the last clients have gone. Fails after 20 s."""
    deadline = time.monotonic() + 20
    before, same = None, 0
    while True:
        held = Held.of(daemon)
        same = same + 1 if held == before else 0
        if same >= 5 and (at_most is None or held.is_within(at_most)):
            return held
        assert time.monotonic() < deadline, f"{at_most} became {held}"
        before = held
        time.sleep(0.1)


def assert_flat(daemon: Daemon, come: Callable[[int], None], before: int, times: int, leak: int, what: str) -> None:
    """Checks that descriptors and threads return to their counts, and that each client leaves less than `leak` bytes.

    `before` clients come before the measurement, so that memory that is made once and kept does not count. The heap
    varies over time, so the check compares the least of the first quarter with the least of the last.
    """
    first = settled(daemon)
    come(before)
    memory = []
    for _ in range(STEPS):
        come(times // STEPS)
        memory.append(settled(daemon).memory)
    last = settled(daemon, at_most=first)
    quarter = STEPS // 4
    each = (min(memory[-quarter:]) - min(memory[:quarter])) / (times * 3 / 4)
    print(f"{what}: {first} -> {last}, {each:+.0f} bytes each time, of {memory}")
    assert each < leak, f"{what}: {memory}"


def preview(**options: object) -> Callable[[Stubs, str], grpc.Call]:
    """A function that opens a preview of a session."""
    return lambda stubs, session: stubs.previews.StreamPreview(
        preview_pb2.StreamPreviewRequest(session=session, **options)
    )


COMING = {
    "JPEG": preview(encoding=types_pb2.ENCODING_JPEG),
    "NV12": preview(pixel_format="NV12"),
    "H264": preview(encoding=types_pb2.ENCODING_H264),
    "adaptive": preview(adaptive=True, max_unacknowledged_frames=2),
    "video data": lambda stubs, session: stubs.video_data.StreamVideoData(
        video_data_pb2.StreamVideoDataRequest(session=session)
    ),
}


@pytest.mark.usefixtures("exact_heap")
@pytest.mark.parametrize("kind", COMING)
def test_D1_readers_that_come_and_go_leave_nothing(streaming, kind):
    daemon, client, session = streaming
    stubs = Stubs(client.channel)

    def come_and_go(times: int) -> None:
        # Some streams end after the status and some after a frame, so that both stages of an attachment are
        # interrupted.
        for number in range(times):
            stream = COMING[kind](stubs, session)
            assert next(stream).HasField("status")
            while number % 3 == 0 and not next(stream).HasField("frame"):
                pass
            stream.cancel()

    assert_flat(daemon, come_and_go, CYCLES // 2, CYCLES // 2, 100, f"attached and detached, {kind}")


# For each kind the function that opens a stream, and the bytes that surely come. For H.264 they are one key frame. For
# an adaptive preview they are one frame: the second may be smaller, or wait until the first is acknowledged.
KILLED_KINDS = {
    "JPEG": (lambda client, session: client.preview(session, max_unacknowledged_frames=0), 50_000),
    "NV12": (
        lambda client, session: client.preview(session, pixel_format="NV12", max_unacknowledged_frames=0),
        50_000,
    ),
    "H264": (
        lambda client, session: client.preview(session, encoding=Encoding.H264, max_unacknowledged_frames=0),
        2_000,
    ),
    "adaptive": (lambda client, session: client.preview(session, adaptive=True), 25_000),
    "video data": (lambda client, session: client.video_data(session), 50_000),
}


@pytest.mark.usefixtures("exact_heap")
@pytest.mark.parametrize("kind", KILLED_KINDS)
def test_D1_clients_that_are_killed_in_the_middle_of_a_frame_leave_nothing(streaming, kind):
    daemon, _, session = streaming
    attach, bytes_to_come = KILLED_KINDS[kind]

    def one_frame(address: str, opened: Callable[[], None]) -> None:
        with firstlight.connect(address) as client, attach(client, session) as frames:
            next(frames)
            opened()

    opening = wire.record(daemon.address, one_frame)
    numbers = itertools.count()

    def kill(times: int) -> None:
        for number in itertools.islice(numbers, times):
            wire.kill_a_client(daemon.address, opening, enough=1_000 + number * 997 % (bytes_to_come - 1_000))

    assert_flat(daemon, kill, KILLED_BEFORE, KILLED, 500, f"clients killed, {kind}")
