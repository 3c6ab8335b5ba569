"""The list of captures, in the order of the requests."""

import time

from firstlight.frames import nanoseconds
from firstlight.v1 import photo_service_pb2 as photos_pb2

State = photos_pb2.Capture.State


def shoot(client, name, count):
    return [client.photo(name).unique_id for _ in range(count)]


def test_captures_are_listed_in_the_order_in_which_they_were_asked_for(client, photo_session):
    name = photo_session()
    begin = time.time_ns()
    taken = shoot(client, name, 4)
    end = time.time_ns()
    captures = client.captures(name).captures
    assert [capture.name for capture in captures][-4:] == [f"captures/{unique_id}" for unique_id in taken]
    times = [nanoseconds(capture.request_time) for capture in captures]
    assert begin <= times[-4] <= times[-1] <= end, "by this machine's clock"
    assert times == sorted(times)
    for capture in captures:
        assert (capture.session, capture.state) == (name, State.STATE_FINISHED)
        assert capture.photo.byte_count > 0
        assert not capture.photo.data
        assert not capture.HasField("error")
