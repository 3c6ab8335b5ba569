"""What people report of cameras that send coded video must not happen here: such a camera is a camera, its stream goes
untouched to all who can take it, and is decoded for the others. The id in the names is that of `docs/field-log.md`.
"""

import contextlib
import io
import itertools
import pathlib
import time

import pytest
from PIL import Image

import firstlight
from coded_video import clip, coded_units, is_key_frame, number, pictures, slices, without_sets
from continuous import finished
from firstlight import Encoding, MovieCodec
from http_rpc import HTTPEndpoint
from movies import record, recording_session
from odd_cameras import DEVICE, OddCamera, jpeg, probe, snapshot, started
from processes import thread_names
from support import refused, take, wait_until

SIZE = (320, 240)
CODECS = {"H264": MovieCodec.H264, "HEVC": MovieCodec.HEVC}


def serve(
    camera: OddCamera, codec: str = "H264", shown: list[bytes] | None = None, **oddities: str | int
) -> tuple[list[bytes], HTTPEndpoint, firstlight.Client]:
    """The pictures of a clip, a daemon with a camera that shows them in turn, and a client of the daemon."""
    shown = shown or clip(codec, SIZE)
    endpoint, client, _ = camera.serve(codec, SIZE, 30, *shown, pictures="in_turn", **oddities)
    return shown, endpoint, client


def encoders(camera: OddCamera) -> list[str]:
    """The threads of the daemon that encode something."""
    return [name for name in thread_names(camera.daemon.process.pid) if name.startswith(("preview", "movie-encode"))]


def store(endpoint: HTTPEndpoint, path: str, file: pathlib.Path, seconds: float) -> None:
    """Writes what comes of a stream in this time into a file."""
    with contextlib.closing(endpoint.connection()) as connection, file.open("wb") as target:
        connection.request("GET", path)
        with connection.getresponse() as response:
            assert response.status == 200
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                target.write(response.read1())


def check_order(places: list[int]) -> None:
    """Checks that pictures of a clip follow each other, or that a key frame follows, as after a loss on a busy
    machine. The clip has one key frame, the first picture.
    """
    assert places[0] == 0
    for before, after in itertools.pairwise(places):
        assert after in (before + 1, 0), places


def decoded(data: bytes) -> int:
    """The number in the clip of a picture in JPEG."""
    return number(Image.open(io.BytesIO(data)))


@pytest.mark.parametrize("codec", CODECS)
def test_field_B18_a_camera_of_coded_video_is_listed_and_shown(odd_camera, codec):
    shown, endpoint, client = serve(odd_camera, codec)
    (camera,) = client.devices()
    assert (camera.name, camera.HasField("unavailable")) == (DEVICE, False)
    assert [format.pixel_format for format in camera.formats] == [codec]
    with client.preview(started(client)) as preview:
        for frame in take(preview, 10):
            assert decoded(frame.data) == frame.sequence % len(shown)
    assert snapshot(endpoint, "settled=0").size == SIZE


def test_field_B18_readers_of_h264_get_the_bytes_of_the_camera(odd_camera):
    shown, _, client = serve(odd_camera)
    with client.preview(started(client), encoding=Encoding.H264) as preview:
        frames = take(preview, 40)
        assert not encoders(odd_camera)
    assert frames[0].key_frame
    for frame in frames:
        picture = shown[frame.sequence % len(shown)]
        assert slices("H264", frame.data) == slices("H264", picture)
        assert frame.key_frame == is_key_frame("H264", picture)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("path", ["/stream.ts", "/stream.mp4"])
def test_field_B18_live_video_has_the_pictures_of_the_camera(odd_camera, tmp_path, path):
    shown, endpoint, client = serve(odd_camera)
    started(client)
    file = tmp_path / path[1:]
    store(endpoint, path, file, 3)
    assert not encoders(odd_camera)
    found = coded_units(file, "H264")
    assert len(found) > 30
    coded = {slices("H264", picture)[0]: place for place, picture in enumerate(shown)}
    # The last picture may have come in parts.
    check_order([coded[unit] for unit in found[:-1]])


