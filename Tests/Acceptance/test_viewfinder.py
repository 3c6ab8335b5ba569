"""ViewfinderService: one stream carries previews and events, each part like the method that it is named after."""

from __future__ import annotations

import io
import itertools
import time

import numpy as np
import pytest
from PIL import Image

import firstlight
from captures import SMALL
from firstlight import timecode
from firstlight.v1 import (
    preview_service_pb2 as preview_pb2,
    types_pb2,
    viewfinder_service_pb2 as viewfinder_pb2,
)
from support import SYNTHETIC, Collector, Stubs, call, refused

#: The idle timeout of sessions that are to expire.
IDLE_SECONDS = 0.5


def preview(name, session, size=(320, 180), **fields):
    """A preview of a viewfinder."""
    request = preview_pb2.StreamPreviewRequest(session=session, **fields)
    request.max_size.width, request.max_size.height = size
    return viewfinder_pb2.ViewfinderPreview(id=name, request=request)


def contents(*previews, **fields):
    return viewfinder_pb2.ViewfinderContents(previews=previews, **fields)


def frames(messages, name):
    """The pictures of a preview among the messages of a stream."""
    return [
        message.preview.message.frame
        for message in messages
        if message.preview.id == name and message.preview.message.HasField("frame")
    ]


def kinds(messages):
    return [message.WhichOneof("content") for message in messages]


def session_kinds(messages, session):
    return {
        message.session.WhichOneof("message")
        for message in messages
        if message.HasField("session") and message.session.session == session
    }


def token(messages):
    return messages[0].status.stream_token


def board(frame):
    """The truth that the camera drew into a picture: sequence and time of capture in nanoseconds."""
    found = timecode.decode(np.asarray(Image.open(io.BytesIO(frame.data)).convert("L")))
    return found.sequence, found.capture_time_ns


@pytest.fixture
def open_viewfinder(stubs):
    """Opens viewfinders and collects their messages. They are closed when the test ends."""
    opened = []

    def start(wanted):
        request = viewfinder_pb2.StreamViewfinderRequest(contents=wanted)
        stream = firstlight.Stream(stubs.viewfinder.StreamViewfinder(request), lambda response: response)
        opened.append(Collector(stream))
        return opened[-1]

    yield start
    for each in opened:
        each.close()


@pytest.fixture
def update(stubs):
    """Changes the contents of a viewfinder and returns their revision."""

    def change(name, wanted):
        request = viewfinder_pb2.UpdateViewfinderRequest(stream_token=name, contents=wanted)
        return call(stubs.viewfinder.UpdateViewfinder, request).revision

    return change


def test_one_stream_carries_previews_and_events_of_everything(session, open_viewfinder):
    names = [session(device, start=True, **SMALL) for device in SYNTHETIC]
    wanted = contents(
        preview("left", names[0]), preview("right", names[1], (160, 90)), sessions=names, pressure=True, devices=True
    )
    messages = open_viewfinder(wanted).wait_for(
        lambda items: (
            len(frames(items, "left")) >= 5
            and len(frames(items, "right")) >= 5
            and {"pressure", "device"} <= set(kinds(items))
            and all({"session_event", "readiness_event"} <= session_kinds(items, name) for name in names)
        )
    )
    assert (messages[0].WhichOneof("content"), messages[0].status.revision) == ("status", 1)
    assert [message.message_number for message in messages] == list(range(1, len(messages) + 1))
    for name, size in (("left", (320, 180)), ("right", (160, 90))):
        first = next(message for message in messages if message.preview.id == name)
        assert first.preview.message.WhichOneof("content") == "status", "a preview begins with its status"
        assert {(frame.width, frame.height) for frame in frames(messages, name)} == {size}
        sequences = [frame.sequence for frame in frames(messages, name)]
        assert sequences == sorted(set(sequences))
    for frame in frames(messages, "left"):
        assert board(frame) == (frame.sequence, frame.capture_time.ToNanoseconds())


def test_readers_of_the_viewfinder_share_encodings_with_other_previews(client, session, open_viewfinder):
    name = session(start=True, **SMALL)
    viewfinder = open_viewfinder(contents(preview("a", name, (160, 90)), preview("b", name, (160, 90))))
    with client.preview(name, max_size=(160, 90)) as alone:
        direct = {frame.sequence: bytes(frame.data) for frame in itertools.islice(alone, 20)}
    messages = viewfinder.wait_for(
        lambda items: all({frame.sequence for frame in frames(items, each)} & set(direct) for each in "ab")
    )
    for each in "ab":
        for frame in frames(messages, each):
            assert direct.get(frame.sequence, frame.data) == frame.data


