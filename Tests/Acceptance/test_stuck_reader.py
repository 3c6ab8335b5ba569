"""A reader that stops reading slows no other reader, costs no memory, and sees the present as soon as it reads again.

The tests are slow, since a reader must be stopped for longer than gRPC's own time-out of 20 seconds: `make soak` runs
them.
"""

from __future__ import annotations

import itertools
import signal
import time
from typing import NamedTuple

import pytest

import firstlight
from readers import SECOND, Reader, Row, reading
from support import SYNTHETIC, resident_bytes

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

PERIOD = SECOND // 30
STOPPED_SECONDS = 30
# The time is long enough to measure a rate, before the stop and after it.
SETTLED_SECONDS = 6


@pytest.fixture
def address_and_session(own_daemon):
    """A daemon that streams 1080p at 30 frames per second, and the name of the session."""
    daemon = own_daemon()
    with firstlight.connect(daemon.address) as client:
        session = client.create_session().name
        wanted = firstlight.configuration(SYNTHETIC[0], pixel_format="NV12", size=(1920, 1080), frame_rate=30)
        client.configure(session, wanted)
        client.start(session)
        yield daemon, session


class Measured(NamedTuple):
    """The effects of a stopped reader: the rates of the others, the growth of the daemon, and the frames after it
    resumed.
    """

    before: list[float]
    during: list[float]
    grown_bytes: int
    stale: list[Row]
    fresh_after_ns: int


def stop_one(daemon, others: list[Reader], stuck: Reader) -> Measured:
    """Stops a reader for half a minute and measures this reader, the others and the daemon."""
    start = time.monotonic_ns()
    time.sleep(SETTLED_SECONDS)
    memory = resident_bytes(daemon.process.pid)
    stuck.process.send_signal(signal.SIGSTOP)
    stopped = time.monotonic_ns()
    highest = memory
    for _ in range(STOPPED_SECONDS):
        time.sleep(1)
        highest = max(highest, resident_bytes(daemon.process.pid))
    resumed = time.monotonic_ns()
    stuck.process.send_signal(signal.SIGCONT)
    time.sleep(SETTLED_SECONDS)

    rows = stuck.rows(resumed)
    assert stuck.process.poll() is None, "the stopped reader lost its connection"
    assert rows, "the stopped reader got nothing more"
    # The stale frames that the reader got after it resumed, from any buffer. The frame being sent at that moment does
    # not count.
    stale = [row for row in rows if row.capture_ns < resumed - 3 * PERIOD]
    fresh = next(row for row in rows if row.age_ns < 3 * PERIOD)
    return Measured(
        [reader.rate(start, stopped) for reader in others],
        [reader.rate(stopped, resumed) for reader in others],
        highest - memory,
        stale,
        fresh.arrival_ns - resumed,
    )


def report(name: str, measured: Measured) -> None:
    """Prints the figures. `pytest -rP` shows them."""
    stale_bytes = sum(row.size for row in measured.stale)
    print(
        f"{name}: others {min(measured.before):.1f} -> {min(measured.during):.1f} fps at least,"
        f" daemon {measured.grown_bytes / 1e6:+.1f} MB, stale {len(measured.stale)} frames {stale_bytes / 1e6:.2f} MB,"
        f" fresh after {measured.fresh_after_ns / 1e6:.0f} ms"
    )


def check(measured: Measured) -> None:
    """Checks what holds for every kind of reader."""
    for before, during in zip(measured.before, measured.during, strict=True):
        assert during > 0.95 * before, "another reader was slowed down"
    assert measured.grown_bytes < 20e6
    assert measured.fresh_after_ns < SECOND


KINDS = {
    "package": ((), 1_000_000),
    "stock": (("--stock",), 6_000_000),
    "acknowledging": (("--unacknowledged", "2"), None),
}


@pytest.mark.parametrize("kind", KINDS)
def test_D1_one_of_twenty_readers_is_stuck(address_and_session, tmp_path, kind):
    daemon, session = address_and_session
    options, most_stale_bytes = KINDS[kind]
    with (
        reading(19, daemon.address, session, tmp_path) as others,
        reading(1, daemon.address, session, tmp_path, *options) as (stuck,),
    ):
        measured = stop_one(daemon, others, stuck)
    report(f"20 JPEG readers, one {kind} reader stuck", measured)
    check(measured)
    if most_stale_bytes is None:
        assert len(measured.stale) <= 2
    else:
        assert sum(row.size for row in measured.stale) <= most_stale_bytes


@pytest.mark.parametrize("kind", KINDS)
def test_D1_one_of_four_raw_readers_is_stuck(address_and_session, tmp_path, kind):
    daemon, session = address_and_session
    options, most_stale_bytes = KINDS[kind]
    raw = ("--encoding", "NV12")
    with (
        reading(3, daemon.address, session, tmp_path, *raw) as others,
        reading(1, daemon.address, session, tmp_path, *raw, *options) as (stuck,),
    ):
        measured = stop_one(daemon, others, stuck)
    report(f"4 raw readers, one {kind} reader stuck", measured)
    check(measured)
    if most_stale_bytes is None:
        assert len(measured.stale) <= 2
        return
    # Once a message has begun, gRPC sends all of it, so one message is always stale.
    stale_bytes = sum(row.size for row in measured.stale) - 1920 * 1080 * 3 // 2
    assert stale_bytes <= most_stale_bytes


def test_D1_a_reader_slower_than_the_camera_sees_the_present_for_a_minute(address_and_session, tmp_path):
    daemon, session = address_and_session
    options = ("--unacknowledged", "2", "--seconds-per-frame", "0.3")
    with reading(1, daemon.address, session, tmp_path, *options) as (reader,):
        time.sleep(60)
        rows = reader.rows()
    assert len(rows) > 100
    for before_last, _, row in zip(rows, rows[1:], rows[2:], strict=False):
        # When the reader consumed the frame before the last, this frame was the newest, so it is at most three periods
        # older.
        assert row.age_ns <= row.arrival_ns - before_last.arrival_ns + 3 * PERIOD
    assert all(a.sequence < b.sequence for a, b in itertools.pairwise(rows))
    print(f"slow reader: {len(rows)} frames, oldest {max(row.age_ns for row in rows[2:]) / 1e6:.0f} ms")
