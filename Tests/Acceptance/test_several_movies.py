"""Two cameras in one movie, which shows a composition, and in two movies of one session that are recorded at once.

The timecode boards in the pictures tell which frames a movie has, and when they were captured.
"""

from __future__ import annotations

import errno
import pathlib
from collections.abc import Iterator

import grpc
import numpy as np
import pytest
from google.rpc import error_details_pb2

import firstlight
from camera_sets import CAMERAS, State, cameras, started, states
from compositions import INSET, PERIOD_NS, WHOLE, StalePartners, configured as composed, picture_in_picture
from conftest import StartDaemon
from disks import faulty_disk
from faults import UNPLUG, inject
from firstlight import connection, movie_output, timecode
from firstlight.v1 import recording_pb2
from movies import Movie, ended, kinds, lost, read_movie
from storages import Storage
from support import Collector, capabilities, refused, wait_until

# Movies of several seconds are recorded and decoded.
pytestmark = pytest.mark.timeout(60)

Recording = recording_pb2.Recording
Cause = recording_pb2.RecordingEnd


@pytest.fixture
def client(own_daemon: StartDaemon, movies: pathlib.Path) -> Iterator[firstlight.Client]:
    """A client of a daemon with two cameras and a microphone."""
    flags = ("--synthetic", "2", "--synthetic-microphones", "1", "--enable-fault-injection")
    daemon = own_daemon(*flags, "--recordings-dir", str(movies))
    with firstlight.connect(daemon.address, timeout=20) as client:
        yield client


def two_movies(*, second=None, first=None, connected=True, **features):
    """Two cameras, of which the main movie output has the one and the output `second` the other. The main preview shows
    the first camera, so that a test can wait for its frames.
    """
    connections = [connection("preview", input="cam-0"), connection("movie", input="cam-0")]
    if connected:
        connections.append(connection("second", input="cam-1"))
    return firstlight.configuration(
        inputs=cameras(2),
        photo=False,
        movie=first or movie_output(),
        additional_movies=[second or movie_output(id="second")] if connected else [],
        connections=connections,
        **features,
    )


def begin(client: firstlight.Client, session: str, output: str = "", **options) -> tuple[Collector, str]:
    """Starts a recording of an output, and returns its events and its name once it has its first frame."""
    events = Collector(client.start_recording(session, output=output, fragment_seconds=0.2, **options))
    return events, events.wait_for(lambda found: "started" in kinds(found))[0].recording.name


def see(client: firstlight.Client, session: str, frames: int) -> None:
    """Waits until the camera of the main preview has captured so many frames more."""
    with client.preview(session, pixel_format="NV12") as preview:
        first = next(preview).sequence
        next(frame for frame in preview if frame.sequence >= first + frames)


def check(movies: pathlib.Path, finished: Recording, camera: int) -> Movie:
    """Checks that a movie has every frame of a camera once, at its time, and returns it."""
    movie = read_movie(movies / finished.file)
    movie.check_complete(finished)
    movie.check_times()
    assert {board.camera for board in movie.boards} == {camera}
    assert len(movie.boards) == finished.frame_count
    return movie


def shown(movie: Movie, recording: Recording) -> list[tuple[int, timecode.Timecode]]:
    """The pictures of a movie, each with the time at which a player shows it that began it when it was recorded."""
    start = recording.start_time.ToNanoseconds()
    return [(start + round(time * 1e9), board) for time, board in zip(movie.times, movie.boards, strict=True)]