@pytest.mark.timeout(60)
@pytest.mark.parametrize("codec", CODECS)
def test_field_B18_a_movie_has_the_pictures_of_the_camera(odd_camera, tmp_path, codec):
    shown, _, client = serve(odd_camera, codec)
    session = recording_session(client, DEVICE, codec=CODECS[codec])
    events = record(client, session, frames=50)
    assert not [name for name in encoders(odd_camera) if name.startswith("movie")]
    file = tmp_path / "data" / "recordings" / events[-1].recording.file
    coded = {slices(codec, picture)[0]: place for place, picture in enumerate(shown)}
    places = [coded[unit] for unit in coded_units(file, codec)]
    assert places[0] == 0, "a movie begins with a key frame"
    assert places == pictures(file, SIZE)
    assert len(places) > 20


@pytest.mark.timeout(60)
def test_field_B18_a_movie_in_another_codec_is_encoded(odd_camera, tmp_path):
    shown, _, client = serve(odd_camera)
    session = recording_session(client, DEVICE, codec=MovieCodec.FFV1)
    events = record(client, session, frames=20)
    shown_numbers = pictures(tmp_path / "data" / "recordings" / events[-1].recording.file, SIZE)
    assert len(shown_numbers) > 5
    assert all(place < len(shown) for place in shown_numbers)


@pytest.mark.timeout(60)
def test_field_B18_a_photo_shows_the_frame_that_was_seen(odd_camera):
    shown, _, client = serve(odd_camera)
    session = started(client)
    with client.preview(session) as preview:
        for frame in take(preview, 30)[20:]:
            photo = client.photo(session, of=frame)
            assert decoded(photo.data) == photo.sequence % len(shown)


def test_field_B18_video_data_is_decoded(odd_camera):
    shown, _, client = serve(odd_camera)
    outputs = [firstlight.video_data_output("frames")]
    with client.video_data(started(client, video_data=outputs), "frames") as stream:
        for frame in take(stream, 10):
            assert frame.pixel_format == "NV12"
            assert number(Image.fromarray(frame.luma()), is_limited=True) == frame.sequence % len(shown)


def test_field_B18_frames_that_cannot_be_decoded_alone_are_no_video_data(odd_camera):
    _, _, client = serve(odd_camera)
    outputs = [firstlight.video_data_output("frames", pixel_format="H264")]
    with refused("INVALID_ARGUMENT", "UNSUPPORTED_VALUE"):
        started(client, video_data=outputs)


@pytest.mark.timeout(60)
def test_field_B18_key_frames_without_parameter_sets_get_those_of_the_first_one(odd_camera):
    shown = clip("H264", SIZE, keys=15)
    shown[15] = without_sets("H264", shown[15])
    _, _, client = serve(odd_camera, shown=shown)
    session = started(client)
    starts: set[int] = set()
    for _ in range(12):
        with client.preview(session, encoding=Encoding.H264) as preview:
            first, *_ = take(preview, 5)
        starts.add(first.sequence % 30)
        assert b"\x00\x00\x01\x67" in first.data
        assert b"\x00\x00\x01\x68" in first.data
        if 15 in starts:
            break
    assert starts <= {0, 15}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("key_frames", [None, "asked"])
def test_field_B18_nobody_gets_pictures_that_need_a_lost_one(odd_camera, key_frames):
    asks = {"key_frames": key_frames} if key_frames else {}
    _, _, client = serve(odd_camera, lost=40, **asks)
    session = started(client)
    with client.preview(session, encoding=Encoding.H264) as preview:
        frames: list[firstlight.Frame] = []
        for frame in preview:
            frames.append(frame)
            if frame.sequence > 70:
                break
    after = next(frame for frame in frames if frame.sequence > 40)
    assert after.key_frame
    # By itself, the camera sends a key frame every 30 frames.
    assert (after.sequence % 30 == 0) == (not key_frames)
    with client.preview(session) as preview:
        take(preview, 5)


