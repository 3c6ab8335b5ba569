"""Every frame, as captured, for programs."""

import itertools

import pytest

import firstlight
from firstlight import video_data_output
from firstlight.v1 import (
    fault_injection_service_pb2 as fault_pb2,
    fault_injection_service_pb2_grpc as fault_grpc,
    preview_service_pb2 as preview_pb2,
    session_pb2,
    video_data_service_pb2 as video_data_pb2,
)
from support import SYNTHETIC, Collector, call, refused, take, timecode

SMALL = {"pixel_format": "NV12", "size": (320, 180), "frame_rate": 30, "photo": False}


def lost(frame):
    return sum(frame.dropped)


@pytest.mark.parametrize("pixel_format", ["NV12", "YUYV"])
@pytest.mark.parametrize("wanted", ["", "NV12", "YUYV", "GREY", "BGR4"])
def test_D2_the_pixels_say_what_the_message_says(client, session, pixel_format, wanted):
    outputs = [video_data_output("data", pixel_format=wanted)]
    name = session(start=True, pixel_format=pixel_format, size=(640, 360), video_data=outputs)
    with client.video_data(name) as data:
        for frame in take(data, 5):
            assert frame.pixel_format == (wanted or pixel_format)
            assert frame.luma().shape == (360, 640)
            assert timecode(frame) == (frame.sequence, frame.capture_time_ns)
            black, white = (0, 255) if wanted == "BGR4" else (16, 235)
            assert set(frame.luma()[:45].flat) == {black, white}, "the board must be black and white to the bit"
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
    client.start(name)
    started_ns = client.launch_timeline(name).start_requested_ns
    frames = data.wait_for(lambda items: len(items) >= 3)
    assert all(frame.monotonic_time_ns > started_ns for frame in frames)
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
    assert after.dropped.late == after.sequence - stopped_at - 1


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
    assert [frame.sequence for frame in queued] == list(range(stopped_at + 1, stopped_at + depth + 1))
    assert all(lost(frame) == 0 for frame in queued)
    assert after.sequence >= produced_until
    assert after.dropped.late == after.sequence - queued[-1].sequence - 1


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
        assert frames[-1].dropped == (0, 0, 3)
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