def test_L2_one_movie_shows_both_cameras_in_step_also_across_a_swap(client, movies):
    outputs = {"connected": ("preview", "data", "movie"), "movie": movie_output()}
    session = started(client, composed(**outputs))
    partners = Collector(StalePartners(client.video_data(session, "data")))
    with client.preview(session, pixel_format="NV12") as preview:
        # The second camera may bring its first frame later than the first one.
        next(frame for frame in preview if all(source.stream_id for source in frame.sources))
    events, name = begin(client, session)
    for is_swapped in (False, True):
        client.configure(session, composed(picture_in_picture(is_swapped=is_swapped), **outputs))
        see(client, session, 40)
    finished = client.stop_recording(name)
    assert kinds(ended(events)) == ["accepted", "started", "will_finish", "finished"]
    pairs = []

    def clock(picture: np.ndarray) -> timecode.Timecode:
        boards = [timecode.decode(picture[top:][:height, left:][:, :width]) for left, top, width, height in places]
        assert all(boards), "every picture has the boards of both cameras"
        pairs.append(boards)
        (first,) = (board for board in boards if board.camera == 0)
        return first

    places = (WHOLE, INSET)
    movie = read_movie(movies / finished.file, board=clock)
    movie.check_complete(finished)
    movie.check_times()
    assert len(pairs) == finished.frame_count >= 40
    assert finished.frame_count + lost(finished) >= 80
    wholes = [whole.camera for whole, _ in pairs]
    assert wholes == sorted(wholes), "the layers are swapped once"
    assert {(whole.camera, inset.camera) for whole, inset in pairs} == {(0, 1), (1, 0)}
    # On a busy machine a synthetic camera leaves frames out. The composition says so, and shows its last one meanwhile.
    stale = dict(partners.close())
    apart = {
        board.sequence: abs(whole.capture_time_ns - inset.capture_time_ns)
        for board, (whole, inset) in zip(movie.boards, pairs, strict=True)
        if not stale.get(board.sequence, True)
    }
    assert len(apart) > len(pairs) // 2
    assert max(apart.values()) <= PERIOD_NS


@pytest.mark.alone  # A busy machine leaves frames out, and their neighbours then have no partner.
@pytest.mark.parametrize("frames", [90, pytest.param(1800, marks=[pytest.mark.slow, pytest.mark.timeout(300)])])
def test_L2_two_movies_of_two_cameras_are_in_step(client, movies, frames):
    session = started(client, two_movies())
    recordings = {output: begin(client, session, output) for output in ("", "second")}
    see(client, session, frames)
    finished = [client.stop_recording(name) for _, name in recordings.values()]
    for events, _ in recordings.values():
        assert kinds(ended(events)) == ["accepted", "started", "will_finish", "finished"]
    assert [recording.output for recording in finished] == ["movie", "second"]
    first, second = (shown(check(movies, recording, camera), recording) for camera, recording in enumerate(finished))
    begins, ends = max(first[0][0], second[0][0]), min(first[-1][0], second[-1][0])
    both = [picture for picture in first if begins <= picture[0] <= ends]
    assert len(both) >= frames - 10
    for time, board in both:
        _, partner = min(second, key=lambda picture, time=time: abs(picture[0] - time))
        assert abs(board.capture_time_ns - partner.capture_time_ns) <= PERIOD_NS


@pytest.mark.parametrize("end", ["stopped", "limit", "unplugged", "removed", "changed"])
def test_L2_the_end_of_the_second_movie_costs_the_first_no_frame(client, movies, end):
    session = started(client, two_movies())
    first, name = begin(client, session)
    limits = {"max_bytes": 1} if end == "limit" else {}
    second, other = begin(client, session, "second", **limits)
    see(client, session, 20)
    if end == "stopped":
        client.stop_recording(other)
    elif end == "unplugged":
        inject(client, UNPLUG, CAMERAS[1])
    elif end == "removed":
        client.configure(session, two_movies(connected=False))
    elif end == "changed":
        client.configure(session, two_movies(second=movie_output(id="second", quality=20)))
    (*_, last) = ended(second)
    assert last.recording.end.cause == {
        "stopped": Cause.CAUSE_STOPPED,
        "limit": Cause.CAUSE_MAX_RECORDED_FILE_SIZE,
    }.get(end, Cause.CAUSE_SESSION)
    assert client.recording(name).state == Recording.STATE_RECORDING
    see(client, session, 20)
    finished = client.stop_recording(name)
    assert finished.end.cause == Cause.CAUSE_STOPPED
    assert kinds(ended(first)) == ["accepted", "started", "will_finish", "finished"]
    assert len(check(movies, finished, 0).boards) >= 40
    check(movies, last.recording, 1)


