"""Captures one after the other, and captures that overlap."""

import itertools
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from google.protobuf import duration_pb2

import firstlight
from captures import SIZES, SMALL, at_once, by_capture, check_events, frame_bytes, is_over, watch
from faults import inject, stall
from firstlight import Encoding, Quality, Readiness
from firstlight.drill.v1 import fault_injection_service_pb2 as fault_pb2, fault_injection_service_pb2_grpc as fault_grpc
from firstlight.v1 import photo_service_pb2 as photos_pb2, session_pb2
from support import SYNTHETIC, Collector, call, capabilities, refused, resident_bytes, take, timecode


def photo_output(client, name):
    return client.session(name).resolved_configuration.photo


def photo_capabilities(client, name):
    return capabilities(client.session(name))


def test_J3_J6_J8_features_need_each_other(client, session):
    name = session(**SMALL)
    default, can = photo_output(client, name), photo_capabilities(client, name)
    assert can.zero_shutter_lag_supported
    assert default.zero_shutter_lag_enabled
    assert can.responsive_capture_supported
    assert not default.responsive_capture_enabled
    assert not can.fast_capture_prioritization_supported
    assert not default.fast_capture_prioritization_enabled
    assert can.max_captures_in_flight == 1

    client.configure(name, firstlight.configuration(SYNTHETIC[0], responsive_capture=True, **SMALL))
    responsive, can = photo_output(client, name), photo_capabilities(client, name)
    assert can.fast_capture_prioritization_supported
    assert not responsive.fast_capture_prioritization_enabled
    assert can.max_captures_in_flight > 1
    assert can.frame_memory_bytes > 0

    client.configure(name, firstlight.configuration(SYNTHETIC[0], zero_shutter_lag=False, **SMALL))
    assert not photo_capabilities(client, name).responsive_capture_supported


@pytest.mark.parametrize(
    ("features", "fields"),
    [
        ({"zero_shutter_lag": False, "responsive_capture": True}, ["responsive_capture_enabled"]),
        ({"fast_capture_prioritization": True}, ["fast_capture_prioritization_enabled"]),
        (
            {"zero_shutter_lag": False, "responsive_capture": True, "fast_capture_prioritization": True},
            ["responsive_capture_enabled", "fast_capture_prioritization_enabled"],
        ),
    ],
)
def test_J6_J8_what_is_not_supported_is_refused(client, session, features, fields):
    name = session(**SMALL)
    with refused("FAILED_PRECONDITION", "NOT_SUPPORTED_IN_CONFIGURATION") as refusal:
        client.configure(name, firstlight.configuration(SYNTHETIC[0], **SMALL, **features))
    assert [violation.field for violation in refusal.error.violations] == [
        f"configuration.photo.{field}" for field in fields
    ]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("zero_shutter_lag", [False, True])
def test_H6_without_responsive_capture_the_next_begins_when_the_photo_is_there(patient, session, zero_shutter_lag):
    client = patient
    name = session(start=True, zero_shutter_lag=zero_shutter_lag)
    client.photo(name)
    photos = at_once(6, lambda _: client.photo(name))
    photos.sort(key=lambda photo: photo.events[0].monotonic_time_ns)
    for before, after in itertools.pairwise(photos):
        assert after.phases.capture_begin_ns >= before.phases.encode_end_ns
        if not zero_shutter_lag:
            # By the board's time, the sensor began after the photo before was encoded.
            shown = after.monotonic_time_ns - after.capture_time_ns + timecode(after).capture_time_ns
            assert shown >= before.phases.encode_end_ns


@pytest.mark.timeout(60)
def test_J6_captures_begin_while_others_are_processed_and_come_in_order(patient, session):
    client, name = patient, session(start=True, responsive_capture=True)
    told = watch(client, name)
    client.photo(name)
    at_once(12, lambda _: client.photo(name))
    events = told.wait_for(lambda items: sum(map(is_over, items)) == 13, timeout=40)
    in_flight, most = set(), 0
    for event in events:
        if event.HasField("will_begin_capture"):
            in_flight.add(event.unique_id)
        if event.HasField("did_finish_processing_photo"):
            in_flight.remove(event.unique_id)
        most = max(most, len(in_flight))
    assert 1 < most <= photo_capabilities(client, name).max_captures_in_flight
    began = list(by_capture(events))
    finished = [event.unique_id for event in events if event.HasField("did_finish_processing_photo")]
    assert finished == began


