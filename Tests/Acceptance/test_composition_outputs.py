"""Photos and movies of compositions. The timecode board in each rectangle of a picture shows which frame is there."""

from __future__ import annotations

import itertools
import subprocess
from collections.abc import Iterator

import numpy as np
import pytest
from PIL import Image

import firstlight
from camera_sets import started
from compositions import INSET, PERIOD_NS, SIZE, WHOLE, StalePartners, check, configured
from conftest import REPOSITORY, StartDaemon
from faults import inject, slow_start
from firstlight.daemon import Daemon
from firstlight.v1 import recording_pb2, types_pb2
from http_rpc import HTTPEndpoint
from movies import kinds
from slow_link import SlowLink
from support import Collector, capabilities, changed, take, watching

#: Options of FFmpeg that give every picture once.
AS_THEY_ARE = ("-vsync", "0", "-enc_time_base", "-1")
#: For how many seconds frames stay available for photos. The usual 0.6 s are short for a busy machine and a slow way.
WINDOW = 2


@pytest.fixture
def two_cameras(own_daemon: StartDaemon) -> Daemon:
    """A daemon with two cameras."""
    return own_daemon("--synthetic", "2")


@pytest.fixture
def client(two_cameras: Daemon) -> Iterator[firstlight.Client]:
    """A client of the daemon with two cameras."""
    with firstlight.connect(two_cameras.address) as client:
        yield client


def check_photo(photo, seen):
    """Checks that a photo shows the frame of a preview that its request named, in every layer."""
    assert photo.sources == seen.sources
    assert (photo.sequence, photo.stream_id) == (seen.sequence, seen.stream_id)
    assert photo.frame_match == firstlight.FrameMatch.EXACT
    assert photo.zero_shutter_lag_used
    check(seen, WHOLE, INSET)
    check(photo, WHOLE, INSET)