def test_fault_F11_the_end_of_a_recording_names_the_camera(client, movies):
    session = started(client, two_movies())
    first, name = begin(client, session)
    second, other = begin(client, session, "second")
    # The movie then plays up to the unplugging, and has something to play.
    wait_until(lambda: client.recording(other).recorded_file_size > 0)
    inject(client, UNPLUG, CAMERAS[1])
    (*_, last) = ended(second)
    assert states(client, session) == {"cam-0": State.STATE_RUNNING, "cam-1": State.STATE_INTERRUPTED}
    for recording in (last.recording, client.recording(other)):
        assert (recording.end.cause, recording.playable) == (Cause.CAUSE_SESSION, True)
        error = recording.end.error
        info = error_details_pb2.ErrorInfo()
        assert any(detail.Unpack(info) for detail in error.details)
        assert grpc.StatusCode.ABORTED.value[0] == error.code
        assert info.reason == "OPERATION_INTERRUPTED"
        assert error.message == "The recording ended: its camera is interrupted, device disconnected."
        assert info.metadata["interruption"] == "DEVICE_DISCONNECTED"
        # The session goes on, and is not to blame.
        assert "session" not in str((error.message, dict(info.metadata)))
    assert client.session(session).state == State.STATE_RUNNING
    assert client.stop_recording(name).end == recording_pb2.RecordingEnd(cause=Cause.CAUSE_STOPPED)
    ended(first)


def test_L2_a_disk_that_fails_under_the_second_movie_costs_the_first_no_frame(
    own_daemon, movies, tmp_path, monkeypatch
):
    with faulty_disk(own_daemon, tmp_path, monkeypatch, "movies/faulty") as disk, disk.loading():
        daemon = own_daemon("--recordings-dir", str(movies))
        with firstlight.connect(daemon.address, timeout=20) as client:
            session = started(client, two_movies())
            first, name = begin(client, session)
            second, failing = begin(client, session, "second", file="faulty/second")
            see(client, session, 20)
            # A movie plays up to its last whole fragment, so it needs one.
            wait_until(lambda: client.recording(failing).recorded_file_size > 0)
            disk.set(writing=errno.ENOSPC)
            (*_, last) = ended(second)
            assert last.recording.end.cause == Cause.CAUSE_FAILED
            see(client, session, 20)
            finished = client.stop_recording(name)
            assert finished.end.cause == Cause.CAUSE_STOPPED
            ended(first)
    assert len(check(movies, finished, 0).boards) >= 40
    assert last.recording.playable
    assert {board.camera for board in read_movie(movies / last.recording.file).boards} == {1}


def test_L2_a_call_names_the_output_or_means_the_main_one(client):
    session = started(client, two_movies())
    _, name = begin(client, session)
    assert client.recording(name).output == "movie"
    with refused("FAILED_PRECONDITION", "RECORDING_IN_PROGRESS") as refusal:
        next(client.start_recording(session, output="movie"))
    assert refusal.error.metadata["output"] == "movie"
    _, other = begin(client, session, "second")
    assert [each.name for each in client.recordings(session)] == [other, name]
    assert [each.name for each in client.recordings(session, output="second")] == [other]
    for recording in (name, other):
        client.stop_recording(recording)
    assert [span.output for span in client.recording_spans(session, output="second")] == ["second"]
    assert {span.output for span in client.recording_spans(session)} == {"movie", "second"}
    for wrong in ("nothing", "preview"):
        with refused("NOT_FOUND", "OUTPUT_NOT_FOUND") as refusal:
            next(client.start_recording(session, output=wrong))
        assert "movie, second" in str(refusal.error)
        assert refusal.error.metadata["outputs"] == "movie, second"
        assert [violation.field for violation in refusal.error.violations] == ["output"]


