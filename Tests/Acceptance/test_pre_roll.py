"""Recordings that begin before their request: the boards of their pictures tell which frames they have."""

from __future__ import annotations

import itertools
import pathlib
import time

import pytest

import firstlight
from captures import SMALL
from faults import REPLUG, UNPLUG, inject
from firstlight import MovieCodec, MovieContainer
from firstlight.v1 import recording_pb2
from movies import Movie, ended, kinds, lost, read_movie
from support import SYNTHETIC, Collector

pytestmark = pytest.mark.timeout(60)

Recording = recording_pb2.Recording
Cause = recording_pb2.RecordingEnd
SECOND = 1_000_000_000
FRAME = 1 / 30
#: The longest time from one key frame to the next.
GROUP = 1.0
#: A machine that is busy with other tests may be late by this.
LATE = 1.0


@pytest.fixture
def recorder(own_daemon, tmp_path):
    """A client of a daemon of its own, and the folder of its recordings."""
    folder = tmp_path / "movies"
    daemon = own_daemon("--enable-fault-injection", "--recordings-dir", str(folder))
    with firstlight.connect(daemon.address, timeout=20) as client:
        yield client, folder


def pre_roll_session(client: firstlight.Client, seconds: float = 10, *, codec: MovieCodec | None = None) -> str:
    """Makes a session whose recordings may begin so many seconds before their request, and starts it."""
    movie = firstlight.movie_output(codec=codec, max_pre_roll=seconds)
    wanted = firstlight.configuration(SYNTHETIC[0], movie=movie, preview=True, **SMALL)
    return client.create_session(configuration=wanted, start=True).name


def watch(client: firstlight.Client, session: str, seconds: float) -> None:
    """Sees the frames of so many seconds."""
    list(itertools.islice(client.preview(session, pixel_format="NV12"), round(seconds / FRAME)))


def start(client: firstlight.Client, session: str, file: str = "", **options) -> tuple[Collector, Recording]:
    """Starts a recording with a pre-roll, checks when it says that it begins, and returns it as it began."""
    before = time.monotonic_ns()
    events = Collector(client.start_recording(session, file, fragment_seconds=0.2, **options))
    events.wait_for(len)
    after = time.monotonic_ns()
    began = events.wait_for(lambda found: "started" in kinds(found))[1].recording
    requested = began.start_monotonic_time_ns + began.pre_roll_duration.ToNanoseconds()
    assert before <= requested <= after
    return events, began


def stop(client: firstlight.Client, folder: pathlib.Path, events: Collector, began: Recording) -> Movie:
    """Stops a recording, checks what it has against what it tells, and returns its movie."""
    finished = client.stop_recording(began.name)
    assert kinds(ended(events)) == ["accepted", "started", "will_finish", "finished"]
    assert finished.pre_roll_duration == began.pre_roll_duration
    return check(folder, finished)


def check(folder: pathlib.Path, finished: Recording, counted: Recording | None = None) -> Movie:
    """Checks that the file has all frames from the start that the recording tells, each at its time. `counted` is the
    recording before the daemon was killed, because which frames were lost is known only while it runs.
    """
    movie = read_movie(folder / finished.file)
    movie.check_times()
    if counted:
        movie.check_complete(counted, among=counted.frame_count)
    elif not lost(finished):
        movie.check_complete()
    assert len(movie.boards) == finished.frame_count
    assert finished.start_time.ToNanoseconds() == pytest.approx(movie.boards[0].capture_time_ns, abs=1_000_000)
    return movie


def seconds(recording: Recording) -> float:
    return recording.pre_roll_duration.ToNanoseconds() / SECOND


@pytest.mark.parametrize(
    ("codec", "container", "group"),
    [
        (MovieCodec.H264, MovieContainer.MP4, GROUP),
        (MovieCodec.H264, MovieContainer.MATROSKA, GROUP),
        (MovieCodec.H264, MovieContainer.MPEG_TS, GROUP),
        (MovieCodec.FFV1, MovieContainer.MATROSKA, 0),
    ],
)
def test_a_movie_begins_before_its_request_and_has_every_frame(recorder, codec, container, group):
    client, folder = recorder
    session = pre_roll_session(client, codec=codec)
    watch(client, session, 3)
    events, began = start(client, session, pre_roll=1.5, container=container)
    assert 1.5 - FRAME * 1.5 <= seconds(began) <= 1.5 + group + FRAME / 2
    watch(client, session, 1)
    movie = stop(client, folder, events, began)
    assert (movie.sequences[-1] - movie.sequences[0]) * FRAME >= seconds(began) + 0.9


