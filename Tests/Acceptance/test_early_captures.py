"""Captures that a client requests before the photo output has started: which outputs they start, and the order of all
events.
"""

import time

import pytest
from google.protobuf import duration_pb2

import firstlight
from captures import SMALL, at_once, by_capture
from firstlight import Readiness, video_data_output
from firstlight.drill.v1 import fault_injection_service_pb2 as fault_pb2, fault_injection_service_pb2_grpc as fault_grpc
from firstlight.v1 import photo_service_pb2 as photos_pb2
from support import SYNTHETIC, Collector, Stamped, Stubs, call, capabilities, changed, take, timecode

WILL, DID = "will_run_deferred_start", "did_run_deferred_start"
INIT_NS = 700_000_000


@pytest.fixture
def slow(own_daemon):
    """A client of a daemon, and a function that starts a session in which each output, or only one, takes long to
    prepare.
    """
    with firstlight.connect(own_daemon("--enable-fault-injection").address, timeout=8) as client:

        def start(slow_output="", **features):
            fault = fault_pb2.OutputInitDelayFault(delay=duration_pb2.Duration(nanos=INIT_NS), output=slow_output)
            stub = fault_grpc.FaultInjectionServiceStub(client.channel)
            call(stub.InjectFault, fault_pb2.InjectFaultRequest(device=SYNTHETIC[0], output_init_delay=fault))
            name = client.create_session().name
            wanted = firstlight.configuration(
                SYNTHETIC[0],
                automatic_deferred_start=False,
                video_data=[video_data_output("other", pixel_format="GREY")],
                **SMALL,
                **features,
            )
            wanted.video_data[0].deferred_start_enabled = True
            client.configure(name, wanted)
            client.start(name)
            return name

        yield client, start


@pytest.mark.parametrize("responsive", [False, True])
def test_C8_deferred_start_is_over_and_told_before_the_photo(slow, responsive):
    client, start = slow
    # The photo output is ready at once. The photo still waits for the other output.
    name = start(slow_output="other", responsive_capture=responsive)
    with client.preview(name) as preview:
        take(preview, 5)
        told = Collector(Stamped(client.watch_session(name)))
        told.wait_for(len)
        responses = Stubs(client.channel).photos.CapturePhoto(photos_pb2.CapturePhotoRequest(session=name), timeout=8)
        capture = [(time.monotonic_ns(), response.event) for response in responses]
        events = told.wait_for(lambda items: any(changed(event) == DID for _, event in items))
    told.close()
    arrived = {changed(event): at for at, event in events}
    arrived |= {event.WhichOneof("event"): at for at, event in capture}
    launch = client.launch_timeline(name)
    ready = {output.output: output.init_end_ns for output in launch.outputs}
    assert ready["photo"] < ready["other"] - INIT_NS // 2
    assert launch.deferred_start_end_ns - launch.deferred_start_begin_ns >= INIT_NS
    assert arrived[WILL] < arrived[DID]
    early = {
        event.WhichOneof("event") for _, event in capture if event.monotonic_time_ns < launch.deferred_start_end_ns
    }
    # With responsive capture the daemon holds the frame and sends the events at once. It makes the photo afterwards.
    assert early == ({"will_begin_capture", "will_capture_photo", "did_capture_photo"} if responsive else set())
    if responsive:
        assert arrived["did_capture_photo"] < arrived[DID]
    photo = next(event for _, event in capture if event.HasField("did_finish_processing_photo"))
    made = photo.did_finish_processing_photo.photo
    finished = made.capture_time.ToNanoseconds() + photo.monotonic_time_ns - made.monotonic_time_ns
    (told_at,) = (event.event_time.ToNanoseconds() for _, event in events if changed(event) == DID)
    assert told_at < finished
    phases = made.phases
    assert phases.process_begin_ns >= launch.deferred_start_end_ns, "not while the last output is being made ready"


def test_C10_without_responsive_capture_the_second_request_waits_and_readiness_says_so(slow):
    client, start = slow
    name = start()
    assert capabilities(client.session(name)).max_captures_in_flight == 1
    readiness = Collector(Stamped(client.readiness(name)))
    readiness.wait_for(len)
    with client.preview(name) as preview:
        take(preview, 5)
        asked = time.monotonic_ns()
        photos = at_once(2, lambda _: client.photo(name))
    told = readiness.wait_for(lambda items: items[-1][1] is Readiness.READY)
    readiness.close()
    init_end = next(o for o in client.launch_timeline(name).outputs if o.output == "photo").init_end_ns
    # The daemon accepts both requests. From the first request to the last photo the output is not ready.
    first, second = sorted(photos, key=lambda photo: photo.phases.capture_begin_ns)
    assert [state for _, state in told].count(Readiness.READY) == 1
    assert told[-1][0] > second.phases.encode_end_ns
    assert told[0][1] is Readiness.NOT_READY_MOMENTARILY
    assert first.phases.capture_begin_ns >= init_end > asked + INIT_NS // 2
    assert second.phases.capture_begin_ns >= first.phases.encode_end_ns
    # By their pixels, both photos show a moment after the output was ready.
    for photo in (first, second):
        assert not photo.zero_shutter_lag_used
        assert timecode(photo) == (photo.sequence, photo.capture_time_ns, 0)
        assert photo.monotonic_time_ns >= init_end
    assert timecode(second).sequence >= timecode(first).sequence


def test_C10_with_responsive_capture_both_requests_begin_before_the_output_is_ready(slow):
    client, start = slow
    name = start(responsive_capture=True)
    told = Collector(Stamped(client.watch_captures(name, after_event_id=client.captures(name).event_id)))
    with client.preview(name) as preview:
        seen = take(preview, 5)[-1]
        photos = at_once(2, lambda _: client.photo(name))
    events = told.wait_for(lambda items: sum(event.HasField("did_finish_capture") for _, event in items) == 2)
    told.close()
    init_end = next(o for o in client.launch_timeline(name).outputs if o.output == "photo").init_end_ns
    began = [at for at, event in events if event.HasField("did_capture_photo")]
    assert len(by_capture(event for _, event in events)) == len(began) == 2
    assert max(began) < init_end, "the client knew both frames before the output was ready"
    for photo in photos:
        assert timecode(photo).sequence >= seen.sequence
        assert photo.monotonic_time_ns < init_end - INIT_NS // 2
