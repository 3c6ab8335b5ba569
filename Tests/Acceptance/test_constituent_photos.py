"""Photos of several cameras, taken at the same time. The timecode board of each photo shows which camera took it, and
when.
"""

from __future__ import annotations

import io
from collections.abc import Iterator

import numpy as np
import pytest
from PIL import Image

import firstlight
from camera_sets import CAMERAS, SMALL, State, cameras, started, states
from captures import at_once, check_events, watch
from compositions import INSET, WHOLE, check, picture_in_picture
from conftest import StartDaemon
from faults import REPLUG, UNPLUG, inject, slow_start, stall
from firstlight import camera_input, composition_input, connection
from firstlight.v1 import photo_pb2, photo_service_pb2 as photos_pb2
from support import Collector, Stubs, refused, timecode, wait_until

pytestmark = pytest.mark.timeout(60)

PERIOD_NS = 10**9 // SMALL["frame_rate"]
INPUTS = "settings.constituent_inputs"


@pytest.fixture
def client(own_daemon: StartDaemon) -> Iterator[firstlight.Client]:
    """A client of a daemon with three cameras."""
    with firstlight.connect(own_daemon("--synthetic", "3", "--enable-fault-injection").address) as client:
        yield client


def configured(inputs, *, turned=(), disabled=(), connected=None, **settings):
    """A session whose photo output has all these cameras."""
    names = [input.id for input in inputs] if connected is None else connected
    return firstlight.configuration(
        inputs=inputs,
        connections=[
            connection("photo", input=name, enabled=name not in disabled, rotated=180 if name in turned else None)
            for name in names
        ],
        **{"constituent_photos": True, "preview": False, **settings},
    )


def upright(photo, turned):
    """The board of a photo, and that the photo is turned as its connection says."""
    luma = photo.luma()
    assert (firstlight.timecode.decode(luma) is None) == turned
    board = firstlight.timecode.decode(luma[::-1, ::-1] if turned else luma)
    assert board is not None
    return board


def check_pair(photos, numbers, period_ns=PERIOD_NS, turned=()):
    """Checks that the photos show these cameras, each the frame that it names, less than half a frame apart."""
    assert [photo.input for photo in photos] == [f"cam-{number}" for number in numbers]
    assert [photo.bracket_index for photo in photos] == list(range(len(numbers)))
    boards = [upright(photo, photo.input in turned) for photo in photos]
    assert boards == [
        (photo.sequence, photo.capture_time_ns, number) for photo, number in zip(photos, numbers, strict=True)
    ]
    for board, photo in zip(boards, photos, strict=True):
        assert abs(board.capture_time_ns - boards[0].capture_time_ns) < period_ns / 2
        assert not photo.zero_shutter_lag_used
        assert photo.frame_match == firstlight.FrameMatch.EXACT
        assert photo.shutter_lag_ns is not None
        assert photo.shutter_lag_ns > 0, "the frames are captured after the request"
    assert len({photo.unique_id for photo in photos}) == 1


@pytest.fixture
def apart(client: firstlight.Client) -> str:
    """A session with two cameras, of which the second starts later and so has another phase."""
    inject(client, slow_start(0.51), CAMERAS[1])
    return started(client, configured(cameras(2), turned=("cam-1",)))


@pytest.mark.parametrize("count", [20, pytest.param(100, marks=pytest.mark.slow)])
def test_H12_every_pair_is_less_than_half_a_frame_apart(client, apart, count):
    for index in range(count):
        names = (1, 0) if index % 4 == 3 else (0, 1)
        photos = client.constituent_photos(apart, [f"cam-{number}" for number in names])
        check_pair(photos, names, turned=("cam-1",))
        assert [event.name for event in photos[0].events] == [
            "will_begin_capture",
            "will_capture_photo",
            *["did_capture_photo"] * 2,
            *["did_finish_processing_photo"] * 2,
            "did_finish_capture",
        ]


def test_H12_a_camera_that_waits_for_deferred_start_is_opened(client):
    inputs = cameras(2)
    inputs[1].deferred_start_enabled = True
    wanted = configured(inputs, automatic_deferred_start=False)
    # Nothing of the output itself waits for deferred start.
    wanted.photo.deferred_start_enabled = False
    name = started(client, wanted)
    check_pair(client.constituent_photos(name, ["cam-0", "cam-1"]), (0, 1))


def test_H12_three_cameras_of_several_rates_and_sizes(client):
    inputs = [*cameras(2), camera_input(CAMERAS[2], id="cam-2", pixel_format="NV12", size=(640, 360), frame_rate=15)]
    name = started(client, configured(inputs, responsive_capture=True))
    for numbers in [(0, 1, 2), (2, 1, 0), (2, 0)]:
        photos = client.constituent_photos(name, [f"cam-{number}" for number in numbers])
        check_pair(photos, numbers, period_ns=2 * PERIOD_NS)
        assert {photo.input: photo.width for photo in photos}[f"cam-{numbers[0]}"] == photos[0].width
    assert photos[0].width == 640