def test_an_update_leaves_other_parts_undisturbed(session, open_viewfinder, update):
    name = session(start=True, **SMALL)
    kept = preview("kept", name)
    viewfinder = open_viewfinder(contents(kept, preview("gone", name), preview("changed", name)))
    messages = viewfinder.wait_for(lambda items: all(frames(items, each) for each in ("kept", "gone", "changed")))
    revision = update(
        token(messages), contents(kept, preview("changed", name, (160, 90)), preview("new", name, (64, 36)))
    )
    assert revision == 2

    def after(items):
        places = [place for place, item in enumerate(items) if item.status.revision == 2]
        return items[places[0] :] if places else []

    messages = viewfinder.wait_for(
        lambda items: all(len(frames(after(items), each)) >= 3 for each in ("kept", "changed", "new"))
    )
    late = after(messages)
    assert not [message for message in late if message.preview.id == "gone"]
    assert {(frame.width, frame.height) for frame in frames(late, "changed")} == {(160, 90)}
    statuses = [
        message.preview.message.status.stream_token
        for message in messages
        if message.preview.id == "kept" and message.preview.message.HasField("status")
    ]
    assert len(set(statuses)) == 1, "the preview began anew"
    # Frames may be lost on a loaded machine, but none without being counted.
    for before, following in itertools.pairwise(frames(messages, "kept")):
        lost = sum(getattr(following.dropped, field.name) for field in following.dropped.DESCRIPTOR.fields)
        assert following.sequence == before.sequence + 1 + lost


def test_a_session_that_is_left_out_tells_nothing_more(session, open_viewfinder, update):
    name = session(start=True, **SMALL)
    kept = preview("kept", name)
    viewfinder = open_viewfinder(contents(kept, sessions=[name]))
    messages = viewfinder.wait_for(
        lambda items: {"session_event", "readiness_event"} <= session_kinds(items, name) and frames(items, "kept")
    )
    update(token(messages), contents(kept))

    def after(items):
        places = [place for place, item in enumerate(items) if item.status.revision == 2]
        return items[places[0] + 1 :] if places else []

    messages = viewfinder.wait_for(lambda items: len(frames(after(items), "kept")) >= 20)
    assert set(kinds(after(messages))) == {"preview"}


def test_a_preview_may_also_be_acknowledged_by_its_own_token(session, stubs, open_viewfinder):
    name = session(start=True, **SMALL)
    viewfinder = open_viewfinder(contents(preview("own", name, max_unacknowledged_frames=1)))
    for number in range(1, 6):
        messages = viewfinder.wait_for(lambda items, number=number: len(frames(items, "own")) >= number)
        assert len(frames(messages, "own")) == number
        own = next(item.preview.message.status.stream_token for item in messages if item.preview.id == "own")
        sequence = frames(messages, "own")[-1].sequence
        call(
            stubs.previews.AcknowledgeFrames,
            preview_pb2.AcknowledgeFramesRequest(stream_token=own, sequence=sequence),
        )


def test_acknowledgements_bound_what_is_on_the_way(client, session, stubs, open_viewfinder):
    name = session(start=True, **SMALL)
    viewfinder = open_viewfinder(
        contents(preview("few", name, max_unacknowledged_frames=2), preview("all", name, (160, 90)))
    )
    messages = viewfinder.wait_for(lambda items: len(frames(items, "all")) >= 10)
    assert len(frames(messages, "few")) == 2
    second = [message.message_number for message in messages if message.preview.message.HasField("frame")
              and message.preview.id == "few"][1]  # fmt: skip
    request = preview_pb2.AcknowledgeFramesRequest(stream_token=token(messages), sequence=second)
    call(stubs.previews.AcknowledgeFrames, request)
    messages = viewfinder.wait_for(
        lambda items: len(frames(items, "few")) >= 4 and len(frames(items, "all")) >= len(frames(messages, "all")) + 10
    )
    assert len(frames(messages, "few")) == 4


def test_a_part_that_ends_leaves_the_others_alone(client, session, open_viewfinder, update):
    name, other = session(start=True, **SMALL), session(SYNTHETIC[1], **SMALL)
    wanted = contents(
        preview("good", name), preview("lost", other), preview("bad", "sessions/none"), sessions=["sessions/none"]
    )
    viewfinder = open_viewfinder(wanted)

    def ended(items):
        endings = [item.ended for item in items if item.HasField("ended")]
        return {ending.preview_id or ending.session: ending.error for ending in endings}

    messages = viewfinder.wait_for(lambda items: {"bad", "sessions/none"} <= set(ended(items)))
    assert {error.code for error in ended(messages).values()} == {5}
    assert "sessions/none" not in ended(messages)["bad"].message
    client.delete_session(other)
    messages = viewfinder.wait_for(lambda items: "lost" in ended(items))
    error = firstlight.FirstlightError.from_status(ended(messages)["lost"])
    assert error.reason == "SESSION_NOT_FOUND"
    count = len(frames(messages, "good"))
    viewfinder.wait_for(lambda items: len(frames(items, "good")) >= count + 3)
    # A part that is left out and named again begins anew.
    count = len(messages)
    update(token(messages), contents(preview("good", name)))
    update(token(messages), contents(preview("good", name), preview("lost", name)))
    viewfinder.wait_for(lambda items: frames(items[count:], "lost"))


