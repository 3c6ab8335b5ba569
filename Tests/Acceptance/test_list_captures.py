"""The list of captures, by session, time and state, in the order of the requests."""

import time

import pytest
from google.protobuf import timestamp_pb2

import firstlight
from captures import SMALL
from faults import inject, stall
from firstlight.frames import nanoseconds
from firstlight.v1 import photo_service_pb2 as photos_pb2
from support import SYNTHETIC, Collector, Stubs, call, refused

State = photos_pb2.Capture.State


def listed(client, *sessions, **filters):
    """The ids of the captures that the daemon lists."""
    return [capture.name.removeprefix("captures/") for capture in client.captures(*sessions, **filters).captures]


def shoot(client, name, count):
    return [client.photo(name).unique_id for _ in range(count)]


def begin_photo(client, name, unique_id):
    """Begins a capture and collects its events while the test continues."""
    request = photos_pb2.CapturePhotoRequest(session=name)
    request.settings.unique_id = unique_id
    responses = Stubs(client.channel).photos.CapturePhoto(request)
    return Collector(firstlight.Stream(responses, lambda response: response.event))


@pytest.fixture
def stalled(own_daemon):
    """A client of a daemon, a running session without zero shutter lag whose camera gives no frames for a minute, and
    the id of a finished capture.
    """
    with firstlight.connect(own_daemon("--enable-fault-injection").address, timeout=8) as client:
        wanted = firstlight.configuration(SYNTHETIC[0], zero_shutter_lag=False, **SMALL)
        name = client.create_session(configuration=wanted, start=True).name
        finished = client.photo(name).unique_id
        # Before a stream's first frame, a camera counts as stalled only after 5 s. The restart gives the test this
        # time.
        client.stop(name)
        inject(client, stall(60))
        client.start(name)
        yield client, name, finished


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


def test_a_listed_capture_is_as_it_is_told_alone(client, stubs, photo_session):
    (capture,) = client.captures(photo_session()).captures
    assert call(stubs.photos.GetCapture, photos_pb2.GetCaptureRequest(name=capture.name)).capture == capture


def test_a_session_has_its_own_captures(client, session):
    names = [session(camera, start=True, **SMALL) for camera in SYNTHETIC]
    taken = {name: shoot(client, name, 2) for name in names}
    for name in names:
        assert listed(client, name) == taken[name]
    everyone = listed(client)
    together = taken[names[0]] + taken[names[1]]
    assert [unique_id for unique_id in everyone if unique_id in together] == together


def test_captures_outlive_their_session_and_have_no_event_then(client, session):
    name = session(start=True, **SMALL)
    taken = shoot(client, name, 2)
    assert client.captures(name).event_id
    client.delete_session(name)
    captures, event_id = client.captures(name)
    assert [capture.name.removeprefix("captures/") for capture in captures] == taken
    assert event_id == ""


def test_without_a_session_or_a_photo_output_there_is_no_event_to_go_on_after(client, session):
    name = session(start=True, **SMALL)
    shoot(client, name, 1)
    assert client.captures().event_id == ""
    client.configure(name, firstlight.configuration(SYNTHETIC[0], **SMALL, photo=False))
    captures, event_id = client.captures(name)
    assert (len(captures), event_id) == (1, "")


def test_a_session_without_captures_has_an_empty_list(client, session):
    assert listed(client, session()) == []


def test_times_are_from_the_first_to_before_the_last(client, photo_session):
    name = photo_session()
    shoot(client, name, 4)
    captures = client.captures(name).captures
    times = [nanoseconds(capture.request_time) for capture in captures]
    everything = listed(client, name)
    for index, instant in enumerate(times):
        assert listed(client, name, start_ns=instant) == everything[index:]
        assert listed(client, name, end_ns=instant) == everything[:index]
    assert listed(client, name, start_ns=times[1], end_ns=times[3]) == everything[1:3]
    assert listed(client, name, start_ns=times[-1] + 1) == []
    assert listed(client, name, start_ns=0, end_ns=times[-1] + 1) == everything


