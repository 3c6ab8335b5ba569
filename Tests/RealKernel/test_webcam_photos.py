"""Photos of a camera with JPEG frames and a settable exposure. The pixels show what the photos are."""

import datetime
import io
import itertools
import json
import subprocess

import numpy as np
import pytest
from PIL import Image

import firstlight
import jpeg_parts
from client import PATIENCE
from firstlight import Encoding, Exposure, FrameMatch, Quality
from webcam import REFERENCE_EXPOSURE

SIZE = (640, 360)
#: The limits of the camera's exposure: 100 µs to 0.5 s.
SHORTEST_NS, LONGEST_NS = 100_000, 500_000_000
USUAL_NS = REFERENCE_EXPOSURE * 100_000


@pytest.fixture(scope="module")
def running(sdk, shared_webcam, client):
    """The name of a running session whose photo output has all features, and the recording of the camera's pictures."""
    camera = shared_webcam.device(client).name
    name = sdk.create_session().name
    wanted = firstlight.configuration(
        camera, pixel_format="MJPG", size=SIZE, frame_rate=30, max_quality=Quality.QUALITY
    )
    # A request may take long on an emulated machine. The window is so long that the frame is still in the ring.
    wanted.photo.zero_shutter_lag_window.FromSeconds(2)
    sdk.configure(name, wanted)
    with shared_webcam.recording() as recording, sdk.preview(name) as preview:
        sdk.start(name)
        while not sdk.launch_timeline(name).HasField("first_settled_sequence"):
            next(preview)
        yield name, recording
    sdk.delete_session(name)


@pytest.fixture
def session(running):
    """The name of the running session."""
    return running[0]


def board(picture):
    """The timecode board of a frame or a photo."""
    read = firstlight.timecode.decode(picture.luma())
    assert read is not None
    return read