def test_a_photo_output_that_a_commit_brings_is_watched(client, session, open_viewfinder):
    name = session(configure=False)
    client.configure(name, firstlight.configuration(SYNTHETIC[0], photo=False, **SMALL))
    client.start(name)
    viewfinder = open_viewfinder(contents(preview("main", name), sessions=[name]))
    messages = viewfinder.wait_for(
        lambda items: frames(items, "main") and "session_event" in session_kinds(items, name)
    )
    assert "readiness_event" not in session_kinds(messages, name)
    client.configure(name, firstlight.configuration(SYNTHETIC[0], **SMALL))
    viewfinder.wait_for(lambda items: "readiness_event" in session_kinds(items, name))
    captured = client.photo(name).unique_id
    viewfinder.wait_for(
        lambda items: (
            captured
            in {item.session.capture_event.event.unique_id for item in items if item.session.HasField("capture_event")}
        )
    )


def test_h264_in_a_viewfinder_begins_with_a_key_frame(session, open_viewfinder):
    name = session(start=True, **SMALL)
    viewfinder = open_viewfinder(contents(preview("video", name, encoding=types_pb2.ENCODING_H264)))
    messages = viewfinder.wait_for(lambda items: len(frames(items, "video")) >= 5)
    assert frames(messages, "video")[0].key_frame


@pytest.mark.parametrize(
    ("wanted", "field"),
    [
        (contents(*[preview(f"p{number}", "sessions/a") for number in range(17)]), "contents.previews"),
        (contents(sessions=[f"sessions/s{number}" for number in range(17)]), "contents.sessions"),
        (contents(preview("twice", "sessions/a"), preview("twice", "sessions/b")), "contents.previews[1].id"),
        (contents(preview("", "sessions/a")), "contents.previews[0].id"),
        (contents(sessions=["sessions/a", "sessions/a"]), "contents.sessions[1]"),
    ],
    ids=["previews", "sessions", "id-twice", "no-id", "session-twice"],
)
def test_contents_that_make_no_sense_are_refused(stubs, open_viewfinder, wanted, field):
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT") as refusal:
        call(stubs.viewfinder.StreamViewfinder, viewfinder_pb2.StreamViewfinderRequest(contents=wanted))
    assert [violation.field for violation in refusal.error.violations] == [field]
    messages = open_viewfinder(contents()).wait_for(len)
    request = viewfinder_pb2.UpdateViewfinderRequest(stream_token=token(messages), contents=wanted)
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT"):
        call(stubs.viewfinder.UpdateViewfinder, request)


def test_an_update_of_no_stream_is_refused(stubs, client, session):
    name = session(start=True, **SMALL)
    with client.preview(name) as stream:
        next(stream)
        for unknown in ("", "0" * 32, stream.status.stream_token):
            request = viewfinder_pb2.UpdateViewfinderRequest(stream_token=unknown)
            with refused("NOT_FOUND", "STREAM_NOT_FOUND"):
                call(stubs.viewfinder.UpdateViewfinder, request)


def test_sixteen_previews_in_one_stream_all_move(session, open_viewfinder):
    names = [session(device, start=True, **SMALL) for device in SYNTHETIC]
    sizes = [(320, 180), (160, 90), (128, 72), (64, 36)]
    previews = [preview(f"p{number}", names[number % 2], sizes[number // 2 % 4]) for number in range(16)]
    viewfinder = open_viewfinder(contents(*previews))
    viewfinder.wait_for(lambda items: all(len(frames(items, each.id)) >= 5 for each in previews))


def test_the_viewfinder_ends_when_the_daemon_stops(own_daemon):
    daemon = own_daemon()
    with firstlight.connect(daemon.address, timeout=8) as client:
        request = viewfinder_pb2.StreamViewfinderRequest(contents=contents(devices=True))
        stream = firstlight.Stream(
            Stubs(client.channel).viewfinder.StreamViewfinder(request), lambda response: response
        )
        messages = Collector(stream)
        messages.wait_for(lambda items: "device" in kinds(items))
        daemon.process.terminate()
        error = messages.wait_for_end()
        assert (error.code.name, error.reason) == ("UNAVAILABLE", "SHUTTING_DOWN")


def test_a_viewfinder_that_shows_only_events_keeps_no_session_from_expiring(client, stubs, open_viewfinder):
    name = client.create_session(
        configuration=firstlight.configuration(SYNTHETIC[0], **SMALL), idle_timeout=IDLE_SECONDS
    ).name
    viewfinder = open_viewfinder(contents(sessions=[name]))
    viewfinder.wait_for(lambda items: {"session_event", "readiness_event"} <= session_kinds(items, name))
    # Each part of the session ends with it.
    viewfinder.wait_for(lambda items: any(item.ended.session == name for item in items))
    with refused("NOT_FOUND", "SESSION_NOT_FOUND"):
        client.session(name)


def test_a_viewfinder_that_shows_a_preview_keeps_its_session(client, open_viewfinder):
    name = client.create_session(
        configuration=firstlight.configuration(SYNTHETIC[0], **SMALL), idle_timeout=IDLE_SECONDS
    ).name
    viewfinder = open_viewfinder(contents(preview("shown", name)))
    viewfinder.wait_for(lambda items: any(item.preview.id == "shown" for item in items))
    time.sleep(3 * IDLE_SECONDS)
    assert client.session(name).name == name
    client.delete_session(name)
