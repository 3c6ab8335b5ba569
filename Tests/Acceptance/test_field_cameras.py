"""What people report of cameras with oddities must not happen here. The cameras are those of PreloadedCameras, and the
ids in the names are those of `docs/field-log.md`.
"""

import io
import itertools
import time

import numpy as np
import pytest
from PIL import Image

import firstlight
from firstlight.v1 import recording_pb2
from movies import record, recording_session
from odd_cameras import DEVICE, asked, jpeg, probe, snapshot, started, yuyv
from support import refused, take

ODD_STAMPS = "time stamps stand still"


@pytest.mark.timeout(60)
@pytest.mark.parametrize("stamps", ["frozen", "pairs", "zero", "wall"])
def test_field_B6_stamps_that_cannot_be_true_are_replaced_and_said(odd_camera, tmp_path, stamps):
    size = (320, 240)
    _, client, log = odd_camera.serve("YUYV", size, 30, yuyv(size), stamps=stamps)
    session = recording_session(client, DEVICE)
    with client.preview(session) as preview:
        frames = take(preview, 30)
    times = [frame.monotonic_time_ns for frame in frames]
    assert all(before < after for before, after in itertools.pairwise(times))
    # The camera has 30 frames a second, and a busy machine may take one late.
    sequences = [frame.sequence for frame in frames]
    seconds, periods = (times[-1] - times[0]) / 1e9, sequences[-1] - sequences[0]
    assert abs(seconds - periods / 30) < 0.5
    assert log.read_text().count(ODD_STAMPS) == 1
    # The limit of time ends the movie, whose pictures are as far apart as they came.
    events = list(client.start_recording(session, max_seconds=1))
    done = events[-1].recording
    _, times = probe(tmp_path / "data" / "recordings" / done.file)
    # A busy machine may lose frames, also the last ones before the limit.
    assert done.end.cause == recording_pb2.RecordingEnd.CAUSE_MAX_RECORDED_DURATION
    assert len(times) > 5
    assert 0.3 < times[-1] - times[0] <= 1.05
    start = time.monotonic()
    assert client.photo(session).data
    assert time.monotonic() - start < 5
    assert log.read_text().count(ODD_STAMPS) == 1, "it is said once"


def test_field_B6_true_stamps_are_kept_without_a_word(odd_camera):
    size = (320, 240)
    _, client, log = odd_camera.serve("YUYV", size, 30, yuyv(size))
    with client.preview(started(client)) as preview:
        take(preview, 10)
    assert ODD_STAMPS not in log.read_text()


@pytest.mark.parametrize(
    ("told", "sent", "shown"),
    [
        # The camera fills its last blocks up.
        ((1920, 1080), (1920, 1088), (1920, 1080)),
        ((640, 360), (640, 368), (640, 360)),
        # The camera has another size than its driver says.
        ((640, 480), (640, 360), (640, 360)),
        ((320, 240), (640, 480), (640, 480)),
    ],
)
@pytest.mark.timeout(30)
def test_field_B7_a_size_that_every_picture_has_is_the_cameras(odd_camera, tmp_path, told, sent, shown):
    endpoint, client, log = odd_camera.serve("MJPG", told, 15, jpeg(sent))
    session = recording_session(client, DEVICE)
    picture = snapshot(endpoint)
    assert picture.size == shown
    # The picture is the part of what the camera sent that is shown, and no scaled one.
    columns = np.asarray(picture.convert("L")).mean(axis=0)
    assert np.abs(columns - np.linspace(20, 220, sent[0])[: shown[0]]).max() < 8
    assert Image.open(io.BytesIO(client.photo(session).data)).size == shown
    done = record(client, session, frames=5)[-1].recording
    assert probe(tmp_path / "data" / "recordings" / done.file)[0] == shown
    told_text, sent_text = (f"{size[0]}x{size[1]}" for size in (told, sent))
    assert f"confirmed pictures of {told_text}, and the camera sends {sent_text}" in log.read_text()