@pytest.mark.alone
def test_the_first_frame_is_the_one_that_a_preview_showed_then(recorder):
    client, folder = recorder
    session = pre_roll_session(client)
    with client.preview(session, pixel_format="NV12") as preview:
        shown = {frame.monotonic_time_ns: frame.sequence for frame in itertools.islice(preview, 75)}
        events, began = start(client, session, pre_roll=1)
        movie = stop(client, folder, events, began)
    assert movie.sequences[0] == shown[began.start_monotonic_time_ns]
    assert set(shown.values()) & set(range(movie.sequences[0], movie.sequences[-1] + 1)) <= set(movie.sequences)


def test_a_session_that_ran_for_less_gives_what_it_has(recorder):
    client, folder = recorder
    session = pre_roll_session(client, 60)
    watch(client, session, 1)
    events, began = start(client, session, pre_roll=60)
    assert 0.9 <= seconds(began) <= 1 + LATE
    movie = stop(client, folder, events, began)
    assert movie.sequences[0] == 0


def test_the_next_recording_may_begin_before_the_end_of_the_last_one(recorder):
    client, folder = recorder
    session = pre_roll_session(client)
    watch(client, session, 1)
    events, began = start(client, session, pre_roll=0.5)
    begin = began.start_time.ToNanoseconds()
    watch(client, session, 1)
    first = stop(client, folder, events, began)
    events, began = start(client, session, pre_roll=2)
    watch(client, session, 0.5)
    second = stop(client, folder, events, began)
    assert first.sequences[0] <= second.sequences[0] < first.sequences[-1] < second.sequences[-1]
    # A movie of both has each frame once.
    client.export_recording(session, begin, 60, folder / "both.mp4")
    both = read_movie(folder / "both.mp4")
    both.check_times()
    assert both.sequences == sorted(set(first.sequences) | set(second.sequences))
    # Without a pre-roll the next recording begins at once.
    newest = next(client.preview(session, pixel_format="NV12")).sequence
    events = Collector(client.start_recording(session))
    began = events.wait_for(lambda found: "started" in kinds(found))[1].recording
    assert not began.HasField("pre_roll_duration")
    third = stop(client, folder, events, began)
    assert newest < third.sequences[0] <= newest + LATE / FRAME


def test_a_daemon_that_is_killed_leaves_the_pre_roll(own_daemon, tmp_path):
    folder = tmp_path / "movies"
    flags = ("--recordings-dir", str(folder))
    daemon = own_daemon(*flags)
    with firstlight.connect(daemon.address, timeout=20) as client:
        session = pre_roll_session(client)
        watch(client, session, 2)
        _, began = start(client, session, pre_roll=2)
        while client.recording(began.name).frame_count < 45:
            next(client.preview(session, pixel_format="NV12"))
        running = client.recording(began.name)
        daemon.process.kill()
        daemon.process.wait()
    with firstlight.connect(own_daemon(*flags).address, timeout=20) as client:
        found = client.recording(began.name)
        assert found.end.cause == Cause.CAUSE_DAEMON_ENDED
        assert found.pre_roll_duration == began.pre_roll_duration
        assert found.start_monotonic_time_ns == began.start_monotonic_time_ns
        assert len(check(folder, found, running).boards) >= 45


@pytest.mark.parametrize("how", ["stop", "unplug", "format"])
def test_what_ends_a_session_empties_the_history(recorder, how):
    client, folder = recorder
    session = pre_roll_session(client)
    watch(client, session, 2)
    events, began = start(client, session, "first", pre_roll=1)
    match how:
        case "stop":
            client.stop(session)
            client.start(session)
        case "unplug":
            inject(client, UNPLUG)
            ended(events)
            inject(client, REPLUG)
        case "format":
            wanted = firstlight.configuration(
                SYNTHETIC[0],
                movie=firstlight.movie_output(max_pre_roll=10),
                preview=True,
                **SMALL | {"size": (640, 360)},
            )
            client.configure(session, wanted)
    finished = ended(events)[-1].recording
    assert finished.end.cause == Cause.CAUSE_SESSION
    last = check(folder, finished)
    watch(client, session, 0.5)
    events, began = start(client, session, "second", pre_roll=10)
    movie = stop(client, folder, events, began)
    assert movie.boards[0].capture_time_ns > last.boards[-1].capture_time_ns
    assert seconds(began) < 5
