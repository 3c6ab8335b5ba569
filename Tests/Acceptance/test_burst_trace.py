"""A burst of photos as a client sees it: when the client may ask again, and how old the frames are that it gets."""

import itertools
import threading
import time

import pytest

import firstlight
from captures import at_once
from firstlight import Quality, Readiness, video_data_output
from firstlight.v1 import photo_service_pb2 as photos_pb2
from support import Collector, Stamped, timecode

CAMERA = {"pixel_format": "NV12", "size": (1280, 720), "frame_rate": 30}
PERIOD_NS = 1_000_000_000 // 30
MOMENT_NS = 250_000_000
COUNT = 10


@pytest.mark.alone
def test_F4_a_button_is_unready_for_a_moment_after_each_touch(client, stubs, session):
    features = {"responsive_capture": True, "fast_capture_prioritization": True}
    name = session(start=True, max_quality=Quality.QUALITY, **features, **CAMERA)
    client.photo(name)
    with client.preview(name) as preview:
        # The ring then has the frames that a photo of this quality merges. A photo of the first frame alone takes a
        # millisecond, so the first touches would be over before the ring has more frames.
        next(frame for frame in preview if frame.sequence >= 10)
    request = photos_pb2.WatchReadinessRequest(session=name)
    readiness = Collector(Stamped(firstlight.Stream(stubs.photos.WatchReadiness(request), lambda response: response)))
    captures = Collector(Stamped(client.watch_captures(name, after_event_id=client.captures(name).event_id)))

    def counted(told, name):
        return sum(event.HasField(name) for _, event in told)

    fingers = []
    for index in range(COUNT):
        # Each touch comes as soon as the event of the touch before has arrived and the button is ready.
        captures.wait_for(lambda told, index=index: counted(told, "did_capture_photo") == index)
        readiness.wait_for(lambda told: told and told[-1][1].readiness == Readiness.READY)
        fingers.append(threading.Thread(target=client.photo, args=(name,), kwargs={"quality": Quality.QUALITY}))
        fingers[-1].start()
    for finger in fingers:
        finger.join()
    events = captures.wait_for(lambda told: counted(told, "did_finish_capture") == COUNT)
    trace = readiness.wait_for(lambda told: told[-1][1].readiness == Readiness.READY)
    readiness.close()
    captures.close()
    states = [Readiness(response.readiness) for _, response in trace]
    # When two changes follow quickly, a reader may get only the second state. As this is the state it has, it gets
    # neither.
    touches = states.count(Readiness.NOT_READY_MOMENTARILY)
    assert COUNT // 2 < touches <= COUNT
    assert states == [Readiness.READY, Readiness.NOT_READY_MOMENTARILY] * touches + [Readiness.READY]
    hints = {Readiness(response.readiness): response.hint for _, response in trace}
    assert hints == {
        Readiness.READY: photos_pb2.CAPTURE_READINESS_HINT_ENABLE,
        Readiness.NOT_READY_MOMENTARILY: photos_pb2.CAPTURE_READINESS_HINT_DISABLE_UNCHANGED,
    }
    moments = [(before, after) for (before, _), (after, _) in itertools.pairwise(trace)][1::2]
    print(f"not ready for {[(after - before) // 1_000_000 for before, after in moments]} ms")
    assert all(after - before < MOMENT_NS for before, after in moments)
    # The moment ends while the daemon still encodes the photo, so a client may ask again before it has the photo.
    begun = {event.unique_id: at for at, event in events if event.HasField("will_begin_capture")}
    done = {event.unique_id: at for at, event in events if event.HasField("did_finish_processing_photo")}
    early = [name for name, at in done.items() if any(begun[name] < ready < at for _, ready in moments)]
    assert len(early) > COUNT // 2


def test_J4_the_frame_held_is_the_newest_there_was_when_the_request_came(client, session):
    name = session(
        start=True,
        max_quality=Quality.QUALITY,
        responsive_capture=True,
        video_data=[video_data_output("raw")],
        **CAMERA,
    )
    client.photo(name)
    frames = Collector(client.video_data(name, "raw"))
    frames.wait_for(lambda items: len(items) >= 5)

    def ask(_):
        newest, told = frames.wait_for(len)[-1], []
        sent = time.monotonic_ns()
        photo = client.photo(name, quality=Quality.QUALITY, on_event=lambda _: told.append(time.monotonic_ns()))
        return newest, sent, told[0], photo

    asked = at_once(COUNT, ask)
    shown = {timecode(photo).sequence for *_, photo in asked}
    after = frames.wait_for(lambda items: items[-1].sequence > max(shown))
    frames.close()
    assert after[-1].sequence - min(shown) > len(shown) + 3, "photos came long after their frames"
    seen = {frame.sequence: frame for frame in after}
    for newest, sent, began, photo in asked:
        board, arrival = timecode(photo), photo.monotonic_time_ns - photo.shutter_lag_ns
        assert (board.sequence, board.capture_time_ns) == (photo.sequence, photo.capture_time_ns)
        # The request arrived after the client sent it and before the first event. The bound is 1 ms wider, because the
        # daemon's wall clock and its monotonic clock may differ a little.
        assert sent - 1_000_000 < arrival < began
        assert board.sequence >= newest.sequence, "the client had a newer one"
        assert photo.monotonic_time_ns <= arrival, "it was taken later"
        assert seen[board.sequence + 1].monotonic_time_ns > arrival - PERIOD_NS, "the next one was there"
        assert 0 < photo.pin_ns < began - arrival