@pytest.mark.timeout(30)
def test_field_B7_pictures_of_the_former_size_at_the_beginning_do_no_harm(odd_camera):
    former, size = (640, 480), (320, 240)
    pictures = [jpeg(former)] * 8 + [jpeg(size)] * 2
    endpoint, client, _ = odd_camera.serve("MJPG", size, 15, *pictures, pictures="once")
    with client.preview(started(client)) as preview:
        assert next(frame for frame in preview if (frame.width, frame.height) == size)
        assert [(frame.width, frame.height) for frame in take(preview, 10)] == [size] * 10
    assert snapshot(endpoint).size == size


@pytest.mark.timeout(30)
def test_field_B7_pictures_of_many_sizes_are_damaged_and_counted(odd_camera):
    pictures = [jpeg((640, height)) for height in (360, 368, 376)]
    endpoint, client, log = odd_camera.serve("MJPG", (640, 480), 15, *pictures)
    started(client, preview=True)
    response, body = asked(endpoint, timeout=20)
    assert response.status == 503, body
    page = endpoint.ask("GET", "/metrics")[1].decode()
    assert "firstlight_session_pictures_damaged_total" in page
    (count,) = [
        float(line.split()[-1]) for line in page.splitlines() if line.startswith("firstlight_session_pictures_d")
    ]
    assert count > 3
    assert "the camera sends" not in log.read_text()


@pytest.mark.timeout(40)
@pytest.mark.parametrize("codec", [None, firstlight.MovieCodec.MOTION_JPEG])
def test_field_B13_a_camera_of_an_odd_size_is_recorded(odd_camera, tmp_path, codec):
    size = (641, 479)
    _, client, _ = odd_camera.serve("MJPG", size, 15, jpeg(size))
    session = recording_session(client, DEVICE, codec=codec)
    done = record(client, session, frames=10)[-1].recording
    found, times = probe(tmp_path / "data" / "recordings" / done.file)
    assert found == (done.size.width, done.size.height) == ((640, 478) if codec is None else size)
    assert len(times) >= 5


@pytest.mark.timeout(30)
@pytest.mark.parametrize(("settled", "is_bright"), [("", True), ("settled=1", True), ("settled=0", False)])
def test_field_B11_a_snapshot_of_a_camera_that_was_off_waits_until_it_has_settled(odd_camera, settled, is_bright):
    size = (320, 240)
    dark = [yuyv(size, 16 + 12 * number) for number in range(15)]
    on_demand = f"sessions: {{door: {{start: on-demand, inputs: [{{device: {DEVICE}}}], preview: {{}}}}}}"
    endpoint, _, _ = odd_camera.serve("YUYV", size, 15, *dark, yuyv(size, 220), sessions=on_demand, pictures="once")
    assert (np.asarray(snapshot(endpoint, settled).convert("L")).mean() > 150) == is_bright


#: A session that starts on demand and takes photos.
PHOTOS = f"sessions: {{door: {{start: on-demand, inputs: [{{device: {DEVICE}}}], photo: {{}}}}}}"


def brightness(photo: firstlight.Photo) -> float:
    """The mean luma of a photo."""
    return np.asarray(Image.open(io.BytesIO(photo.data)).convert("L")).mean()


@pytest.mark.timeout(30)
def test_field_B11_photo_of_a_camera_that_was_off_waits_until_it_has_settled(odd_camera):
    size = (320, 240)
    dark = [yuyv(size, 16 + 12 * number) for number in range(15)]
    _, client, _ = odd_camera.serve("YUYV", size, 15, *dark, yuyv(size, 220), sessions=PHOTOS, pictures="once")
    events = []
    photo = client.photo("sessions/door", on_event=events.append)
    assert brightness(photo) > 150
    assert photo.sequence >= 15
    # The frame came long after the request, and the photo says so.
    assert not photo.zero_shutter_lag_used
    assert photo.shutter_lag_ns > 0
    assert events[0].name == "will_begin_capture"
    # The session still runs, and its exposure has settled.
    again = client.photo("sessions/door")
    assert again.zero_shutter_lag_used
    assert brightness(again) > 150


