"""Video data gives programs every frame as captured."""

import itertools
import time

import pytest

import firstlight
from firstlight import video_data_output
from firstlight.drill.v1 import fault_injection_service_pb2 as fault_pb2, fault_injection_service_pb2_grpc as fault_grpc
from firstlight.v1 import (
    preview_service_pb2 as preview_pb2,
    session_pb2,
    video_data_service_pb2 as video_data_pb2,
)
from support import SYNTHETIC, Collector, call, excused, refused, resident_bytes, take, timecode

SMALL = {"pixel_format": "NV12", "size": (320, 180), "frame_rate": 30, "photo": False}


def lost(frame):
    return sum(frame.dropped)


@pytest.mark.parametrize("pixel_format", ["NV12", "YUYV"])
@pytest.mark.parametrize("wanted", ["", "NV12", "YUYV", "GREY", "AR24", "BGR4"])
def test_D2_the_pixels_say_what_the_message_says(client, session, pixel_format, wanted):
    outputs = [video_data_output("data", pixel_format=wanted)]
    name = session(start=True, pixel_format=pixel_format, size=(640, 360), video_data=outputs)
    with client.video_data(name) as data:
        for frame in take(data, 5):
            assert frame.pixel_format == (wanted or pixel_format)
            assert frame.luma().shape == (360, 640)
            assert timecode(frame) == (frame.sequence, frame.capture_time_ns, 0)
            black, white = (0, 255) if wanted in ("AR24", "BGR4") else (16, 235)
            assert set(frame.luma()[:60].flat) == {black, white}, "the board must be black and white to the bit"
        assert data.status.pixel_format == (wanted or pixel_format)
        assert (data.status.size.width, data.status.size.height) == (640, 360)


def test_D2_frames_are_in_order_and_their_times_are_the_cameras(client, session):
    name = session(start=True, video_data=[video_data_output("data", queue_depth=8)], **SMALL)
    with client.video_data(name) as data:
        frames = take(data, 30)
    for before, after in itertools.pairwise(frames):
        assert after.sequence - before.sequence == 1 + lost(after)
        steps = after.sequence - before.sequence
        assert (after.monotonic_time_ns - before.monotonic_time_ns) / steps == pytest.approx(1e9 / 30, rel=0.02)


def test_D2_a_stream_opened_before_start_is_quiet_then_flows(client, session):
    name = session(video_data=[video_data_output("data")], **SMALL)
    data = Collector(stream := client.video_data(name))
    asked_ns = time.time_ns()
    client.start(name)
    frames = data.wait_for(lambda items: len(items) >= 3)
    assert all(timecode(frame).capture_time_ns > asked_ns for frame in frames)
    assert stream.status.session_state == session_pb2.Session.STATE_RUNNING
    client.stop(name)
    client.start(name)
    data.wait_for(lambda items: items[-1].stream_id != frames[0].stream_id)
    client.delete_session(name)
    assert data.wait_for_end().reason == "SESSION_NOT_FOUND"


def test_D3_late_frames_give_way_to_the_newest(client, session):
    name = session(start=True, video_data=[video_data_output("data")], **SMALL)
    with (
        client.video_data(name, max_unacknowledged_frames=1) as slow,
        client.preview(name) as other,
    ):
        stopped_at = next(slow).sequence
        newest = take(other, 20)[-1]
        after = next(slow)
    assert after.sequence >= newest.sequence - 2
    assert excused(after.dropped) == after.sequence - stopped_at - 1


def test_D3_a_queue_absorbs_a_burst_then_new_frames_are_dropped(client, session):
    depth = 10
    name = session(start=True, video_data=[video_data_output("data", queue_depth=depth)], **SMALL)
    with (
        client.video_data(name, max_unacknowledged_frames=1) as slow,
        client.preview(name) as other,
    ):
        stopped_at = next(slow).sequence
        produced_until = next(frame for frame in other if frame.sequence >= stopped_at + depth + 10).sequence
        queued = take(slow, depth)
        after = next(slow)
    # On a busy machine the camera itself leaves frames out, which nobody could have queued.
    assert all(lost(frame) == frame.dropped.discontinuity for frame in queued)
    steps = itertools.pairwise([stopped_at, *(frame.sequence for frame in queued)])
    assert [now - before - 1 for before, now in steps] == [lost(frame) for frame in queued]
    assert after.sequence >= produced_until
    assert excused(after.dropped) == after.sequence - queued[-1].sequence - 1


