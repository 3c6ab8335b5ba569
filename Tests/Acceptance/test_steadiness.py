"""What must hold for hours: an even pace for everybody, and nothing left behind by those who come and go.

Slow: `make soak` runs it.
"""

from __future__ import annotations

import itertools
import pathlib
import time
from collections.abc import Callable
from typing import NamedTuple

import pytest

import firstlight
import wire
from firstlight.daemon import Daemon
from firstlight.v1 import preview_service_pb2 as preview_pb2
from pace import watch
from support import SYNTHETIC, Stubs, resident_bytes
from test_stuck_reader import reading

pytestmark = [pytest.mark.slow, pytest.mark.timeout(420)]

READERS = 20
SECONDS = 60
CYCLES = 10_000
KILLED = 1_000
WARM_UP = 500


@pytest.fixture
def streaming(own_daemon):
    """A daemon that streams 640x360 at 30 frames per second, its client, and the session."""
    daemon = own_daemon()
    with firstlight.connect(daemon.address) as client:
        session = client.create_session().name
        wanted = firstlight.configuration(
            SYNTHETIC[0], pixel_format="NV12", size=(640, 360), frame_rate=30, photo=False
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
    """What a process has."""

    descriptors: int
    threads: int
    resident: int

    @classmethod
    def of(cls, daemon: Daemon) -> Held:
        pid = daemon.process.pid
        count = [len(list(pathlib.Path(f"/proc/{pid}/{folder}").iterdir())) for folder in ("fd", "task")]
        return cls(*count, resident_bytes(pid))


def assert_flat(daemon: Daemon, before: Held, what: str) -> None:
    """Nothing is left; the last that went may still be on their way out, and gRPC keeps a thread for a while."""
    deadline = time.monotonic() + 20
    while True:
        after = Held.of(daemon)
        if after.descriptors <= before.descriptors and after.threads <= before.threads:
            break
        assert time.monotonic() < deadline, f"{what}: {before} became {after}"
        time.sleep(0.5)
    print(f"{what}: {before} -> {after}, {(after.resident - before.resident) / 1e6:+.1f} MB")
    assert after.resident - before.resident < 4e6, f"{what}: {before} became {after}"


def test_D1_readers_that_come_and_go_leave_nothing(streaming):
    daemon, client, session = streaming
    previews = Stubs(client.channel).previews
    encodings = itertools.cycle([preview_pb2.PREVIEW_ENCODING_JPEG, preview_pb2.PREVIEW_ENCODING_NV12])

    def come_and_go(times: int) -> None:
        # A status only, then a frame too, so that both ends of an attachment are cut short.
        for index, encoding in zip(range(times), encodings, strict=False):
            stream = previews.StreamPreview(preview_pb2.StreamPreviewRequest(session=session, encoding=encoding))
            next(stream)
            if index % 10 == 0:
                next(stream)
            stream.cancel()

    come_and_go(WARM_UP)
    before = Held.of(daemon)
    come_and_go(CYCLES)
    assert_flat(daemon, before, f"{CYCLES} attached and detached")


def test_D1_clients_that_are_killed_in_the_middle_of_a_frame_leave_nothing(streaming):
    daemon, _, session = streaming

    def one_frame(address: str, opened: Callable[[], None]) -> None:
        with firstlight.connect(address) as client, client.preview(session, max_unacknowledged_frames=0) as preview:
            next(preview)
            opened()

    opening = wire.record(daemon.address, one_frame)

    def kill(count: int) -> None:
        for number in range(count):
            wire.kill_a_client(daemon.address, opening, enough=10_000 + number * 97 % 50_000)

    kill(WARM_UP // 10)
    before = Held.of(daemon)
    kill(KILLED)
    assert_flat(daemon, before, f"{KILLED} clients killed")
