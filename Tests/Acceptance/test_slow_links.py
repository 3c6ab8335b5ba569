"""A reader behind a slow link sees recent frames, and the other readers do not notice it."""

import itertools
import statistics
import time

import pytest

import firstlight
from firstlight.v1 import preview_service_pb2 as preview_pb2
from pace import paces
from slow_link import SlowLink
from support import Collector, Stubs, refused, take
from test_stuck_reader import reading

pytestmark = pytest.mark.alone

SMALL = {"pixel_format": "NV12", "size": (640, 360), "frame_rate": 30}
PERIOD_NS = 1_000_000_000 / 30
DELAY = 0.02
#: Half the JPEG quality that was asked for.
LOWEST = 40


def needed(client, name):
    """The bytes per second of a preview in the quality asked for."""
    with client.preview(name) as preview:
        return 30 * statistics.mean(len(frame.data) for frame in take(preview, 10))


def age_ns(frame):
    """The age of a frame now, in nanoseconds. The daemon and this process share the clock."""
    return time.monotonic_ns() - frame.monotonic_time_ns


class Adapted:
    """An adaptive preview over a link of its own. It keeps each combination of quality, rate and width that the status
    reported.
    """

    def __init__(self, address, session):
        self._client = firstlight.connect(address)
        self._previews = Stubs(self._client.channel).previews
        request = preview_pb2.StreamPreviewRequest(session=session, adaptive=True, max_unacknowledged_frames=2)
        self._call = self._previews.StreamPreview(request)
        self._acknowledgements = []
        self.status = None
        self.given = []

    def frames(self):
        for response in self._call:
            if response.HasField("status"):
                status = self.status = response.status
                token, given = status.stream_token, (status.jpeg_quality, status.every_nth_frame, status.size.width)
                self.given += [given] if given not in self.given[-1:] else []
                continue
            yield response.frame
            request = preview_pb2.AcknowledgeFramesRequest(stream_token=token, sequence=response.frame.sequence)
            # gRPC cancels a call that has no reference any more.
            self._acknowledgements.append(self._previews.AcknowledgeFrames.future(request))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._call.cancel()
        self._client.close()


def check_order(given):
    """Checks the order of the steps: first the quality falls, then the rate, then the size. They rise in the reverse
    order.
    """
    for quality, every, width in given:
        assert every == 1 or quality == LOWEST, given
        assert width == 640 or every == 2, given


@pytest.mark.parametrize(
    "full",
    [
        pytest.param(False, marks=pytest.mark.timeout(30)),
        pytest.param(True, marks=[pytest.mark.slow, pytest.mark.timeout(90)]),
    ],
    ids=["a-step", "all"],
)
def test_D1_a_slow_link_gets_less_and_more_again(client, daemon, session, full):
    name = session(start=True, **SMALL)
    with (
        SlowLink(daemon.address, bytes_per_second=1e9) as link,
        client.preview(name) as near,
        Adapted(link.address, name) as slow,
    ):
        beside = Collector(near)
        frames = slow.frames()
        while slow.given[-1:] == [] or slow.given[-1][2] == 640:
            # The link becomes a little slower than the present need. A much slower link would skip steps that do not
            # help.
            seen = take(frames, 5)
            quality, every, width = slow.given[-1]
            link.bytes_per_second = 0.9 * statistics.mean(len(frame.data) for frame in seen) * 30 / every
            next(frame for frame in frames if slow.given[-1] != (quality, every, width))
        down = slow.given.copy()
        assert down[0] == (80, 1, 640)
        assert sorted(down, key=lambda given: (-given[0], given[1], -given[2])) == down
        check_order(down)
        assert (frame := next(frame for frame in frames if frame.width < 640)).width == down[-1][2], frame
        assert frame.height == slow.status.size.height

        link.bytes_per_second = 1e9
        next(frame for frame in frames if slow.given[-1] == (80, 1, 640) or (not full and slow.given[-1] != down[-1]))
        up = slow.given[len(down) :]
        check_order(up)
        assert up[0][2] > down[-1][2]
        if full:
            # The steps go back one by one, since a link with room looks the same however large the room is.
            assert {(LOWEST, 2, 640), (LOWEST, 1, 640)} < set(up)
            restored = take(frames, 10)
            assert {(frame.width, frame.height) for frame in restored} == {(640, 360)}
            assert statistics.median(b.sequence - a.sequence for a, b in itertools.pairwise(restored)) == 1
    frames = beside.close()
    assert {(frame.width, frame.height) for frame in frames} == {(640, 360)}, "the other reader was touched"
    assert (near.status.jpeg_quality, near.status.every_nth_frame) == (80, 1)


def test_D1_adapting_needs_acknowledgements(client, session):
    with refused("INVALID_ARGUMENT") as refusal:
        next(client.preview(session(), adaptive=True, max_unacknowledged_frames=0))
    assert refusal.error.violations[0].field == "max_unacknowledged_frames"


# First the fewest frames under way, then the default, which spares a link with a long delay from half the rate. With
# two frames under way, a frame also waits for the rest of the one before it.
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
        # A frame's age counts at the moment when the frame comes, so the test does not collect frames before it
        # computes ages.
        seen = [(age_ns(frame), 1e9 * len(frame.data) / rate) for frame in itertools.islice(slow, 30)]
        (others,) = paces(beside, start, time.monotonic_ns())
    # The age in units of the frame's transmission time, without the link's delay.
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
            # The link's delay is not the daemon's, so the age counts without it.
            ages.append((passed, (age_ns(frame) - DELAY * 1e9) / PERIOD_NS))
        (others,) = paces(beside, start, time.monotonic_ns())
    settled = [age for at, age in ages if at > 4]
    recent = sum(age <= 2 for age in settled)
    print(f"adapted: median {statistics.median(settled):.2f} periods, {recent} of {len(settled)} within 2; {others}")
    # The rate is halved at most. A few rare frames would be young without any merit.
    assert len(settled) >= 0.9 * 16 * 15
    # The other frames belong to trials whether the link has become faster.
    assert recent >= 0.9 * len(settled)
    others.check()