@pytest.mark.timeout(60)
def test_J6_uncompressed_captures_never_overlap(own_daemon):
    with firstlight.connect(own_daemon("--enable-fault-injection").address, timeout=30) as client:
        wanted = firstlight.configuration(SYNTHETIC[0], responsive_capture=True, **SMALL)
        name = client.create_session(configuration=wanted).name

        def overlap(encoding):
            """For each capture after the first, whether it began before the one before it ended. No capture can end
            before all are under way, because the camera gives its first frame only then.
            """
            inject(client, stall(60))
            client.start(name)
            with ThreadPoolExecutor(5) as threads:
                photos = [threads.submit(client.photo, name, encoding=encoding) for _ in range(5)]
                while len(client.captures(name, state=photos_pb2.Capture.State.STATE_IN_PROGRESS).captures) < 5:
                    assert client.session(name).state == session_pb2.Session.State.STATE_RUNNING
                inject(client, stall(0))
            client.stop(name)
            phases = sorted((photo.result().phases for photo in photos), key=lambda phases: phases.capture_begin_ns)
            return [after.capture_begin_ns < before.encode_end_ns for before, after in itertools.pairwise(phases)]

        assert any(overlap(Encoding.JPEG)), "captures overlap unless their encoding keeps them from it"
        assert not any(overlap(Encoding.UNCOMPRESSED))


@pytest.fixture
def slow_output(own_daemon):
    """A client of a daemon whose photo outputs take 1.5 s to prepare, and a function that starts a session."""
    with firstlight.connect(own_daemon("--enable-fault-injection").address, timeout=8) as client:
        fault = fault_pb2.OutputInitDelayFault(delay=duration_pb2.Duration(seconds=1, nanos=500_000_000))
        stub = fault_grpc.FaultInjectionServiceStub(client.channel)
        call(stub.InjectFault, fault_pb2.InjectFaultRequest(device=SYNTHETIC[0], output_init_delay=fault))

        def start(**features):
            name = client.create_session().name
            wanted = firstlight.configuration(SYNTHETIC[0], automatic_deferred_start=False, **SMALL, **features)
            client.configure(name, wanted)
            client.start(name)
            return name

        yield client, start


def test_C10_responsive_captures_before_the_output_is_ready_keep_their_moment(slow_output):
    client, start = slow_output
    name = start(responsive_capture=True)
    with client.preview(name) as preview:
        take(preview, 5)
        photos = at_once(2, lambda _: client.photo(name))
    init_end = next(o for o in client.launch_timeline(name).outputs if o.output == "photo").init_end_ns
    for photo in photos:
        arrival = photo.monotonic_time_ns - photo.shutter_lag_ns
        assert photo.zero_shutter_lag_used
        assert timecode(photo) == (photo.sequence, photo.capture_time_ns, 0)
        assert init_end - photo.monotonic_time_ns > 1_000_000_000, "long before the output was ready"
        assert -50_000_000 < photo.shutter_lag_ns <= 0
        # The end of the preparation is no fit bound, because the daemon notes it a moment after it tells the output
        # that it is ready.
        begun = photo.phases.process_begin_ns
        assert arrival < init_end
        assert begun - photo.monotonic_time_ns > 1_000_000_000, "processed once it was"


def test_C10_without_responsive_capture_the_moment_is_when_the_output_is_ready(slow_output):
    client, start = slow_output
    name = start()
    with client.preview(name) as preview:
        take(preview, 5)
        photo = client.photo(name)
    init_end = next(o for o in client.launch_timeline(name).outputs if o.output == "photo").init_end_ns
    assert not photo.zero_shutter_lag_used
    assert photo.monotonic_time_ns >= init_end
    assert timecode(photo).sequence == photo.sequence


def test_H4_quality_above_the_maximum_is_refused(client, session):
    name = session(start=True, max_quality=Quality.SPEED, **SMALL)
    assert client.photo(name, quality=Quality.SPEED).quality is Quality.SPEED
    assert client.photo(name).quality is Quality.SPEED, "the default is what is allowed"
    with refused("INVALID_ARGUMENT", "UNSUPPORTED_VALUE") as refusal:
        client.photo(name, quality=Quality.QUALITY)
    assert [violation.field for violation in refusal.error.violations] == ["settings.quality_prioritization"]


