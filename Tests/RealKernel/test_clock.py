"""A machine whose clock begins in 1970, as that of a board without a battery does, until the time comes from the
network.
"""

import itertools
import json
import time
from collections.abc import Callable

import pytest

import firstlight
from client import PATIENCE
from daemons import ADDRESS, own_daemon

DOOR = """
sessions:
  door:
    inputs:
      - device: devices/synthetic-0
        format: {pixel_format: NV12, width: 320, height: 180}
        frame_rate_override: {numerator: 10, denominator: 1}
    preview: {}
    record: {segment-duration: 2}
"""
#: The beginning of 2026, before which no clock is right.
EARLIEST = 1_767_225_600


@pytest.fixture
def clock():
    """A function that sets the clock of the machine to a time in seconds since 1970. The clock is right afterwards."""
    offset = time.time() - time.monotonic()

    def set_clock(seconds: float | None = None) -> None:
        time.clock_settime(time.CLOCK_REALTIME, time.monotonic() + offset if seconds is None else seconds)

    yield set_clock
    set_clock()


def segments(sdk: firstlight.Client, are_reached: Callable[[list], bool]) -> list:
    """The segments, the oldest first, as soon as they are as wanted. The frames of the preview tell when to look."""
    with sdk.preview("sessions/door") as frames:
        for _ in itertools.islice(frames, 1000):
            # The order of a list changes with the times.
            found = sorted(sdk.recordings("sessions/door"), key=lambda each: each.start_monotonic_time_ns)
            if are_reached(found):
                return found
    raise AssertionError(found)


def test_field_B3_segments_get_their_times_when_the_clock_is_set_meanwhile(clock, tmp_path):
    config, folder = tmp_path / "firstlight.yaml", tmp_path / "movies"
    config.write_text(DOOR)
    # The kernel allows no time that is shorter ago than the start of the machine.
    clock(1_000_000)
    flags = ("--synthetic", "1", "--http-listen", "none", "--config", str(config), "--recordings-dir", str(folder))
    with own_daemon(tmp_path / "data", *flags) as daemon, firstlight.connect(ADDRESS, timeout=PATIENCE) as sdk:
        before = segments(sdk, lambda found: len(found) >= 3)
        assert all(each.start_time.seconds < EARLIEST for each in before)
        clock()
        # The segment that is being recorded and the one that begins next belong to them.
        after = segments(
            sdk, lambda found: len(found) >= 5 and all(each.start_time.seconds >= EARLIEST for each in found)
        )
        assert [each.file for each in after[:3]] == [each.file for each in before[:3]], "the names stay"
        assert {each.file[5:9] for each in before[:2]} == {"1970"}
        # All have the same distance to the monotonic clock, but for what slews the wall clock.
        distances = [each.start_time.ToNanoseconds() - each.start_monotonic_time_ns for each in after]
        assert max(distances) - min(distances) < 10**8
        # The daemon corrects the records when it has made a file for the next segment, and then makes further ones.
        segments(sdk, lambda found: len(found) >= len(after) + 2)
        assert "The wall clock has been set" in daemon.log
    records = [json.loads(path.read_text()) for path in (folder / ".firstlight").glob("*.json")]
    assert len(records) >= 5
    assert all(record["startTime"] >= EARLIEST * 10**9 for record in records)
