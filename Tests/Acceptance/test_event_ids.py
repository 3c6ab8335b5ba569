"""Event ids: a client whose stream breaks goes on exactly where it was, or learns that it cannot."""

import concurrent.futures

import pytest

from captures import at_once
from event_streams import World
from firstlight.v1 import photo_service_pb2 as photos_pb2
from support import Collector, refused, take


@pytest.fixture
def world(own_daemon):
    """A daemon for this test alone, with a running session."""
    world = World(own_daemon)
    yield world
    world.client.close()


def ids(items):
    return [item.event_id for item in items]


def read_in_pieces(world, kind, after, times):
    """Reads a stream that ends after every second item and is resumed, until `happen` was reported `times` times."""
    seen = []
    while World.happened(kind, seen) < times:
        with world.open(kind, seen[-1].event_id if seen else after) as stream:
            for item in stream:
                seen.append(item)
                if len(seen) % 2 == 0 or World.happened(kind, seen) >= times:
                    break
    return seen


@pytest.mark.parametrize("kind", ["session", "captures", "pressure"])
def test_a_reader_that_breaks_off_again_and_again_gets_every_event_once(world, kind):
    world.happen(kind)
    start = world.newest(kind)
    whole = Collector(world.open(kind, start))
    with concurrent.futures.ThreadPoolExecutor() as pool:
        if kind != "pressure":
            pieces = pool.submit(read_in_pieces, world, kind, start, 8)
        for times in range(1, 9):
            world.happen(kind)
            whole.wait_for(lambda items, times=times: World.happened(kind, items) >= times)
        if kind == "pressure":
            # A reader of the pressure stream may miss states that others replaced while it read, but none of the states
            # before.
            pieces = pool.submit(read_in_pieces, world, kind, start, 8)
        seen = pieces.result(timeout=8)
    assert len(set(ids(seen))) == len(seen), "an event came twice"
    told = whole.close()
    assert ids(seen) == ids(told)[: len(seen)]
    assert start not in ids(seen)


@pytest.mark.parametrize("kind", ["session", "captures"])
def test_a_daemon_killed_between_two_calls_does_not_take_ids_of_its_former_run(world, kind):
    world.happen(kind)
    before = world.newest(kind)
    world.kill_and_start_again()
    # Each run has had equally many events, so that ids made of a mere count would fit.
    world.happen(kind)
    after = world.newest(kind)
    assert after != before
    with refused("OUT_OF_RANGE", "EVENTS_LOST"):
        next(world.open(kind, before))
    world.happen(kind)
    with world.open(kind, after) as stream:
        assert next(stream).event_id not in (before, after)


def test_captures_listed_and_then_watched_are_told_without_a_gap(world):
    world.happen("captures")
    whole = Collector(world.open("captures", world.newest("captures")))
    lists = []

    def act(number):
        if number:
            return world.client.photo(world.name).unique_id
        while World.happened("captures", whole.wait_for(lambda _: True)) < 5:
            lists.append(world.client.captures(world.name))
        return None

    assert [result for result in at_once(6, act) if isinstance(result, Exception)] == []
    told = whole.wait_for(lambda items: World.happened("captures", items) == 5)
    # The check takes about eight of the lists, from the first to the last.
    for captures, event_id in [*lists[:: max(1, len(lists) // 8)], lists[-1]]:
        later = told[ids(told).index(event_id) + 1 :] if event_id in ids(told) else told
        with world.open("captures", event_id) as stream:
            assert ids(take(stream, len(later))) == ids(later)
        listed = {capture.name.removeprefix("captures/"): capture for capture in captures}
        for event in told[: len(told) - len(later)]:
            assert event.unique_id in listed, "what was told is listed"
            if event.HasField("did_finish_capture"):
                assert listed[event.unique_id].state != photos_pb2.Capture.STATE_IN_PROGRESS