@pytest.mark.timeout(60)
def test_field_B18_a_lost_picture_ends_neither_the_stream_nor_a_movie(odd_camera, tmp_path):
    shown = clip("H264", SIZE)
    # The camera sends a key frame every four seconds, and takes no requests for one.
    shown += [shown[-1]] * 90
    _, _, client = serve(odd_camera, shown=shown, lost=20)
    session = recording_session(client, DEVICE)
    with client.preview(session, encoding=Encoding.H264) as preview:
        before = next(preview)
        after = next(frame for frame in preview if frame.sequence > 20)
    assert (before.stream_id, after.sequence % len(shown), after.key_frame) == (after.stream_id, 0, True)
    events = record(client, session, frames=10)
    assert pictures(tmp_path / "data" / "recordings" / events[-1].recording.file, SIZE)


@pytest.mark.timeout(60)
def test_field_B18_a_movie_ends_when_its_pictures_are_coded_otherwise(odd_camera, tmp_path):
    # After a second, the camera sends pictures with other parameter sets, which tell another size.
    other = (176, 144)
    shown = clip("H264", SIZE) + clip("H264", other)
    _, _, client = serve(odd_camera, shown=shown)
    session = recording_session(client, DEVICE)
    events = list(client.start_recording(session, max_seconds=10))
    done = events[-1].recording
    assert "parameter sets" in done.end.error.message
    # The movie begins with the key frame of either clip.
    path = tmp_path / "data" / "recordings" / done.file
    size, _ = probe(path)
    assert size in (SIZE, other)
    assert pictures(path, size)


@pytest.mark.timeout(60)
def test_field_B18_a_camera_that_sends_no_key_frame_any_more_is_started_again(odd_camera):
    shown = clip("H264", SIZE)
    # After its last picture, the camera repeats it.
    _, client, _ = odd_camera.serve("H264", SIZE, 30, *shown, pictures="once", lost=40)
    session = started(client)
    with client.preview(session, encoding=Encoding.H264) as preview:
        first = next(preview)
        after = next(frame for frame in preview if frame.stream_id != first.stream_id)
    assert after.key_frame


@pytest.mark.timeout(60)
def test_field_B18_a_camera_with_other_formats_is_asked_for_those_first(odd_camera):
    shown = clip("H264", SIZE)
    longest = max(map(len, shown))
    odd_camera.cameras.add_mode("H264", SIZE, 30, [picture.ljust(longest, b"\0") for picture in shown])
    _, client, _ = odd_camera.serve("MJPG", SIZE, 30, jpeg(SIZE), pictures="in_turn")
    with client.preview(started(client)) as preview:
        assert take(preview, 1)[0].data == jpeg(SIZE)
    client.configure("sessions/odd", firstlight.configuration(DEVICE, pixel_format="H264", size=SIZE))
    with client.preview("sessions/odd", encoding=Encoding.H264) as preview:
        assert take(preview, 5)[0].key_frame


@pytest.mark.timeout(90)
def test_field_B18_segments_begin_with_key_frames_of_the_camera(odd_camera, tmp_path):
    declared = f"sessions: {{door: {{inputs: [{{device: {DEVICE}}}], movie: {{}}, record: {{segment-duration: 1}}}}}}"
    shown = clip("H264", SIZE)
    _, client, _ = odd_camera.serve("H264", SIZE, 30, *shown, pictures="in_turn", sessions=declared)
    wait_until(lambda: len(finished(list(client.recordings("sessions/door")))) >= 3, seconds=20)
    segments = finished(list(client.recordings("sessions/door")))
    assert not [name for name in encoders(odd_camera) if name.startswith("movie")]
    for segment in segments:
        places = pictures(tmp_path / "data" / "recordings" / segment.file, SIZE)
        check_order(places)