def test_H12_the_events_name_the_cameras_and_a_photo_is_downloaded_by_its_index(client, apart):
    stubs = Stubs(client.channel)
    events = watch(client, apart)
    settings = photo_pb2.PhotoSettings(unique_id="pair", constituent_inputs=["cam-1", "cam-0"])
    list(stubs.photos.CapturePhoto(photos_pb2.CapturePhotoRequest(session=apart, settings=settings)))
    found = events.wait_for(lambda seen: seen and seen[-1].HasField("did_finish_capture"))
    events.close()
    check_events(found)
    resolved = found[0].will_begin_capture.resolved_settings
    assert (resolved.expected_photo_count, resolved.fused_frame_count) == (2, 1)
    assert resolved.quality_prioritization == firstlight.Quality.SPEED
    assert not resolved.zero_shutter_lag_used
    taken = [event.did_capture_photo for event in found if event.HasField("did_capture_photo")]
    done = [event.did_finish_processing_photo.photo for event in found if event.HasField("did_finish_processing_photo")]
    for step, photo in zip(taken, done, strict=True):
        assert (step.input, step.sequence, step.stream_id) == (photo.input, photo.sequence, photo.stream_id)
    assert [step.input for step in taken] == ["cam-1", "cam-0"]
    for index, photo in enumerate(done):
        request = photos_pb2.DownloadCaptureRequest(name="captures/pair", bracket_index=index)
        data = b"".join(part.data for part in stubs.photos.DownloadCapture(request))
        assert len(data) == photo.byte_count
        luma = np.asarray(Image.open(io.BytesIO(data)).convert("L"))
        assert firstlight.timecode.decode(luma[::-1, ::-1] if index == 0 else luma).camera == 1 - index


def test_H12_each_file_names_its_own_camera(client, apart):
    names = {device.name: device.display_name for device in client.devices()}
    for photo, device in zip(client.constituent_photos(apart, ["cam-0", "cam-1"]), CAMERAS, strict=False):
        assert Image.open(io.BytesIO(photo.data)).getexif()[0x0110] == names[device]


def test_H12_uncompressed_photos_have_the_format_of_their_camera(client):
    inputs = [*cameras(1), camera_input(CAMERAS[1], id="cam-1", pixel_format="YUYV", size=(640, 360), frame_rate=30)]
    name = started(client, configured(inputs))
    photos = client.constituent_photos(name, ["cam-0", "cam-1"], encoding=firstlight.Encoding.UNCOMPRESSED)
    check_pair(photos, (0, 1))
    assert [photo.pixel_format for photo in photos] == ["NV12", "YUYV"]


def test_H12_an_ordinary_photo_is_one_of_the_first_camera_from_the_ring(client):
    name = started(
        client,
        firstlight.configuration(
            inputs=cameras(2),
            constituent_photos=True,
            connections=[connection(output, input="cam-0") for output in ("preview", "photo")]
            + [connection("photo", input="cam-1")],
        ),
    )
    with client.preview(name) as preview:
        seen = [next(preview) for _ in range(10)][-1]
        photo = client.photo(name, of=seen, quality=firstlight.Quality.SPEED)
    assert (photo.sequence, photo.stream_id, photo.input) == (seen.sequence, seen.stream_id, "cam-0")
    assert photo.zero_shutter_lag_used
    assert photo.bracket_index is None
    assert timecode(photo).camera == 0
    now = client.photo(name, quality=firstlight.Quality.BALANCED)
    assert now.zero_shutter_lag_used
    assert now.fused_frame_count > 1
    check_pair(client.constituent_photos(name, ["cam-0", "cam-1"]), (0, 1))


def test_H12_captures_of_several_clients_take_turns(client, apart):
    def take(index):
        return client.constituent_photos(apart, ["cam-0", "cam-1"]) if index % 2 else [client.photo(apart)]

    taken = at_once(8, take)
    for photos in taken[1::2]:
        check_pair(photos, (0, 1), turned=("cam-1",))
    assert {len(photos) for photos in taken[::2]} == {1}


