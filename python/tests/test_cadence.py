import dataclasses

import pytest

from firstlight import Cadence, Frame
from firstlight.frames import Dropped


def frame(stream_id=1, dropped=(0, 0, 0)):
    empty = {field.name: None for field in dataclasses.fields(Frame)}
    return Frame(**{**empty, "stream_id": stream_id, "dropped": Dropped(*dropped)})


def test_there_is_none_before_the_second_frame():
    cadence = Cadence()
    assert cadence.summary() is None
    cadence.add(frame(), 0)
    assert cadence.summary() is None


def test_percentiles_are_intervals_that_there_were():
    cadence, now = Cadence(), 0
    cadence.add(frame(), now)
    for interval in range(1, 101):
        now += interval * 1_000_000
        cadence.add(frame(), now)
    summary = cadence.summary()
    assert (summary.interval_p50, summary.interval_p95, summary.interval_p99) == (50, 95, 99)
    assert summary.jitter == pytest.approx(1)
    assert summary.frames == 101


def test_losses_are_counted_by_cause_but_not_those_before_the_first_frame():
    cadence = Cadence()
    cadence.add(frame(dropped=(9, 9, 9)), 0)
    cadence.add(frame(dropped=(1, 0, 2)), 1)
    cadence.add(frame(dropped=(1, 3, 0)), 2)
    assert cadence.summary().dropped == Dropped(2, 3, 2)
    assert "2 late, 3 out of buffers, 2 discontinuity" in str(cadence.summary())


def test_a_restart_is_no_interval():
    cadence = Cadence()
    for at, stream in [(0, 1), (10, 1), (5000, 2), (5010, 2)]:
        cadence.add(frame(stream), at * 1_000_000)
    assert cadence.summary().interval_p99 == 10


def test_only_the_newest_are_remembered():
    cadence = Cadence(remembered=2)
    for at in (0, 100, 110, 120):
        cadence.add(frame(), at * 1_000_000)
    assert cadence.summary().interval_p99 == 10
