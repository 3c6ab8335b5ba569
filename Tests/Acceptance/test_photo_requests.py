"""Photo requests, their events, tracking and readiness."""

import queue
import threading
import time

import pytest

import firstlight
from captures import ORDER, SIZES, SMALL, at_once, by_capture, check_events, frame_bytes, is_over, watch
from firstlight import FrameMatch, Quality
from firstlight.v1 import photo_pb2, photo_service_pb2 as photos_pb2, session_pb2
from support import SYNTHETIC, call, capabilities, changed, refused, resident_bytes, take, timecode, watching

ALL_FEATURES = {"responsive_capture": True, "fast_capture_prioritization": True}


@pytest.mark.parametrize("size", SIZES)
def test_H2_every_sequence_of_500_mixed_captures_is_legal(patient, daemon, running, size):
    client, name = patient, running(responsive_capture=True, **size)
    beginning = client.captures(name).event_id
    client.photo(name)
    budget = capabilities(client.session(name)).frame_memory_bytes
    told = watch(client, name, beginning)
    with client.preview(name, max_size=(320, 180)) as preview:
        seen = take(preview, 5)
    before, resident = resident_bytes(daemon.process.pid), []

    def shoot(thread):
        outcomes = []
        for index in range(50):
            unique_id = f"{name.removeprefix('sessions/')}-{thread}-{index}"
            kinds = [{}, {"of": seen[-1]}, {"at_ns": seen[0].capture_time_ns}, {"quality": Quality.SPEED}]
            try:
                client.photo(name, unique_id=unique_id, **kinds[(thread + index) % 4])
                outcomes.append(None)
            except firstlight.FirstlightError as error:
                outcomes.append(error.reason)
            resident.append(resident_bytes(daemon.process.pid))
            if (thread, index) == (0, 25):
                client.stop(name)
                client.start(name)
        return outcomes

    outcomes = at_once(10, shoot)
    refused = {reason for each in outcomes for reason in each} - {None}
    assert refused <= {"OPERATION_INTERRUPTED", "SESSION_NOT_RUNNING"}
    # The first photo, before the 500, counts too.
    asked = 1 + sum(reason != "SESSION_NOT_RUNNING" for each in outcomes for reason in each)
    mib = ", ".join(f"{count / 2**20:.0f}" for count in (before, max(resident), resident[-1], budget))
    print(f"{asked - 1} captures of 500; MiB before, at most, after, and the budget: {mib}")
    # Nor may each capture leave a frame behind. For small frames this bound is below the budget.
    assert max(resident) - before < min(budget, 0.8 * 500 * frame_bytes(size))
    events = told.wait_for(lambda items: sum(map(is_over, items)) == asked, timeout=40)
    for each in by_capture(events).values():
        check_events(each)
    assert len({event.event_id for event in events}) == len(events)
    again = watch(client, name, events[-501].event_id).wait_for(lambda items: len(items) >= 500)
    assert again == events[-500:], "the second watcher got other events than the first"


@pytest.mark.parametrize("features", [{}, {"zero_shutter_lag": False}, ALL_FEATURES], ids=["default", "none", "all"])
def test_J5_phases_are_told_in_order(client, ready, features):
    name = ready(**features)
    pressed_ns = time.monotonic_ns()
    photo = client.photo(name)
    # All times lie between the press and the arrival of the photo, by the client's clock.
    times = [pressed_ns, *photo.phases, time.monotonic_ns()]
    assert times == sorted(times)


def test_J4_from_the_arrival_to_the_held_frame_is_told(client, ready):
    photo = client.photo(ready())
    assert photo.zero_shutter_lag_used
    assert photo.pin_ns > 0
    # The request arrived before the daemon held the frame, and the first event came after that.
    arrival = photo.monotonic_time_ns - photo.shutter_lag_ns
    assert arrival + photo.pin_ns <= photo.events[0].monotonic_time_ns