def test_the_recipe_makes_a_composition_and_a_preview_of_each_camera(own_daemon, tmp_path):
    own_daemon("--synthetic", "2", "--http-listen", "127.0.0.1:0")
    recipes = (REPOSITORY / "docs/recipes.md").read_text()
    recipe = recipes.partition("## Two cameras in one picture")[2].partition("```sh\n")[2].partition("```")[0]
    commands = recipe.replace("http://127.0.0.1:8080", HTTPEndpoint.of(tmp_path / "firstlightd.log").origin)
    done = subprocess.run(["bash", "-e"], input=commands, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    both, close = (np.asarray(Image.open(tmp_path / name).convert("L")) for name in ("both.jpg", "close.jpg"))
    assert both.shape == (720, 1280), done.stdout
    assert [firstlight.timecode.decode(picture).camera for picture in (both, close)] == [0, 1]


@pytest.mark.parametrize("quality", list(firstlight.Quality))
def test_L1_a_photo_shows_the_boards_of_the_viewfinder_frame(client, quality):
    wanted = configured(connected=("preview", "photo"), max_quality=firstlight.Quality.QUALITY)
    wanted.photo.zero_shutter_lag_window.FromSeconds(WINDOW)
    name = started(client, wanted)
    with client.preview(name, max_size=SIZE) as preview:
        seen = take(preview, 10)[-1]
        check_photo(client.photo(name, of=seen, quality=quality), seen)


@pytest.mark.parametrize("shots", [20, pytest.param(100, marks=pytest.mark.slow)])
@pytest.mark.parametrize("delay", [0.0, 0.1])
@pytest.mark.timeout(120)
def test_L1_every_photo_over_a_slow_way_shows_the_frame_that_the_person_saw(two_cameras, client, delay, shots):
    wanted = configured(connected=("preview", "photo"))
    wanted.photo.zero_shutter_lag_window.FromSeconds(WINDOW)
    name = started(client, wanted)
    with (
        SlowLink(two_cameras.address, bytes_per_second=1e9, delay=delay) as link,
        firstlight.connect(link.address) as far,
        far.preview(name, max_size=SIZE) as preview,
    ):
        # The second camera may bring its first frame later than the first one.
        complete = (frame for frame in preview if all(source.stream_id for source in frame.sources))
        pairs = [(seen, far.photo(name, of=seen)) for seen in itertools.islice(complete, shots)]
    for seen, photo in pairs:
        check_photo(photo, seen)
    assert len({photo.sequence for _, photo in pairs}) == shots


def test_L1_a_photo_of_a_composition_has_no_controls_of_the_former_camera(client):
    wanted = configured(connected=("photo",))
    wanted.connections[0].input = "cam-0"
    session = client.create_session(configuration=wanted, start=True)
    assert capabilities(session).max_bracketed_photo_count > 0
    assert capabilities(client.configure(session.name, configured(connected=("photo",)))).max_bracketed_photo_count == 0


@pytest.mark.parametrize("is_photo", [True, False], ids=["photo", "commit"])
def test_L1_a_recording_goes_on_while_the_first_layers_camera_starts_slowly(own_daemon, is_photo):
    with firstlight.connect(own_daemon("--synthetic", "2", "--enable-fault-injection").address) as client:
        wanted = configured(connected=("preview", "movie"), photo=True, movie=firstlight.movie_output())
        wanted.connections.append(firstlight.connection("photo", input="cam-0"))
        wanted.photo.max_photo_dimensions.CopyFrom(types_pb2.Size(width=1280, height=720))
        name = started(client, wanted)
        told = watching(client, name)
        events = Collector(client.start_recording(name))
        recording = events.wait_for(lambda found: "started" in kinds(found))[0].recording.name
        inject(client, slow_start(1.5))
        with client.preview(name, max_size=SIZE) as preview:
            before = take(preview, 10)[-1].stream_id
            if is_photo:
                assert client.photo(name, size=(1280, 720), quality=firstlight.Quality.SPEED).width == 1280
            else:
                wanted.inputs[0].frame_rate_override.numerator = 15
                client.configure(name, wanted)
            # A composition that counts as stalled does so at the latest a second after its camera streams again.
            after = (frame for frame in preview if frame.stream_id != before)
            assert len(list(itertools.islice(after, 30))) == 30
        assert client.stop_recording(recording).end.cause == recording_pb2.RecordingEnd.CAUSE_STOPPED
        events.close()
        assert "was_interrupted" not in {changed(event) for event in told.close()}


def test_L1_a_movie_of_a_composition_has_its_layers_in_step(client, tmp_path):
    name = started(client, configured(connected=("preview", "data", "movie"), movie=firstlight.movie_output()))
    partners = Collector(StalePartners(client.video_data(name, "data")))
    events = Collector(client.start_recording(name))
    recording = events.wait_for(lambda found: "started" in kinds(found))[0].recording.name
    with client.preview(name) as preview:
        take(preview, 60)
    client.stop_recording(recording)
    assert events.wait_for_end() is None
    events.close()
    path = tmp_path / "both.mp4"
    client.download_recording(recording, path)
    grey = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", str(path), "-f", "rawvideo", "-pix_fmt", "gray", *AS_THEY_ARE, "-"],
        capture_output=True,
        check=True,
        timeout=60,
    ).stdout
    pictures = np.frombuffer(grey, np.uint8).reshape(-1, SIZE[1], SIZE[0])
    assert len(pictures) >= 30
    left, top, width, height = INSET
    # On a busy machine a synthetic camera leaves frames out. The composition says so, and shows its last one meanwhile.
    stale = dict(partners.close())
    apart = {}
    for picture in pictures:
        clock = firstlight.timecode.decode(picture)
        partner = firstlight.timecode.decode(picture[top : top + height, left : left + width])
        assert clock is not None
        if partner is None:
            assert not apart, "a layer that showed a frame goes on to show one"
            continue
        assert (clock.camera, partner.camera) == (0, 1)
        apart[clock.sequence] = abs(clock.capture_time_ns - partner.capture_time_ns)
    assert len(apart) >= 30
    fresh = [distance for sequence, distance in apart.items() if not stale.get(sequence, True)]
    assert len(fresh) > len(apart) // 2
    assert max(fresh) <= PERIOD_NS