@pytest.mark.timeout(30)
def test_field_B11_photo_of_a_named_moment_does_not_wait(odd_camera):
    size = (320, 240)
    dark = [yuyv(size, 16 + 6 * number) for number in range(30)]
    _, client, _ = odd_camera.serve("YUYV", size, 15, *dark, yuyv(size, 220), sessions=PHOTOS, pictures="once")
    photo = client.photo("sessions/door", at_ns=time.time_ns())
    assert photo.sequence < 15
    assert brightness(photo) < 110


@pytest.mark.timeout(30)
def test_field_B11_photo_of_a_scene_that_never_settles_comes_at_the_limit(odd_camera):
    size = (160, 120)
    # No three frames are equally bright, also where the daemon looks at some of them alone.
    pictures = [yuyv(size, 30 + 73 * number % 191) for number in range(120)]
    _, client, _ = odd_camera.serve("YUYV", size, 15, *pictures, sessions=PHOTOS, pictures="once")
    photo = client.photo("sessions/door")
    # After 2 s of 15 frames each. A busy machine may take the frame a little later.
    assert 28 <= photo.sequence < 60


@pytest.mark.timeout(30)
def test_field_B11_a_camera_that_runs_keeps_no_snapshot_waiting(odd_camera):
    size = (320, 240)
    endpoint, client, _ = odd_camera.serve("YUYV", size, 30, yuyv(size))
    with client.preview(started(client)) as preview:
        take(preview, 60)
    start = time.monotonic()
    for _ in range(5):
        snapshot(endpoint)
    assert time.monotonic() - start < 5, "each one would take 2 s"


def thermal(size, low=7000, high=7600):
    """The values of a camera that uses few of them, which get larger to the right."""
    return np.tile(np.linspace(low, high, size[0]).round().astype("<u2"), (size[1], 1))


def padded(values, stride):
    """The bytes of values whose lines are `stride` bytes apart."""
    lines = np.full((values.shape[0], stride), 0xA5, np.uint8)
    lines[:, : values.itemsize * values.shape[1]] = values.view(np.uint8)
    return lines.tobytes()


def columns(picture):
    """The means of the columns of an encoded picture."""
    return np.asarray(Image.open(io.BytesIO(picture)).convert("L")).mean(axis=0)


def spans_all(columns):
    """Whether a picture gets evenly brighter from black to white."""
    return np.abs(columns - np.linspace(0, 255, len(columns))).max() < 6


@pytest.mark.timeout(40)
@pytest.mark.parametrize(
    ("pixel_format", "low", "high"),
    [("Y16", 7000, 7600), ("Y14", 8000, 9000), ("Y12", 600, 1000), ("Y10", 100, 300), ("Y16", 0, 65535)],
)
def test_field_B14_raw_values_reach_readers_and_pictures_show_the_used_range(odd_camera, pixel_format, low, high):
    size = (160, 120)
    values = thermal(size, low, high)
    endpoint, client, _ = odd_camera.serve(pixel_format, size, 30, values.tobytes())
    (format,) = client.devices()[0].formats
    assert (format.pixel_format, format.converted_pixel_format) == (pixel_format, "")
    session = started(client, preview=True, photo=True, video_data=[firstlight.video_data_output("values")])
    with client.video_data(session) as data:
        frame = next(iter(data))
    assert (frame.pixel_format, frame.encoding) == (pixel_format, firstlight.Encoding.UNCOMPRESSED)
    assert frame.as_array().dtype == np.uint16
    assert (frame.as_array() == values).all()
    photo = client.photo(session, encoding=firstlight.Encoding.UNCOMPRESSED)
    assert photo.pixel_format == pixel_format
    assert (photo.as_array() == values).all()
    with client.preview(session) as preview:
        assert spans_all(columns(next(iter(preview)).data))
    assert spans_all(columns(asked(endpoint)[1]))
    assert spans_all(columns(client.photo(session).data))
    assert spans_all(columns(client.photo(session, encoding=firstlight.Encoding.PNG).data))