def test_J7_many_captures_are_followed_at_once(client, running):
    name = running(responsive_capture=True)
    told = watch(client, name)
    client.photo(name)
    photos = at_once(10, lambda _: client.photo(name))
    events = told.wait_for(lambda items: sum(map(is_over, items)) == 11)
    captures = by_capture(events)
    assert {photo.unique_id for photo in photos} < set(captures)
    for each in captures.values():
        check_events(each)
    finished = [event for event in events if event.HasField("did_finish_processing_photo")]
    assert all(not event.did_finish_processing_photo.photo.data for event in finished)
    assert all(event.did_finish_processing_photo.photo.data_omitted for event in finished)
    began = [event.unique_id for event in events if event.HasField("will_begin_capture")]
    assert [event.unique_id for event in finished] == began, "photos come in the order asked for"


def test_H2_following_captures_goes_on_where_it_broke_off(client, running):
    name = running()
    beginning = client.captures(name).event_id
    client.photo(name)
    events = watch(client, name, beginning).wait_for(lambda items: any(map(is_over, items)))
    assert [event.WhichOneof("event") for event in events] == ORDER
    rest = watch(client, name, events[2].event_id).wait_for(lambda items: len(items) == 2)
    assert rest == events[3:]
    for unknown in ("0", "1", "nobody's", f"{events[-1].event_id}0"):
        with refused("OUT_OF_RANGE", "EVENTS_LOST"):
            next(client.watch_captures(name, after_event_id=unknown))


@pytest.mark.timeout(60)
def test_H2_who_falls_behind_by_more_than_1024_events_is_told(client, ready):
    name = ready()
    beginning = client.captures(name).event_id
    for _ in range(210):
        client.photo(name)
    with refused("OUT_OF_RANGE", "EVENTS_LOST"):
        next(client.watch_captures(name, after_event_id=beginning))
    client.delete_session(name)


# The threads that make photos run only when no other program wants the processor, so that a busy machine takes seconds
# for a photo.
@pytest.mark.timeout(60)
def test_A10_another_feature_ends_captures_in_flight(patient, stubs, session):
    client, name = patient, session(start=True, zero_shutter_lag=False, size=(1920, 1080), pixel_format="NV12")
    told = watch(client, name)
    client.photo(name)
    session_events = watching(client, name)
    streams = [stubs.photos.CapturePhoto(photos_pb2.CapturePhotoRequest(session=name)) for _ in range(60)]
    told.wait_for(lambda items: any(event.HasField("will_begin_capture") for event in items[5:]))
    before = client.session(name)
    wanted = firstlight.configuration(SYNTHETIC[0], size=(1920, 1080), pixel_format="NV12")
    assert client.configure(name, wanted).etag != before.etag
    reasons = []
    for stream in streams:
        events = [response.event for response in stream]
        check_events(events)
        reasons.append(reason_of(events))
    assert set(reasons) <= {"", "OPERATION_INTERRUPTED"}
    assert "OPERATION_INTERRUPTED" in reasons
    expected = ["reconfiguration_started", "configuration_committed", "reconfiguration_finished"]
    steps = [
        event
        for event in session_events.wait_for(lambda items: any(changed(item) == expected[-1] for item in items))
        if changed(event) in expected
    ]
    assert [changed(event) for event in steps] == expected
    assert steps[1].configuration_committed.reconfigured
    assert client.photo(name).zero_shutter_lag_used, "the output is the same, and works"
    events = told.wait_for(lambda items: sum(map(is_over, items)) == 62)
    assert len(by_capture(events)) == 62