def test_H12_photos_of_the_cameras_of_a_composition_that_runs(client):
    inputs = [
        camera_input(device, id=f"cam-{number}", pixel_format="NV12", size=(640, 360), frame_rate=30)
        for number, device in enumerate(CAMERAS[:2])
    ]
    wanted = configured(inputs, preview=True)
    wanted.inputs.append(composition_input("both", (640, 360), picture_in_picture()))
    wanted.connections.append(connection("preview", input="both"))
    name = started(client, wanted)
    with client.preview(name, max_size=(640, 360)) as preview:
        complete = (frame for frame in preview if all(source.stream_id for source in frame.sources))
        before = next(complete)
        for _ in range(5):
            check_pair(client.constituent_photos(name, ["cam-0", "cam-1"]), (0, 1))
        frames = [next(complete) for _ in range(5)]
    for frame in [before, *frames]:
        check(frame, WHOLE, INSET)


def waiting(client, name, seconds=3):
    """Begins a capture of two cameras, of which the second brings no frame for so long, and returns when the capture
    waits.
    """
    inject(client, stall(seconds), CAMERAS[1])
    settings = photo_pb2.PhotoSettings(constituent_inputs=["cam-0", "cam-1"])
    request = photos_pb2.CapturePhotoRequest(session=name, settings=settings)
    events = Collector(answer.event for answer in Stubs(client.channel).photos.CapturePhoto(request))
    events.wait_for(lambda seen: seen)
    return events


def failed(events):
    """The error of a capture that fails."""
    events = events.wait_for(lambda seen: seen[-1].HasField("did_finish_capture"))
    check_events(events)
    return firstlight.FirstlightError.from_status(events[-1].did_finish_capture.error)


@pytest.mark.parametrize("is_unplugged", [True, False], ids=["unplugged", "stalled"])
def test_H12_a_capture_ends_when_one_of_its_cameras_is_lost(client, apart, is_unplugged):
    # A busy machine notices a stall late, and a camera that is back by then ends no capture.
    events = waiting(client, apart, 3 if is_unplugged else 20)
    if is_unplugged:
        inject(client, UNPLUG, CAMERAS[1])
    failure = failed(events)
    assert failure.reason == "OPERATION_INTERRUPTED"
    assert failure.metadata["input"] == "cam-1"
    # On a busy machine the stall of the camera may be noticed first.
    assert failure.metadata["interruption"] in ("DEVICE_STALLED", *["DEVICE_DISCONNECTED"] * is_unplugged)
    wait_until(lambda: states(client, apart)["cam-1"] == State.STATE_INTERRUPTED)
    assert client.photo(apart).input == "cam-0"
    with refused("FAILED_PRECONDITION", "SESSION_NOT_RUNNING") as refusal:
        client.constituent_photos(apart, ["cam-0", "cam-1"])
    assert [violation.field for violation in refusal.error.violations] == [INPUTS]
    if is_unplugged:
        inject(client, REPLUG, CAMERAS[1])
        wait_until(lambda: states(client, apart)["cam-1"] == State.STATE_RUNNING)
        check_pair(client.constituent_photos(apart, ["cam-0", "cam-1"]), (0, 1), turned=("cam-1",))


@pytest.mark.parametrize("change", ["disabled", "removed", "restarted", "flag"])
def test_H12_a_commit_that_takes_a_camera_away_ends_the_capture(client, apart, change):
    events = waiting(client, apart)
    wanted = configured(cameras(3), connected=["cam-0", "cam-1"])
    if change == "disabled":
        wanted = configured(cameras(2), turned=("cam-1",), disabled=("cam-1",))
    elif change == "removed":
        wanted = configured(cameras(3), connected=["cam-0", "cam-2"])
    elif change == "restarted":
        wanted.inputs[1].frame_rate_override.numerator = 15
    else:
        wanted = configured(cameras(2), constituent_photos=None, connected=["cam-0"])
    client.configure(apart, wanted)
    assert failed(events).reason == "OPERATION_INTERRUPTED"
    assert client.photo(apart).input == "cam-0"
    if change in ("disabled", "flag"):
        with refused("FAILED_PRECONDITION", "NOT_SUPPORTED_IN_CONFIGURATION"):
            client.constituent_photos(apart, ["cam-0", "cam-1"])
        assert states(client, apart)["cam-1"] == State.STATE_STOPPED, "no output takes its frames"
    else:
        other = 2 if change == "removed" else 1
        # The stall may have interrupted the camera before the commit.
        wait_until(lambda: states(client, apart)[f"cam-{other}"] == State.STATE_RUNNING)
        photos = client.constituent_photos(apart, ["cam-0", f"cam-{other}"])
        check_pair(photos, (0, other), period_ns=2 * PERIOD_NS)


def test_H12_a_session_that_stops_ends_the_capture(client, apart):
    events = waiting(client, apart)
    client.stop(apart)
    assert failed(events).reason == "OPERATION_INTERRUPTED"
    client.start(apart)
    check_pair(client.constituent_photos(apart, ["cam-0", "cam-1"]), (0, 1), turned=("cam-1",))
