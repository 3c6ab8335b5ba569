"""Features of sessions with both cameras of the real driver, one of which has the multi-planar API. The tests of these
features have the marker `bare` and run on any machine. This file shows in short that a driver's buffers serve them too.
"""

import io

import pytest
from PIL import Image

import firstlight
from client import frames_until, next_frame
from firstlight import camera_input, connection, movie_output, video_data_output
from firstlight.v1 import (
    overlay_pb2,
    photo_pb2,
    types_pb2,
    video_data_service_pb2 as video_data,
)
from picture import decode_jpeg_luma, drawn_sequence
from test_constituent_photos import shown
from test_launch import DID, WILL, is_did, kinds
from test_recording import started

SIZE = (640, 360)
RATE = 10


@pytest.fixture
def session(sdk, client):
    """A session that has run its deferred start, with two outputs of each kind."""
    cameras = [
        camera_input(camera.name, id=f"cam-{number}", pixel_format="YUYV", size=SIZE, frame_rate=RATE)
        for number, camera in enumerate(client.cameras())
    ]
    wanted = firstlight.configuration(
        inputs=cameras,
        constituent_photos=True,
        additional_previews=["side"],
        video_data=[video_data_output("own"), video_data_output("grey", pixel_format="GREY")],
        movie=movie_output(),
        additional_movies=[movie_output(id="second")],
        connections=[
            *(connection(output, input="cam-0") for output in ("preview", "own", "photo", "movie")),
            *(connection(output, input="cam-1") for output in ("side", "grey", "photo", "second")),
        ],
    )
    name = sdk.create_session(configuration=wanted).name
    with client.watch_session(name) as events, client.stream_preview(name) as preview:
        client.start(name)
        assert drawn_sequence((frame := next_frame(preview)).data, 2 * SIZE[0], 2) == frame.sequence
        assert kinds(events.until(is_did)) == [WILL, DID]
    yield name
    sdk.delete_session(name)


def test_A6_D2_video_data_of_both_cameras_has_the_drivers_numbers(client, session):
    for output, step in (("own", 2), ("grey", 1)):
        with client.stream_video_data(session, output) as stream:
            frame = next_frame(stream)
        assert drawn_sequence(frame.data, frame.planes[0].stride, step) == frame.sequence


def test_D6_an_overlay_is_drawn_over_a_frame_of_the_driver(client, session):
    pixel = {"width": 32, "height": 32, "rgba": bytes([255, 0, 0, 255]) * 32 * 32}
    red = overlay_pb2.Overlay(elements=[{"image": {"pixels": pixel, "x": 0.7, "y": 0.7, "relative_width": 0.2}}])
    client.video_data.SetOverlay(video_data.SetOverlayRequest(session=session, overlay=red))

    def is_red(frame):
        red, green, blue = Image.open(io.BytesIO(frame.data)).convert("RGB").getpixel((515, 310))
        return red > 240 and max(green, blue) < 20

    with client.stream_preview(session, types_pb2.ENCODING_JPEG) as stream:
        frame = frames_until(stream, is_red)[-1]
    luma, width, _ = decode_jpeg_luma(frame.data)
    assert drawn_sequence(luma, width) == frame.sequence


def test_H12_a_photo_of_both_cameras_has_the_drivers_numbers(client, session):
    settings = photo_pb2.PhotoSettings(constituent_inputs=["cam-0", "cam-1"])
    events = client.capture(session, settings=settings, max_message_bytes=16 << 20)
    assert not events[-1].did_finish_capture.HasField("error"), events[-1]
    done = [event.did_finish_processing_photo for event in events if event.HasField("did_finish_processing_photo")]
    assert [each.photo.input for each in done] == ["cam-0", "cam-1"]
    for each in done:
        assert shown(each.photo) == each.photo.sequence


def test_L2_both_cameras_are_recorded_at_once(sdk, session):
    names = [started(sdk.start_recording(session, output=output)) for output in ("movie", "second")]
    for name in names:
        stopped = sdk.stop_recording(name)
        assert stopped.playable
        assert stopped.frame_count > 0
        sdk.delete_recording(name)
