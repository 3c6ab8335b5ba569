"""A reader behind a slow link: what it sees is recent, and the others do not notice."""

import itertools
import statistics
import time

import pytest

import firstlight
from pace import paces
from slow_link import SlowLink
from support import Collector, refused, take
from test_stuck_reader import reading

SMALL = {"pixel_format": "NV12", "size": (640, 360), "frame_rate": 30}
PERIOD_NS = 1_000_000_000 / 30
DELAY = 0.02


def needed(client, name):
    """Bytes per second of a preview as it is asked for."""
    with client.preview(name) as preview:
        return 30 * statistics.mean(len(frame.data) for frame in take(preview, 10))


def age_ns(frame):
    """How old a frame is now: the daemon's clock is this machine's."""
    return time.monotonic_ns() - frame.monotonic_time_ns


def test_D1_a_slow_link_gets_less_and_more_again(client, daemon, session):
    name = session(start=True, **SMALL)
    link = SlowLink(daemon.address, bytes_per_second=needed(client, name) / 10)
    with (
        link,
        firstlight.connect(link.address) as far,
        client.preview(name) as near,
        far.preview(name, adaptive=True) as slow,
    ):
        beside = Collector(near)
        for frame in slow:
            if frame.width < 640:
                break
        lowest = slow.status
        assert (lowest.jpeg_quality, lowest.every_nth_frame) == (40, 2)
        assert (lowest.size.width, lowest.size.height) == (frame.width, frame.height)

        link.bytes_per_second = 1e9
        for frame in slow:
            if frame.width > lowest.size.width or slow.status.jpeg_quality > 40:
                break
    frames = beside.close()
    assert {(frame.width, frame.height) for frame in frames} == {(640, 360)}, "the other reader was touched"
    assert (near.status.jpeg_quality, near.status.every_nth_frame) == (80, 1)


def test_D1_adapting_needs_acknowledgements(client, session):
    with refused("INVALID_ARGUMENT") as refusal:
        next(client.preview(session(), adaptive=True, max_unacknowledged_frames=0))
    assert refusal.error.violations[0].field == "max_unacknowledged_frames"


# As few on the way as can be, and as many as the client allows unless told otherwise, so that a long delay does not
# halve the rate: then a frame also waits for what is left of the one before it.
@pytest.mark.parametrize(("unacknowledged", "oldest"), [(1, 2), (2, 3)])
@pytest.mark.slow
@pytest.mark.timeout(60)
def test_D1_a_tenth_of_the_bandwidth_sees_what_the_link_can_carry(
    client, daemon, session, tmp_path, unacknowledged, oldest
):
    name = session(start=True, **SMALL)
    rate = needed(client, name) / 10
    with (
        SlowLink(daemon.address, bytes_per_second=rate, delay=DELAY) as link,
        firstlight.connect(link.address) as far,
        reading(1, daemon.address, name, tmp_path) as beside,
        far.preview(name, max_unacknowledged_frames=unacknowledged) as slow,
    ):
        next(slow)
        start = time.monotonic_ns()
        # Not a list taken at once: a frame's age is that of the moment it came.
        seen = [(age_ns(frame), 1e9 * len(frame.data) / rate) for frame in itertools.islice(slow, 30)]
        (others,) = paces(beside, start, time.monotonic_ns())
    # In units of its own transmission, the link's delay apart.
    ages = [(age - DELAY * 1e9) / transmission for age, transmission in seen]
    print(f"a tenth of the bandwidth, {unacknowledged} on the way: oldest {max(ages):.2f} transmissions; {others}")
    assert max(ages) <= oldest
    others.check()


@pytest.mark.slow
@pytest.mark.timeout(60)
def test_D1_a_tenth_of_the_bandwidth_adapts_to_two_periods(client, daemon, session, tmp_path):
    name = session(start=True, **SMALL)
    rate = needed(client, name) / 10
    with (
        SlowLink(daemon.address, bytes_per_second=rate, delay=DELAY) as link,
        firstlight.connect(link.address) as far,
        reading(1, daemon.address, name, tmp_path) as beside,
        far.preview(name, adaptive=True) as slow,
    ):
        ages = []
        start = time.monotonic_ns()
        while (passed := (time.monotonic_ns() - start) / 1e9) < 20:
            frame = next(slow)
            # The link's delay is nobody's fault; what is left is.
            ages.append((passed, (age_ns(frame) - DELAY * 1e9) / PERIOD_NS))
        (others,) = paces(beside, start, time.monotonic_ns())
    settled = [age for at, age in ages if at > 4]
    recent = sum(age <= 2 for age in settled)
    print(f"adapted: median {statistics.median(settled):.2f} periods, {recent} of {len(settled)} within 2; {others}")
    # Its rate is halved at most: what is rare would be young for nothing.
    assert len(settled) >= 0.9 * 16 * 15
    # But for the trials whether the link has become faster.
    assert recent >= 0.9 * len(settled)
    others.check()