@pytest.mark.parametrize("wanted", ["", "BGR4"])
@pytest.mark.parametrize("queue_depth", [None, 4])
def test_D4_delivered_and_dropped_are_what_was_produced(client, session, wanted, queue_depth):
    outputs = [video_data_output("data", pixel_format=wanted, queue_depth=queue_depth)]
    name = session(start=True, video_data=outputs, **SMALL)
    with (
        client.video_data(name, max_unacknowledged_frames=1) as slow,
        client.preview(name) as other,
    ):
        frames = take(slow, 2)
        for count in (15, 10):
            take(other, count)
            frames += take(slow, 6)
    assert sum(frame.dropped.late for frame in frames[1:]) > 10, "it was too slow, and must be told"
    produced = frames[-1].sequence - frames[0].sequence + 1
    assert len(frames) + sum(lost(frame) for frame in frames[1:]) == produced


@pytest.mark.alone
@pytest.mark.parametrize("wanted", ["", "GREY"])
def test_D4_each_cause_is_told_for_what_it_is(own_daemon, wanted):
    daemon = own_daemon("--enable-fault-injection")
    with firstlight.connect(daemon.address, timeout=8) as client:
        stub = fault_grpc.FaultInjectionServiceStub(client.channel)
        name = client.create_session().name
        outputs = [video_data_output("data", pixel_format=wanted, queue_depth=16)]
        client.configure(name, firstlight.configuration(SYNTHETIC[0], video_data=outputs, **SMALL))
        client.start(name)
        with client.video_data(name) as data:
            frames = take(data, 2)
            request = fault_pb2.InjectFaultRequest(device=SYNTHETIC[0], drop=fault_pb2.DropFault(frames=3))
            call(stub.InjectFault, request)
            while not lost(frames[-1]):
                frames.append(next(data))
        assert frames[-1].dropped == (0, 0, 3, 0)
        assert frames[-1].sequence - frames[-2].sequence == 4


def test_D2_a_frame_too_large_for_the_client_is_refused_with_the_size_needed(client, session):
    name = session(pixel_format="YUYV", size=(1920, 1080), video_data=[video_data_output("data")])
    with refused("FAILED_PRECONDITION", "MESSAGE_LIMIT") as refusal:
        next(client.video_data(name, max_message_bytes=1 << 20))
    needed = int(refusal.error.metadata["needed_bytes"])
    client.start(name)
    with client.video_data(name, max_message_bytes=needed) as data:
        assert len(next(data).data) == 1920 * 1080 * 2


def test_D2_a_frame_that_grows_too_large_ends_the_stream(client, session):
    outputs = [video_data_output("data")]
    name = session(start=True, video_data=outputs, **SMALL)
    with client.video_data(name, max_message_bytes=100 << 10) as data:
        next(data)
        client.configure(
            name, firstlight.configuration(SYNTHETIC[0], pixel_format="NV12", size=(640, 360), video_data=outputs)
        )
        with refused("FAILED_PRECONDITION", "MESSAGE_LIMIT"):
            take(data, 100)


@pytest.mark.parametrize(
    ("field", "value"),
    [("max_message_bytes", 1024), ("max_message_bytes", (256 << 20) + 1), ("max_unacknowledged_frames", 65)],
)
def test_D2_a_value_out_of_range_is_refused_by_name(stubs, session, field, value):
    name = session(video_data=[video_data_output("data")])
    request = video_data_pb2.StreamVideoDataRequest(session=name, **{field: value})
    with refused("INVALID_ARGUMENT") as refusal:
        call(stubs.video_data.StreamVideoData, request)
    assert refusal.error.violations[0].field == field


def test_D2_an_output_is_found_by_its_id(client, session):
    with refused("NOT_FOUND", "OUTPUT_NOT_FOUND"):
        next(client.video_data(session()))
    name = session(video_data=[video_data_output("one"), video_data_output("two")])
    with refused("NOT_FOUND", "OUTPUT_NOT_FOUND") as refusal:
        next(client.video_data(name))
    assert "one, two" in str(refusal.error)


def test_D2_a_removed_output_ends_its_streams(client, session):
    name = session(start=True, video_data=[video_data_output("data")], **SMALL)
    with client.video_data(name) as data:
        next(data)
        client.configure(name, firstlight.configuration(SYNTHETIC[0], **SMALL))
        with refused("FAILED_PRECONDITION", "OUTPUT_REMOVED"):
            take(data, 100)


def test_D2_a_stream_of_video_data_is_acknowledged_by_its_token(client, stubs, session):
    name = session(start=True, video_data=[video_data_output("data")], **SMALL)
    stream = stubs.video_data.StreamVideoData(
        video_data_pb2.StreamVideoDataRequest(session=name, max_unacknowledged_frames=1)
    )
    token = next(stream).status.stream_token
    first = next(response.frame for response in stream if response.HasField("frame"))
    acknowledge = preview_pb2.AcknowledgeFramesRequest(stream_token=token, sequence=first.sequence)
    call(stubs.previews.AcknowledgeFrames, acknowledge)
    assert next(response.frame for response in stream if response.HasField("frame")).sequence > first.sequence
    stream.cancel()