@pytest.mark.timeout(30)
@pytest.mark.parametrize(
    ("pixel_format", "dtype", "stride"), [("Y16", "<u2", 384), ("Y12", "<u2", 321), ("GREY", "u1", 192)]
)
def test_field_B14_padded_lines_are_the_cameras_too(odd_camera, pixel_format, dtype, stride):
    size = (160, 120)
    values = thermal(size, 0, 255).astype(dtype)
    _, client, _ = odd_camera.serve(pixel_format, size, 30, padded(values, stride), stride=stride)
    session = started(client, photo=True, video_data=[firstlight.video_data_output("values")])
    with client.video_data(session) as data:
        frame = next(iter(data))
    assert frame.planes == ((0, stride, size[1]),)
    assert (frame.as_array() == values).all()
    assert (client.photo(session, encoding=firstlight.Encoding.UNCOMPRESSED).as_array() == values).all()


@pytest.mark.timeout(30)
def test_field_B14_dead_pixels_do_not_take_the_contrast(odd_camera):
    size = (160, 120)
    values = thermal(size)
    values[60, 80], values[3, 150], values[100, 4] = 65535, 65535, 0
    endpoint, client, _ = odd_camera.serve("Y16", size, 30, values.tobytes())
    session = started(client, preview=True, photo=True)
    # A dead pixel changes the mean of its column by 2 at most.
    assert spans_all(columns(asked(endpoint)[1]))
    assert (client.photo(session, encoding=firstlight.Encoding.UNCOMPRESSED).as_array() == values).all()


@pytest.mark.timeout(30)
@pytest.mark.parametrize(("value", "grey"), [(7000, 128), (0, 0), (65535, 255)])
def test_field_B14_noise_of_a_uniform_picture_stays_noise(odd_camera, value, grey):
    size = (160, 120)
    noise = np.random.default_rng(1).integers(-2, 3, (size[1], size[0]))
    values = np.clip(value + noise, 0, 65535).astype("<u2")
    endpoint, client, _ = odd_camera.serve("Y16", size, 30, values.tobytes())
    started(client, preview=True)
    picture = np.asarray(Image.open(io.BytesIO(asked(endpoint)[1])).convert("L")).astype(int)
    assert np.abs(picture - grey).max() <= 5 * 4, "a step of the sensor is at most four of grey"


@pytest.mark.timeout(60)
def test_field_B14_other_formats_and_movies_are_made_for_those_who_ask(odd_camera, tmp_path):
    size = (160, 120)
    values = thermal(size)
    _, client, _ = odd_camera.serve("Y16", size, 30, values.tobytes())
    outputs = [firstlight.video_data_output("values")]
    outputs += [firstlight.video_data_output(name, pixel_format=name) for name in ("GREY", "NV12", "YUYV", "AR24")]
    session = started(client, preview=True, video_data=outputs, movie=firstlight.movie_output())
    for output in outputs:
        with client.video_data(session, output.id) as data:
            frame = next(iter(data))
        if output.id == "values":
            assert (frame.as_array() == values).all()
        else:
            assert frame.pixel_format == output.id
            assert spans_all(frame.luma().astype(int).mean(axis=0))
    done = record(client, session, frames=5)[-1].recording
    assert probe(tmp_path / "data" / "recordings" / done.file)[0] == size
    with client.preview(session, encoding=firstlight.Encoding.H264) as preview:
        assert next(iter(preview)).key_frame
    with refused("INVALID_ARGUMENT", "UNSUPPORTED_VALUE"):
        client.create_session(
            configuration=firstlight.configuration(
                DEVICE, video_data=[firstlight.video_data_output("values", pixel_format="Y12")]
            )
        )
    with refused("FAILED_PRECONDITION", "NOT_SUPPORTED_IN_CONFIGURATION"):
        client.create_session(
            configuration=firstlight.configuration(
                DEVICE, video_data=[firstlight.video_data_output("v", color_range=firstlight.ColorRange.LIMITED)]
            )
        )


