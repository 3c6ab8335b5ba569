"""Event ids: a client whose stream breaks goes on exactly where it was, or learns that it cannot."""

import concurrent.futures

import pytest

from captures import at_once
from event_streams import KINDS, World
from firstlight import PressureLevel
from firstlight.v1 import photo_service_pb2 as photos_pb2
from support import SYNTHETIC, Collector, refused, take

GARBAGE = [
    "0",
    "1",
    "-1",
    "18446744073709551616",
    "garbage",
    "a-1",
    "-",
    " ",
    "ä",
    "%00",
    "sessions/watched",
    "x" * 4000,
]


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


@pytest.mark.parametrize("kind", KINDS)
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


@pytest.mark.parametrize("kind", KINDS)
def test_after_each_event_come_exactly_the_later_ones(world, kind):
    world.happen(kind)
    start = world.newest(kind)
    whole = Collector(world.open(kind, start))
    for times in range(1, 4):
        world.happen(kind)
        told = whole.wait_for(lambda items, times=times: World.happened(kind, items) >= times)
    for index, after in enumerate([start, *ids(told)[:-1]]):
        with world.open(kind, after) as stream:
            assert ids(take(stream, len(told) - index)) == ids(told)[index:]


@pytest.mark.parametrize("kind", KINDS)
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


@pytest.mark.parametrize("kind", KINDS)
def test_an_event_of_more_than_1024_events_ago_is_lost(world, kind):
    kept = world.client.server_info().limits.max_kept_events
    assert kept == 1024
    if kind == "session":
        # The stream must have commits only, many at once, so the session stops.
        world.client.stop(world.name)
    start = world.newest(kind)
    whole = Collector(world.open(kind, start))
    told = []
    while len(told) <= kept + 2:
        if kind == "session":
            at_once(4, lambda _: [world.happen(kind) for _ in range(25)])
        else:
            world.happen(kind)
        # A reader of pressure may miss states that others replace, so the test waits for each state.
        before = len(told)
        told = whole.wait_for(lambda items, before=before: len(items) > before)
    told = whole.wait_for(lambda items: items[-1].event_id == world.newest(kind))
    whole.close()
    for lost in (start, told[0].event_id, told[-kept - 2].event_id):
        with refused("OUT_OF_RANGE", "EVENTS_LOST"):
            next(world.open(kind, lost))
    with world.open(kind, told[-kept].event_id) as stream:
        if kind == "pressure":
            assert next(stream).event_id in ids(told)[-kept + 1 :]
        else:
            assert ids(take(stream, kept - 1)) == ids(told)[-kept + 1 :]


@pytest.mark.parametrize("kind", ["session", "captures"])
def test_a_session_of_the_same_name_does_not_take_ids_of_the_former_one(world, kind):
    world.happen(kind)
    before = world.newest(kind)
    world.client.delete_session(world.name)
    assert world.create() == world.name
    world.happen(kind)
    with refused("OUT_OF_RANGE", "EVENTS_LOST"):
        next(world.open(kind, before))
    assert world.newest(kind) != before


def test_a_photo_output_made_anew_does_not_take_ids_of_the_former_one(world):
    world.happen("captures")
    before = world.newest("captures")
    without = world.configuration()
    without.ClearField("photo")
    world.client.configure(world.name, without)
    world.client.configure(world.name, world.configuration())
    world.happen("captures")
    with refused("OUT_OF_RANGE", "EVENTS_LOST"):
        next(world.open("captures", before))


def test_no_stream_takes_ids_of_another_kind(world):
    for kind in KINDS:
        world.happen(kind)
    newest = {kind: world.newest(kind) for kind in KINDS}
    assert len(set(newest.values())) == len(KINDS)
    for kind in KINDS:
        for other in set(KINDS) - {kind}:
            with refused("OUT_OF_RANGE", "EVENTS_LOST"):
                next(world.open(kind, newest[other]))


@pytest.mark.parametrize("kind", ["session", "captures"])
def test_no_session_takes_ids_of_another_one(world, kind):
    world.happen(kind)
    of_another = world.newest(kind)
    other = world.configuration()
    other.inputs[0].device = SYNTHETIC[1]
    world.name = world.client.create_session("other", configuration=other, start=True).name
    with refused("OUT_OF_RANGE", "EVENTS_LOST"):
        next(world.open(kind, of_another))


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_id_is_a_lost_event(world, kind):
    world.happen(kind)
    for garbage in GARBAGE:
        with refused("OUT_OF_RANGE", "EVENTS_LOST"):
            next(world.open(kind, garbage))


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


def test_a_capture_and_all_captures_of_its_session_give_an_event_the_same_id(world):
    world.happen("captures")
    whole = Collector(world.open("captures", world.newest("captures")))
    request = photos_pb2.CapturePhotoRequest(session=world.name)
    own = [response.event for response in world.stubs.photos.CapturePhoto(request, timeout=8)]
    told = whole.wait_for(lambda items: World.happened("captures", items) == 1)
    assert [(event.WhichOneof("event"), event.event_id) for event in own] == [
        (event.WhichOneof("event"), event.event_id) for event in told
    ]
    for index, event in enumerate(own[:-1]):
        with world.open("captures", event.event_id) as stream:
            assert ids(take(stream, len(own) - index - 1)) == ids(own)[index + 1 :]


def test_pressure_resumed_after_the_newest_state_waits_for_the_next_change(world):
    world.happen("pressure")
    newest = world.newest("pressure")
    stream = world.client.watch_system_pressure(after_event_id=newest)
    told = Collector(stream)
    world.happen("pressure")
    state = told.wait_for(len)[0]
    assert state.level == PressureLevel.FAIR
    assert stream.event_id not in ("", newest)
    told.close()
