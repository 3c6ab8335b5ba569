"""Several outputs of one session, and a swap to another camera."""

import grpc
import pytest

from client import assert_every_gap_is_counted, configuration, error_info, frames_until, next_frame
from firstlight.v1 import session_configuration_pb2 as configuration_pb2, types_pb2
from picture import drawn_sequence

pytestmark = pytest.mark.bare

FRAMES = 40
OWN = configuration_pb2.VideoDataOutput(id="own", always_discards_late_video_frames=False)
GREY = configuration_pb2.VideoDataOutput(id="grey", pixel_format="GREY")


def drawn(frame) -> int:
    """The sequence number in the pixels of a YUYV or GREY frame."""
    return drawn_sequence(frame.data, frame.planes[0].stride, step=2 if frame.pixel_format == "YUYV" else 1)


def test_A6_two_video_data_outputs_stream_and_an_id_given_twice_is_refused(client):
    camera = client.cameras()[0].name
    with (
        client.open_session(camera, video_data=[OWN, GREY]) as name,
        client.stream_video_data(name, "own") as own,
        client.stream_video_data(name, "grey") as grey,
    ):
        with pytest.raises(grpc.RpcError) as failure:
            client.configure(name, configuration(camera, video_data=[OWN, OWN]))
        assert failure.value.code() == grpc.StatusCode.INVALID_ARGUMENT
        assert error_info(failure.value).reason == "INVALID_ARGUMENT"
        for stream, pixel_format in ((own, "YUYV"), (grey, "GREY")):
            frame = next_frame(stream)
            assert frame.encoding == types_pb2.ENCODING_UNCOMPRESSED
            assert (frame.pixel_format, frame.width, frame.height) == (pixel_format, 640, 360)
            assert drawn(frame) == frame.sequence


def test_D2_video_data_carries_every_frame_by_the_drivers_number(client):
    for camera in client.cameras():
        with (
            client.open_session(camera.name, start=False, video_data=[OWN]) as name,
            client.stream_video_data(name, "own") as stream,
        ):
            client.start(name)
            first = next_frame(stream)
            frames = [first, *frames_until(stream, lambda frame, end=first.sequence + FRAMES: frame.sequence >= end)]
        for frame in frames:
            assert len(frame.data) == 640 * 360 * 2
            assert drawn(frame) == frame.sequence
        assert_every_gap_is_counted(frames)


def test_A7_a_connection_that_is_disabled_leaves_the_device_streaming(client):
    camera = client.cameras()[0].name
    with client.open_session(camera) as name, client.stream_preview(name) as stream:
        before = next_frame(stream)
        wanted = configuration(camera)
        wanted.connections.add(input="camera", output="photo")
        assert not client.configure(name, wanted).reconfigured
        response = client.configure(name, configuration(camera))
        assert not response.reconfigured
        after = frames_until(stream, lambda frame: frame.config_revision == response.session.config_revision)[-1]
    assert after.stream_id == before.stream_id
    assert drawn_sequence(after.data, after.planes[0].stride, step=2) == after.sequence


def test_A16_after_a_swap_no_frame_of_the_old_camera_comes(client):
    old, new = (camera.name for camera in client.cameras())
    with (
        client.open_session(old, video_data=[OWN]) as name,
        client.stream_preview(name) as preview,
        client.stream_video_data(name, "own") as data,
    ):
        before = {next_frame(stream).stream_id for stream in (preview, data)}
        wanted = configuration(new, video_data=[OWN])
        wanted.inputs[0].id = "other"
        response = client.configure(name, wanted)
        assert response.reconfigured
        with client.stream_video_data(name, "own") as fresh:
            assert next_frame(fresh).input == "other"
        after = set()
        for stream in (preview, data):
            first = frames_until(stream, lambda frame: frame.input == "other")[-1]
            assert first.config_revision == response.session.config_revision
            assert all(next_frame(stream).input == "other" for _ in range(5))
            after.add(first.stream_id)
        # The session has released the old camera.
        with client.open_session(old) as other, client.stream_preview(other) as stream:
            next_frame(stream)
    assert len(before) == len(after) == 1
    assert before.isdisjoint(after)
