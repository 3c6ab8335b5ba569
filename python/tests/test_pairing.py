import dataclasses
import random

import pytest

from firstlight import Frame, FramePairs

EMPTY = {field.name: None for field in dataclasses.fields(Frame)}


def stream(*times):
    return [Frame(**{**EMPTY, "sequence": number, "monotonic_time_ns": time}) for number, time in enumerate(times)]


def times(pairs):
    return [tuple(frame.monotonic_time_ns for frame in pair) for pair in pairs]


def test_frames_within_the_bound_are_a_pair_and_others_are_counted():
    pairs = FramePairs(stream(0, 30, 60, 100), stream(10, 72, 90), within_ns=10)
    assert times(pairs) == [(0, 10), (100, 90)]
    assert pairs.unpaired == (2, 1)


def test_all_streams_have_a_part_in_a_pair():
    pairs = FramePairs(stream(0, 30, 60), stream(5, 35, 65), stream(36, 58), within_ns=7)
    assert times(pairs) == [(30, 35, 36), (60, 65, 58)]
    assert pairs.unpaired == (1, 1, 0)


def test_the_end_of_a_stream_is_the_end():
    pairs = FramePairs(stream(), stream(1, 2), within_ns=7)
    assert times(pairs) == []
    assert pairs.unpaired == (0, 0)


@pytest.mark.parametrize("seed", range(50))
def test_every_frame_is_in_one_pair_or_counted_and_the_partner_is_the_nearest(seed):
    chance = random.Random(seed)
    period, within = 1000, 400
    cameras = [
        [at * period + chance.randrange(-90, 90) + offset for at in range(100) if chance.random() > 0.2]
        for offset in (0, chance.randrange(0, 600))
    ]
    # A last pair, so that nothing is left over.
    cameras = [[*camera, 200 * period] for camera in cameras]
    pairs = FramePairs(*(stream(*camera) for camera in cameras), within_ns=within)
    found = times(pairs)
    for camera, unpaired, part in zip(cameras, pairs.unpaired, zip(*found, strict=True), strict=True):
        assert len(camera) == len(found) + unpaired
        assert sorted(set(part)) == list(part)
    for one, other in found:
        assert abs(one - other) <= within
        assert min(cameras[1], key=lambda time: abs(time - one)) == other
    near = sum(any(abs(one - other) <= within for other in cameras[1]) for one in cameras[0])
    assert len(found) == near


@pytest.mark.parametrize(("count", "within"), [(1, 5), (0, 5), (2, -1)])
def test_what_cannot_be_paired_is_refused(count, within):
    with pytest.raises(ValueError, match=r"streams|within_ns"):
        FramePairs(*[stream(1)] * count, within_ns=within)