# A busy machine takes long, as above.
@pytest.mark.timeout(60)
def test_A10_another_maximum_of_quality_ends_60_captures_and_loses_none(patient, stubs, session):
    features = {"size": (1280, 720), "pixel_format": "NV12", "responsive_capture": True}
    client, name = patient, session(start=True, max_quality=Quality.QUALITY, **features)
    told = watch(client, name)
    client.photo(name)
    request = photos_pb2.CapturePhotoRequest(session=name)
    request.settings.quality_prioritization = Quality.QUALITY
    streams = [stubs.photos.CapturePhoto(request) for _ in range(60)]
    told.wait_for(lambda items: sum(map(is_over, items)) >= 4, timeout=60)
    while len(listed := client.captures(name).captures) < 61:
        assert client.session(name).state == session_pb2.Session.State.STATE_RUNNING
    asked_for = {capture.name.removeprefix("captures/") for capture in listed}
    client.configure(name, firstlight.configuration(SYNTHETIC[0], max_quality=Quality.SPEED, **features))
    reasons = {}
    for stream in streams:
        events = [response.event for response in stream]
        check_events(events)
        reasons[events[0].unique_id] = reason_of(events)
    assert len(reasons) == 60
    assert set(reasons.values()) == {"", "OPERATION_INTERRUPTED"}, (
        "some had finished, the others report the interruption"
    )

    captures = by_capture(told.wait_for(lambda items: sum(map(is_over, items)) == 61))
    assert set(captures) == asked_for
    for unique_id, events in captures.items():
        check_events(events)
        assert reason_of(events) == reasons.get(unique_id, "")
        kept = call(stubs.photos.GetCapture, photos_pb2.GetCaptureRequest(name=f"captures/{unique_id}")).capture
        assert firstlight.FirstlightError.from_status(kept.error).reason == reasons.get(unique_id, "")
    with refused("INVALID_ARGUMENT", "UNSUPPORTED_VALUE"):
        client.photo(name, quality=Quality.QUALITY)
    assert client.photo(name).quality is Quality.SPEED


def reason_of(events):
    """The reason why a capture failed, or an empty string when it did not."""
    return firstlight.FirstlightError.from_status(events[-1].did_finish_capture.error).reason


def test_H11_prepared_settings_complete_when_the_session_runs(client, session):
    name = session(**SMALL)
    answers = queue.Queue()
    for _ in range(2):
        work = threading.Thread(target=lambda: answers.put(client.prepare_photos(name, [photo_pb2.PhotoSettings()])))
        work.start()
    assert answers.get(timeout=8) is False, "the second takes the place of the first"
    client.start(name)
    assert answers.get(timeout=8) is True
    client.stop(name)
    client.start(name)
    assert client.prepare_photos(name, [])
    assert client.prepare_photos(name, [photo_pb2.PhotoSettings(quality_prioritization=Quality.SPEED)] * 3)


def test_J1_the_lag_told_is_that_of_the_pixels(client, ready):
    name = ready()
    with client.preview(name, max_size=(320, 180)) as preview:
        seen = take(preview, 3)[0]
        photo = client.photo(name, at_ns=seen.capture_time_ns + 5_000_000)
    assert photo.shutter_lag_ns == timecode(photo).capture_time_ns - seen.capture_time_ns - 5_000_000


def test_H4_quality_left_unspecified_is_the_default(client, stubs, ready):
    name = ready(max_quality=Quality.SPEED)
    unspecified = photo_pb2.PHOTO_QUALITY_PRIORITIZATION_UNSPECIFIED
    settings = photo_pb2.PhotoSettings(quality_prioritization=unspecified)
    request = photos_pb2.CapturePhotoRequest(session=name, settings=settings)
    events = [response.event for response in stubs.photos.CapturePhoto(request)]
    check_events(events)
    assert events[0].resolved_settings.quality_prioritization == Quality.SPEED


def test_J1_a_time_outside_the_ring_gives_the_nearest_frame_and_says_so(client, ready):
    name = ready()
    with client.preview(name, max_size=(320, 180)) as preview:
        seen = take(preview, 3)[-1]
        photo = client.photo(name, at_ns=seen.capture_time_ns)
        assert photo.frame_match is FrameMatch.EXACT
        assert timecode(photo).sequence == seen.sequence
        for distance in (-3_600_000_000_000, 3_600_000_000_000):
            photo = client.photo(name, at_ns=seen.capture_time_ns + distance)
            assert photo.frame_match is FrameMatch.NEAREST
            assert photo.shutter_lag_ns == timecode(photo).capture_time_ns - seen.capture_time_ns - distance