@pytest.mark.alone
def test_D3_a_reader_three_times_too_slow_loses_two_thirds_and_stays_fresh(client, session):
    name = session(start=True, video_data=[video_data_output("data")], **SMALL)
    with client.video_data(name, max_unacknowledged_frames=1) as slow:
        frames = []
        for frame in itertools.islice(slow, 25):
            frames.append(frame)
            time.sleep(0.1)  # The sleep stands for work that takes three frame periods.
    produced = frames[-1].sequence - frames[0].sequence
    assert sum(frame.dropped.late for frame in frames[1:]) == produced - 24
    assert 0.55 < sum(frame.dropped.late for frame in frames[1:]) / produced < 0.75


def test_D4_a_queue_of_large_frames_that_nobody_takes_is_out_of_buffers(own_daemon):
    daemon = own_daemon()
    with firstlight.connect(daemon.address, timeout=8) as client:
        name = client.create_session().name
        outputs = [video_data_output("data", queue_depth=64)]
        wanted = firstlight.configuration(
            SYNTHETIC[0], pixel_format="YUYV", size=(1920, 1080), photo=False, video_data=outputs
        )
        client.configure(name, wanted)
        client.start(name)
        resident = resident_bytes(daemon.process.pid)
        with (
            client.video_data(name, max_unacknowledged_frames=1) as slow,
            client.preview(name, max_size=(320, 180)) as other,
        ):
            first = next(slow)
            # 64 frames would take 265 MB. The pool has 64 MiB for the frames that are on their way.
            next(frame for frame in other if frame.sequence > first.sequence + 50)
            frames = [first]
            while not frames[-1].dropped.out_of_buffers:
                frames.append(next(slow))
        # Frames on their way to the slow reader may take 64 MiB of the pool.
        assert resident_bytes(daemon.process.pid) - resident < 128 << 20
    assert len(frames) < 40
    assert len(frames) + sum(lost(frame) for frame in frames[1:]) == frames[-1].sequence - first.sequence + 1


@pytest.mark.alone
def test_D4_damaged_frames_and_a_restart_are_counted_by_their_cause(own_daemon):
    daemon = own_daemon("--enable-fault-injection")
    with firstlight.connect(daemon.address, timeout=8) as client:
        stub = fault_grpc.FaultInjectionServiceStub(client.channel)
        name = client.create_session().name
        outputs = [video_data_output("data", queue_depth=16)]
        client.configure(name, firstlight.configuration(SYNTHETIC[0], video_data=outputs, **SMALL))
        client.start(name)
        with client.video_data(name) as data:
            take(data, 2)
            request = fault_pb2.InjectFaultRequest(device=SYNTHETIC[0], corrupt=fault_pb2.CorruptFault(frames=2))
            call(stub.InjectFault, request)
            assert next(frame for frame in data if lost(frame)).dropped == (0, 0, 0, 2)
            former = next(data).stream_id
            client.stop(name)
            client.start(name)
            restarted = next(frame for frame in data if frame.stream_id != former)
            assert restarted.dropped.discontinuity >= 1
            assert restarted.dropped.out_of_buffers == 0


def test_D2_a_frame_tells_what_it_was_taken_with(client, session):
    name = session(start=True, video_data=[video_data_output("data")], **SMALL)
    wanted = {"auto_exposure": 1, "exposure_time_absolute": 25, "gain": 400}
    try:
        with client.video_data(name) as data:
            before = next(data)
            assert (before.exposure_ns, before.gain) == (10_000_000, 100)
            client.set_controls(SYNTHETIC[0], wanted, session=name)
            after = next(frame for frame in data if frame.gain == 400)
            assert after.exposure_ns == 2_500_000
    finally:
        client.set_controls(SYNTHETIC[0], {"reset_controls": None}, session=name)


def test_D2_a_frame_tells_the_temperature_where_there_is_one(own_daemon, sysfs):
    sysfs.add_zone(40, "cpu-thermal", critical=110)
    sysfs.add_zone(51.5, "board", critical=110)
    daemon = own_daemon()
    with firstlight.connect(daemon.address, timeout=8) as client:
        name = client.create_session().name
        client.configure(name, firstlight.configuration(SYNTHETIC[0], video_data=[video_data_output("data")], **SMALL))
        client.start(name)
        with client.video_data(name) as data:
            assert next(data).temperature == 51.5


def test_D2_a_machine_that_tells_no_temperature_has_none(client, session):
    # The machine of the shared daemon is made of files and has no thermal zone.
    name = session(start=True, video_data=[video_data_output("data")], **SMALL)
    with client.video_data(name) as data:
        assert next(data).temperature is None