def test_L2_without_a_main_movie_output_a_call_names_one_of_several(client):
    wanted = two_movies()
    wanted.ClearField("movie")
    wanted.connections.pop(1)
    session = started(client, wanted)
    events, name = begin(client, session)
    client.stop_recording(name)
    assert ended(events)[-1].recording.output == "second", "the only one"
    wanted.additional_movies.add(id="third")
    client.configure(session, wanted)
    with refused("NOT_FOUND", "OUTPUT_NOT_FOUND") as refusal:
        next(client.start_recording(session))
    assert "name one of: second, third" in str(refusal.error)


def test_L2_each_movie_output_has_its_own_capabilities_and_sound(client):
    microphones = [firstlight.microphone("devices/synthetic-microphone-0")]
    wanted = two_movies(second=movie_output(id="second", codec=firstlight.MovieCodec.FFV1), microphones=microphones)
    wanted.connections.add(input="microphone", output="second")
    session = client.create_session(configuration=wanted, start=True)
    assert firstlight.MovieContainer.MP4 in capabilities(session, "movie").available_containers
    assert firstlight.MovieContainer.MP4 not in capabilities(session, "second").available_containers
    assert [each.id for each in session.resolved_configuration.additional_movies] == ["second"]
    for output, tracks in (("movie", []), ("second", ["microphone"])):
        events, name = begin(client, session.name, output)
        assert [track.input for track in client.recording(name).audio_tracks] == tracks
        client.stop_recording(name)
        ended(events)


def test_L2_each_movie_output_keeps_its_own_pre_roll(client, movies):
    session = started(client, two_movies(second=movie_output(id="second", max_pre_roll=5)))
    see(client, session, 30)
    with refused("FAILED_PRECONDITION", "NOT_SUPPORTED_IN_CONFIGURATION"):
        next(client.start_recording(session, pre_roll=0.5))
    events, name = begin(client, session, "second", pre_roll=0.5)
    finished = client.stop_recording(name)
    ended(events)
    assert finished.pre_roll_duration.ToMilliseconds() >= 500
    assert finished.start_time.ToNanoseconds() < finished.request_time.ToNanoseconds()
    check(movies, finished, 1)


def test_L2_the_video_storage_takes_the_movie_of_one_output_at_a_time(storage: Storage, movies):
    outputs = [movie_output(id=id, uses_pro_video_storage=True) for id in ("", "second")]
    session = started(storage.sdk, two_movies(first=outputs[0], second=outputs[1]))
    events, name = begin(storage.sdk, session)
    with refused("UNAVAILABLE", "VIDEO_STORAGE_BUSY") as refusal:
        next(storage.sdk.start_recording(session, output="second"))
    assert refusal.error.metadata["busy_reasons"] == "CAPTURING"
    finished = storage.sdk.stop_recording(name)
    ended(events)
    check(movies, finished, 0)
    storage.idle()
    events, name = begin(storage.sdk, session, "second")
    finished = storage.sdk.stop_recording(name)
    ended(events)
    check(movies, finished, 1)


@pytest.mark.parametrize("field", ["movie", "additional_movies"])
def test_L2_an_output_of_any_place_needs_a_video_storage_that_is_supported(start_movie_storage, field):
    storage = start_movie_storage(folder="/dev/shm/firstlight")
    wanted = two_movies()
    output = wanted.movie if field == "movie" else wanted.additional_movies[0]
    output.uses_pro_video_storage = True
    with refused("FAILED_PRECONDITION", "VIDEO_STORAGE_NOT_SUPPORTED") as refusal:
        storage.sdk.create_session(configuration=wanted)
    (violation,) = refusal.error.violations
    place = "movie" if field == "movie" else "additional_movies[0]"
    assert violation.field == f"configuration.{place}.uses_pro_video_storage"