def level(picture):
    """The brightness of a picture: 1 in the usual exposure. It is read from the grey of 40, which these exposures
    neither clip nor round away.
    """
    luma = picture.luma().astype(float)
    height, width = luma.shape
    return luma[height // 4 : height * 2 // 5, width * 7 // 32].mean() / 40


def controls(sdk, session):
    """The values of the camera's controls, by id."""
    camera = sdk.session(session).configuration.inputs[0].device
    return {
        control.id: getattr(control.value, control.value.WhichOneof("value"))
        for control in sdk.device(camera).controls
        if control.HasField("value")
    }


def without_exif(jpeg):
    """A JPEG without its EXIF segment, which a photo has and a frame lacks."""
    for marker, begin, end in jpeg_parts.segments(jpeg):
        if marker == 0xE1 and jpeg[begin + 4 :].startswith(b"Exif"):
            return jpeg[:begin] + jpeg[end:]
    raise AssertionError("there is no EXIF")


def seen(sdk, session):
    """A frame that a person sees now."""
    with sdk.preview(session) as preview:
        return next(itertools.islice(preview, 2, None))


def test_J2_a_photo_is_exactly_the_frame_named_to_the_byte(sdk, running):
    session, recording = running
    with sdk.preview(session) as preview:
        for _ in range(3):
            frame = next(itertools.islice(preview, 4, None))
            assert frame.data == recording.picture(frame.sequence)
            photo = sdk.photo(session, of=frame, quality=Quality.SPEED)
            assert photo.frame_match == FrameMatch.EXACT
            assert photo.zero_shutter_lag_used
            assert (photo.sequence, photo.stream_id) == (frame.sequence, frame.stream_id)
            assert photo.monotonic_time_ns == frame.monotonic_time_ns
            assert board(photo) == board(frame)
            assert board(photo).sequence == frame.sequence
            assert without_exif(photo.data) == recording.picture(frame.sequence)


def test_J2_J3_a_photo_of_now_is_from_before_the_request_and_without_zero_shutter_lag_from_after(sdk, running):
    session, recording = running
    with sdk.preview(session) as preview:
        for enabled in (True, False):
            wanted = sdk.session(session).configuration
            wanted.photo.zero_shutter_lag_enabled = enabled
            sdk.configure(session, wanted)
            before = next(itertools.islice(preview, 4, None))
            photo = sdk.photo(session, quality=Quality.SPEED)
            assert photo.zero_shutter_lag_used == enabled
            assert board(photo).sequence == photo.sequence
            assert without_exif(photo.data) == recording.picture(photo.sequence)
            if enabled:
                assert photo.shutter_lag_ns <= 0
            else:
                assert photo.shutter_lag_ns > 0
                assert photo.sequence > before.sequence
    wanted.photo.zero_shutter_lag_enabled = True
    sdk.configure(session, wanted)


def test_H9_J3_a_manual_exposure_is_in_the_pixels_of_its_photo_alone(sdk, session, shared_webcam):
    usual = sdk.photo(session, quality=Quality.SPEED)
    assert level(usual) == pytest.approx(1, abs=0.05)
    before = controls(sdk, session)
    assert before["auto_exposure"] != 1
    for exposure, wanted in (
        (Exposure(seconds=USUAL_NS / 4e9), 0.25),
        (Exposure(seconds=USUAL_NS / 2e9, gain=25), 1),
        (Exposure(seconds=USUAL_NS / 1e9, gain=50), 3),
    ):
        frame = seen(sdk, session)
        photo = sdk.photo(session, exposure=exposure, quality=Quality.SPEED)
        assert level(photo) == pytest.approx(wanted, rel=0.05)
        assert photo.exposure_ns == round(exposure.seconds * 1e9)
        assert exposure.gain is None or photo.gain == exposure.gain
        assert not photo.zero_shutter_lag_used
        assert photo.shutter_lag_ns > 0
        assert board(photo).sequence == photo.sequence > frame.sequence
        exif = Image.open(io.BytesIO(photo.data)).getexif().get_ifd(0x8769)
        assert float(exif[0x829A]) == pytest.approx(exposure.seconds)
        after = controls(sdk, session)
        # The camera's automatic exposure changes the exposure time by itself.
        for values in (before, after):
            values.pop("exposure_time_absolute", None)
        assert after == before, "set back"
        assert shared_webcam.status["gain"] == 0
        now = sdk.photo(session, quality=Quality.SPEED)
        assert now.zero_shutter_lag_used
        assert level(now) == pytest.approx(1, abs=0.05), "nothing of another photo's exposure"


def test_H9_limits_are_the_drivers(sdk, session):
    told = next(each for each in sdk.session(session).output_capabilities if each.output == "photo")
    limits = told.photo_capabilities.exposure_limits
    assert limits.min_exposure_duration.ToNanoseconds() == SHORTEST_NS
    # The camera streams 30 frames per second, which limits the exposure.
    assert limits.max_exposure_duration.ToNanoseconds() <= LONGEST_NS
    assert (limits.min_gain, limits.max_gain) == (0, 100)
    assert not limits.HasField("max_exposure_bias"), "it has no control of its own for that"


def test_H8_a_manual_bracket_has_the_exposures_asked_for(sdk, session):
    wanted = [0.5, 1, 2]
    photos = sdk.bracket(session, [Exposure(seconds=USUAL_NS / 1e9 * factor) for factor in wanted])
    assert [photo.bracket_index for photo in photos] == [0, 1, 2]
    for photo, factor in zip(photos, wanted, strict=True):
        assert level(photo) == pytest.approx(factor, rel=0.05)
        assert photo.exposure_ns == round(USUAL_NS * factor)
        assert not photo.zero_shutter_lag_used
        assert board(photo).sequence == photo.sequence
    sequences = [photo.sequence for photo in photos]
    assert sequences == sorted(set(sequences))
    assert level(sdk.photo(session, quality=Quality.SPEED)) == pytest.approx(1, abs=0.05)


def contrast(photo):
    """The differences between the two darkest greys and between the two brightest greys."""
    luma = photo.luma().astype(float)
    height, width = luma.shape
    greys = [luma[height // 4 : height * 2 // 5, width * (2 * i + 1) // 32].mean() for i in range(16)]
    return np.array([greys[2] - greys[0], greys[15] - greys[13]])


def test_H5_a_merged_bracket_shows_what_each_exposure_loses(sdk, session):
    exposures = [Exposure(seconds=USUAL_NS / 1e9 * factor) for factor in (0.25, 3)]
    dark, bright = map(contrast, sdk.bracket(session, exposures, encoding=Encoding.UNCOMPRESSED))
    (merged,) = sdk.bracket(session, exposures, encoding=Encoding.UNCOMPRESSED, merge=True)
    assert merged.fused_frame_count == 2
    assert bright[1] < 1, "it is white there"
    assert dark[0] < 0.2 * bright[0], "it is nearly black there"
    assert (contrast(merged) > 0.4 * np.maximum(dark, bright)).all()


@pytest.mark.parametrize("quality", [Quality.BALANCED, Quality.QUALITY])
def test_H4_H5_a_merge_of_jpeg_frames_is_sharp_and_of_its_frame(sdk, running, quality):
    session, recording = running
    frame = seen(sdk, session)
    photo = sdk.photo(session, of=frame, quality=quality)
    assert photo.quality == quality
    assert photo.fused_frame_count > 1
    assert (photo.sequence, photo.stream_id) == (frame.sequence, frame.stream_id)
    # Board and time are those of the named frame, although they change with every frame that is merged.
    assert board(photo) == board(frame)
    single = np.asarray(Image.open(io.BytesIO(recording.picture(frame.sequence))).convert("L")).astype(float)
    merged = photo.luma().astype(float)
    assert np.abs(merged - single).mean() < 2, "nothing moves below the board"
    assert merged[300:340].std() == pytest.approx(single[300:340].std(), rel=0.1), "the finest detail is there"
    told = exif_of(photo)
    assert told["Model"] == "Example Webcam"
    assert instant_ns(told) == photo.capture_time_ns // 1000 * 1000


def noise(photo):
    """The mean standard deviation of luma inside the greys."""
    luma = photo.luma().astype(float)
    height, width = luma.shape
    greys = [luma[height // 4 : height * 2 // 5, width * i // 16 + 8 : width * (i + 1) // 16 - 8] for i in range(16)]
    return np.mean([grey.std() for grey in greys])


def test_H4_H5_noise_falls_with_quality_and_time_rises(sdk, session, shared_webcam):
    shared_webcam.noise(8)
    try:
        # The wait skips frames that were sent before the noise began.
        with sdk.preview(session) as preview:
            next(itertools.islice(preview, 40, None))
        # There are several photos of each quality, because the noise decides how much of the frames can be merged.
        photos = [
            [sdk.photo(session, quality=quality, encoding=Encoding.UNCOMPRESSED) for _ in range(4)]
            for quality in (Quality.SPEED, Quality.BALANCED, Quality.QUALITY)
        ]
    finally:
        shared_webcam.noise(0)
    speed, balanced, best = (np.mean([noise(photo) for photo in each]) for each in photos)
    assert speed > 5
    assert best < balanced <= 0.6 * speed
    seconds = [min(photo.phases.process_end_ns - photo.phases.process_begin_ns for photo in each) for each in photos]
    assert seconds == sorted(seconds)


def exif_of(photo):
    """The tags that exiftool reads from a photo."""
    command = ["exiftool", "-j", "-n", "-"]
    told = subprocess.run(command, check=True, input=photo.data, capture_output=True, timeout=PATIENCE).stdout
    return json.loads(told)[0]


def instant_ns(told):
    """The time of the photo by its EXIF, in nanoseconds. The clock of the guest is in UTC."""
    instant = datetime.datetime.fromisoformat(told["SubSecDateTimeOriginal"].replace(":", "-", 2))
    return round(instant.timestamp() * 1e6) * 1000


@pytest.mark.parametrize("encoding", [Encoding.JPEG, Encoding.HEIC, Encoding.PNG])
def test_H10_every_encoding_is_the_frame_named_with_its_exif(sdk, session, tmp_path, encoding):
    frame = seen(sdk, session)
    photo = sdk.photo(session, of=frame, quality=Quality.SPEED, encoding=encoding)
    data = photo.data
    if encoding is Encoding.HEIC:
        (tmp_path / "photo.heic").write_bytes(data)
        command = ["heif-convert", tmp_path / "photo.heic", tmp_path / "photo.png"]
        subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)
        data = (tmp_path / "photo.png").read_bytes()
    luma = np.asarray(Image.open(io.BytesIO(data)).convert("L"))
    assert luma.shape == SIZE[::-1]
    assert firstlight.timecode.decode(luma) == board(frame)
    told = exif_of(photo)
    assert told["Model"] == "Example Webcam"
    assert instant_ns(told) == photo.capture_time_ns // 1000 * 1000
    assert told["FileType"] == encoding.name


def test_C1_the_first_settled_frame_is_the_one_whose_brightness_no_longer_changes(sdk, running, shared_webcam):
    session, recording = running
    sdk.stop(session)
    # With a tenth of the light the automatic exposure needs a dozen frames to settle.
    shared_webcam.light(0.1)
    try:
        with sdk.preview(session) as preview:
            sdk.start(session)
            first = next(preview)
            named = sdk.photo(session, of=first, quality=Quality.SPEED)
            while not sdk.launch_timeline(session).HasField("first_settled_sequence"):
                next(preview)
            settled = sdk.launch_timeline(session).first_settled_sequence
            levels = [level(Decoded(recording.picture(number))) for number in range(settled + 3)]
            sent = level(Decoded(recording.picture(first.sequence)))
    finally:
        shared_webcam.light(1)
    assert levels[0] < 0.5
    # The first frame is dark. On a slow machine it may be a few pictures later, and a little brighter.
    assert level(first) == pytest.approx(sent, abs=0.02)
    assert level(first) < 0.9
    assert levels[settled] == pytest.approx(1, abs=0.12)
    assert levels[settled] == pytest.approx(levels[settled + 2], rel=0.05)
    assert settled > 5
    # A photo of a named frame shows that frame, even if it is dark.
    assert (named.sequence, level(named)) == (first.sequence, pytest.approx(level(first), abs=0.02))


class Decoded:
    """A picture of the camera with the interface of a frame or a photo."""

    def __init__(self, jpeg):
        self._luma = np.asarray(Image.open(io.BytesIO(jpeg)).convert("L"))

    def luma(self):
        """The luma of the picture."""
        return self._luma


def test_J2_now_is_the_last_settled_frame_while_the_exposure_changes(sdk, webcams, client):
    """The test uses raw frames, because their brightness is available at once."""
    webcam = webcams()
    camera = webcam.device(client).name
    name = sdk.create_session().name
    try:
        # The rate is so low that a request comes within a frame of the change.
        wanted = firstlight.configuration(camera, pixel_format="YUYV", size=(320, 180), frame_rate=5)
        wanted.photo.zero_shutter_lag_window.FromSeconds(2)
        sdk.configure(name, wanted)
        with sdk.preview(name) as preview:
            sdk.start(name)
            usual = level(next(itertools.islice(preview, 5, None)))
            webcam.light(0.1)
            dark = next(frame for frame in preview if level(frame) < 0.5 * usual)
            photo = sdk.photo(name, quality=Quality.SPEED)
    finally:
        sdk.delete_session(name)
    assert photo.zero_shutter_lag_used
    assert photo.sequence < dark.sequence
    assert level(photo) == pytest.approx(usual, abs=0.05)