@pytest.mark.timeout(60)
def test_H4_quality_is_balanced_unless_asked_for(patient, session):
    client = patient
    # Three photos are taken of one frame, one after the other.
    name = session(start=True, window=5, max_quality=Quality.QUALITY, **SMALL)
    assert photo_output(client, name).max_quality_prioritization == Quality.QUALITY
    assert photo_capabilities(client, name).supported_max_quality_prioritization == Quality.QUALITY
    with client.preview(name, max_size=(320, 180)) as preview:
        take(preview, 12)
        seen = next(preview)
        frames = {}
        for quality in (Quality.SPEED, Quality.QUALITY, Quality.BALANCED):
            photo = client.photo(name, of=seen, quality=quality)
            assert (photo.quality, timecode(photo).sequence) == (quality, seen.sequence)
            frames[quality] = photo.fused_frame_count
        assert client.photo(name).quality is Quality.BALANCED
    assert 1 == frames[Quality.SPEED] < frames[Quality.BALANCED] < frames[Quality.QUALITY]


def test_H4_the_maximum_is_balanced_unless_asked_for(client, session):
    name = session(start=True, **SMALL)
    assert photo_output(client, name).max_quality_prioritization == Quality.BALANCED
    with refused("INVALID_ARGUMENT", "UNSUPPORTED_VALUE"):
        client.photo(name, quality=Quality.QUALITY)


def test_H4_without_the_ring_the_frames_that_follow_are_merged(client, session):
    name = session(start=True, zero_shutter_lag=False, **SMALL)
    client.photo(name)
    photo = client.photo(name)
    arrived_ns = time.time_ns()
    assert photo.fused_frame_count == 3
    assert not photo.zero_shutter_lag_used
    # The photo's time is that of the first of the frames. The camera had to take the other frames after it.
    assert arrived_ns - timecode(photo).capture_time_ns > 2 * 33_000_000


@pytest.mark.parametrize("fast", [False, True])
def test_J8_bursts_are_hurried_only_where_wanted(client, session, fast):
    features = {"responsive_capture": True, "fast_capture_prioritization": fast}
    name = session(start=True, max_quality=Quality.QUALITY, **features, **SMALL)
    client.photo(name)
    time.sleep(1.1)
    told = watch(client, name)
    at_once(8, lambda _: client.photo(name, quality=Quality.QUALITY))
    time.sleep(1.1)
    assert client.photo(name, quality=Quality.QUALITY).quality is Quality.QUALITY, "it is not part of the burst"
    events = told.wait_for(lambda items: sum(map(is_over, items)) == 9)
    resolved = [each[0].resolved_settings.quality_prioritization for each in by_capture(events).values()]
    hurried = [Quality.QUALITY] * 3 + [Quality.BALANCED] * 5 + [Quality.QUALITY]
    assert resolved == (hurried if fast else [Quality.QUALITY] * 9)


@pytest.mark.parametrize("size", SIZES)
def test_J9_100_rapid_captures_of_quality_stay_within_memory_and_none_is_lost(patient, daemon, session, size):
    client, name = patient, session(start=True, max_quality=Quality.QUALITY, responsive_capture=True, **size)
    told = watch(client, name)
    client.photo(name)
    budget = photo_capabilities(client, name).frame_memory_bytes
    readiness = Collector(client.readiness(name))
    before = resident_bytes(daemon.process.pid)
    most = []

    def shoot(_):
        photo = client.photo(name, quality=Quality.QUALITY)
        most.append(resident_bytes(daemon.process.pid))
        return photo

    photos = at_once(100, shoot)
    assert all(isinstance(photo, firstlight.Photo) for photo in photos)
    # At 180p, what a hundred photos could leave behind is much less than the budget.
    assert max(most) - before < min(budget, 1.5 * 100 * frame_bytes(size))
    print(f"100 photos took {(max(most) - before) / 2**20:.0f} MiB more at most, of {budget / 2**20:.0f}")
    assert readiness.wait_for(lambda items: items[-1] is Readiness.READY)
    assert Readiness.NOT_READY_MOMENTARILY in readiness.wait_for(len)
    events = told.wait_for(lambda items: sum(map(is_over, items)) == 101, timeout=40)
    finished = [event.unique_id for event in events if event.HasField("did_finish_processing_photo")]
    assert finished == list(by_capture(events)), "in the order they began"
    for each in by_capture(events).values():
        check_events(each)