def test_a_capture_is_listed_while_it_is_under_way(stalled):
    client, name, finished = stalled
    events = Collector(client.watch_captures(name, after_event_id=client.captures(name).event_id))
    streams = [begin_photo(client, name, f"waiting-{number}") for number in range(3)]
    events.wait_for(lambda items: any(event.HasField("will_begin_capture") for event in items))
    while len(listed(client, name)) < 4:
        pass
    # The requests were sent side by side, so only the daemon knows their order.
    assert listed(client, name, state=State.STATE_FINISHED) == listed(client, name)[:1] == [finished]
    assert sorted(listed(client, name, state=State.STATE_IN_PROGRESS)) == [f"waiting-{number}" for number in range(3)]
    assert listed(client, name, state=State.STATE_FAILED) == []
    for capture in client.captures(name, state=State.STATE_IN_PROGRESS).captures:
        assert not capture.HasField("photo")
        assert not capture.HasField("error")
    client.stop(name)
    for stream in streams:
        assert stream.wait_for_end() is None


def test_a_capture_that_failed_is_listed_with_its_error(stalled):
    client, name, finished = stalled
    stream = begin_photo(client, name, "in-vain")
    stream.wait_for(len)
    client.stop(name)
    last = stream.wait_for(lambda events: events[-1].HasField("did_finish_capture"))[-1]
    assert listed(client, name, state=State.STATE_FAILED) == ["in-vain"]
    assert listed(client, name, state=State.STATE_FINISHED) == [finished]
    assert listed(client, name, state=State.STATE_IN_PROGRESS) == []
    (capture,) = client.captures(name, state=State.STATE_FAILED).captures
    assert capture.error == last.did_finish_capture.error
    assert firstlight.FirstlightError.from_status(capture.error).reason == "OPERATION_INTERRUPTED"


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (photos_pb2.ListCapturesRequest(session="nowhere"), "session"),
        (photos_pb2.ListCapturesRequest(session="devices/a"), "session"),
        (photos_pb2.ListCapturesRequest(state=99), "state"),
        (photos_pb2.ListCapturesRequest(page_size=-1), "page_size"),
        (photos_pb2.ListCapturesRequest(page_token="from elsewhere"), "page_token"),
        (photos_pb2.ListCapturesRequest(start_time=timestamp_pb2.Timestamp(seconds=1 << 60)), "start_time"),
        (photos_pb2.ListCapturesRequest(start_time=timestamp_pb2.Timestamp(nanos=-1)), "start_time"),
        (photos_pb2.ListCapturesRequest(end_time=timestamp_pb2.Timestamp(nanos=1_000_000_000)), "end_time"),
        (
            photos_pb2.ListCapturesRequest(
                start_time=timestamp_pb2.Timestamp(seconds=20), end_time=timestamp_pb2.Timestamp(seconds=10)
            ),
            "end_time",
        ),
        (
            photos_pb2.ListCapturesRequest(
                start_time=timestamp_pb2.Timestamp(seconds=20), end_time=timestamp_pb2.Timestamp(seconds=20)
            ),
            "end_time",
        ),
    ],
)
def test_a_bad_filter_is_refused_by_name(stubs, request_, field):
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT") as refusal:
        call(stubs.photos.ListCaptures, request_)
    assert [violation.field for violation in refusal.error.violations] == [field]


def test_a_session_that_never_was_is_not_found(client):
    with refused("NOT_FOUND", "SESSION_NOT_FOUND"):
        client.captures("sessions/nowhere")


def test_a_page_token_of_a_former_run_is_refused(own_daemon):
    request = photos_pb2.ListCapturesRequest(page_size=1)
    for is_first in (True, False):
        daemon = own_daemon()
        with firstlight.connect(daemon.address, timeout=8) as client:
            wanted = firstlight.configuration(SYNTHETIC[0], **SMALL)
            name = client.create_session("again", configuration=wanted, start=True).name
            for _ in range(2):
                client.photo(name)
            stubs = Stubs(client.channel)
            if is_first:
                request.page_token = call(stubs.photos.ListCaptures, request).next_page_token
                assert len(call(stubs.photos.ListCaptures, request).captures) == 1
                daemon.process.kill()
                daemon.process.wait()
            else:
                with refused("INVALID_ARGUMENT") as refusal:
                    call(stubs.photos.ListCaptures, request)
                assert [violation.field for violation in refusal.error.violations] == ["page_token"]