@pytest.mark.timeout(30)
def test_field_B14_turned_frames_and_photos_keep_their_values(odd_camera):
    size = (160, 120)
    values = thermal(size) + np.arange(size[1], dtype="<u2")[:, None]
    _, client, _ = odd_camera.serve("Y16", size, 30, values.tobytes())
    wanted = firstlight.configuration(DEVICE, photo=True, video_data=[firstlight.video_data_output("values")])
    for output in ("values", "photo"):
        connection = wanted.connections.add(input="camera", output=output)
        connection.video_rotation_angle, connection.video_mirrored = 90, output == "photo"
    session = client.create_session(configuration=wanted, start=True).name
    turned = np.rot90(values, -1)
    with client.video_data(session) as data:
        assert (next(iter(data)).as_array() == turned).all()
    photo = client.photo(session, encoding=firstlight.Encoding.UNCOMPRESSED)
    assert (photo.as_array() == turned[:, ::-1]).all()


@pytest.mark.timeout(30)
def test_field_B14_shared_memory_has_the_values(own_daemon, odd_camera, tmp_path):
    size = (160, 120)
    path = tmp_path / "frames.sock"
    values = thermal(size)
    sessions = f"sessions: {{}}\nlocal-socket: {path}\n"
    _, client, _ = odd_camera.serve("Y16", size, 30, values.tobytes(), sessions=sessions)
    session = started(client, video_data=[firstlight.video_data_output("values")])
    with firstlight.SharedVideoDataStream(path, session) as frames:
        assert (next(frames).as_array() == values).all()


@pytest.mark.parametrize(("order", "name"), [(7, "alternate"), (5, "seq-tb"), (6, "seq-bt")])
def test_field_B17_fields_that_lie_apart_are_the_reason_that_a_camera_cannot_be_used(odd_camera, order, name):
    size = (320, 240)
    endpoint, client, log = odd_camera.serve("YUYV", size, 30, yuyv(size), field=order)
    (camera,) = client.devices()
    assert camera.name == DEVICE
    assert name in camera.unavailable.message
    assert name in log.read_text()
    assert asked(endpoint)[0].status == 404, "no synthetic camera takes its place"
    with refused("FAILED_PRECONDITION", "FORMAT_NOT_SUPPORTED"):
        started(client)


@pytest.mark.parametrize("order", [0, 1, 4])
def test_field_B17_other_orders_of_fields_are_shown(odd_camera, order):
    size = (320, 240)
    endpoint, client, _ = odd_camera.serve("YUYV", size, 30, yuyv(size), field=order)
    started(client)
    assert snapshot(endpoint).size == size


@pytest.mark.parametrize("pixel_format", ["VP80", "VP90", "Z16"])
def test_field_B18_a_camera_whose_formats_are_not_read_is_listed_with_the_reason(odd_camera, pixel_format):
    _, client, log = odd_camera.serve(pixel_format, (320, 240), 30, bytes(1000))
    (camera,) = client.devices()
    assert camera.name == DEVICE
    assert f"gives only {pixel_format}" in camera.unavailable.message
    assert f"gives only {pixel_format}" in log.read_text()


@pytest.mark.timeout(60)
def test_field_B19_a_snapshot_waits_for_a_long_exposure(odd_camera):
    size = (320, 240)
    endpoint, client, _ = odd_camera.serve("YUYV", size, 1, yuyv(size), period=12)
    started(client)
    assert snapshot(endpoint, timeout=40).size == size


@pytest.mark.timeout(30)
def test_field_B19_a_snapshot_that_never_comes_names_the_reason(odd_camera, tmp_path):
    size = (320, 240)
    endpoint, client, _ = odd_camera.serve("YUYV", size, 30, yuyv(size))
    name = started(client)
    client.stop(name)
    response, body = asked(endpoint, timeout=20)
    assert (response.status, response.headers["Retry-After"]) == (503, "5")
    assert "The session does not run; start sessions/odd." in body.decode()
