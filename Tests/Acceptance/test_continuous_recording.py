"""Sessions of the configuration file that record continuously: their segments, what is kept of them, and crashes.

The boards of the pictures tell which frames a segment has. All segments are small and a second long.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import pathlib
import re
import urllib.request
from collections.abc import Callable

import numpy as np
import pytest

import firstlight
from captures import SMALL
from faults import REPLUG, UNPLUG, inject
from firstlight import MovieContainer, timecode
from firstlight.daemon import Daemon
from firstlight.v1 import recording_pb2
from footage import SECOND, Footage
from metrics import Page
from movies import Movie, kinds, read_movie
from support import SYNTHETIC, TIMEOUT, Collector, refused, refused_start, wait_until

# Each segment takes a second, and FFmpeg reads them all.
pytestmark = pytest.mark.timeout(60)

State = recording_pb2.Recording
Cause = recording_pb2.RecordingEnd
Recording = recording_pb2.Recording

#: The number of random spans of which movies are made.
SPANS = int(os.environ.get("FIRSTLIGHT_SPANS", "20"))

SESSION = "sessions/door"
DOOR = """
sessions:
  door:
    inputs:
      - device: devices/synthetic-0
        format: {{pixel_format: NV12, width: 320, height: 180}}
        frame_rate_override: {{numerator: 30, denominator: 1}}
    preview: {{}}
    record: {{segment-duration: 1, fragment-interval: 0.25{options}}}
"""
RECORD = "record: {segment-duration: 1, fragment-interval: 0.25}"


class Recorder:
    """A daemon that records, which can be killed and started again."""

    client: firstlight.Client
    _daemon: Daemon
    _clients: list[firstlight.Client]

    def __init__(self, own_daemon: Callable[..., Daemon], folder: pathlib.Path) -> None:
        self._own_daemon = own_daemon
        self._clients = []
        self._config = folder / "firstlight.yaml"
        self._log = folder / "firstlightd.log"
        #: The folder of recordings.
        self.folder = folder / "movies"

    def start(self, options: str = "", *, entry: str = "") -> None:
        text = DOOR.format(options=options)
        self._config.write_text(text.replace(RECORD, entry) if entry else text)
        files = ("--config", str(self._config), "--recordings-dir", str(self.folder))
        self._daemon = self._own_daemon("--enable-fault-injection", "--metrics-listen", "127.0.0.1:0", *files)
        self.client = firstlight.connect(self._daemon.address, timeout=20)
        self._clients.append(self.client)
        # The frames of another camera tell when to look again.
        other = firstlight.configuration(SYNTHETIC[1], preview=True, movie=firstlight.movie_output(), **SMALL)
        self.other = self.client.create_session(configuration=other, start=True).name

    def close(self) -> None:
        for client in self._clients:
            client.close()

    def kill(self) -> None:
        self._daemon.process.kill()
        self._daemon.process.wait(timeout=20)

    def stop(self) -> list[Recording]:
        """Stops the session, which ends the last segment. Returns all segments."""
        self.client.stop(SESSION)
        return self.wait(lambda found: len(finished(found)) == len(found))

    def segments(self) -> list[Recording]:
        """All segments, the oldest first."""
        return list(self.client.recordings(SESSION))[::-1]

    def wait(self, is_reached: Callable[[list[Recording]], bool]) -> list[Recording]:
        """Lists the segments again and again until they are as wanted."""
        with self.client.preview(self.other, pixel_format="NV12") as frames:
            for _ in itertools.islice(frames, 0, 30 * 60, 3):
                found = self.segments()
                if is_reached(found):
                    return found
        raise AssertionError(found)

    def wait_for_finished(self, count: int) -> list[Recording]:
        return finished(self.wait(lambda found: len(finished(found)) >= count))

    def movie(self, segment: Recording) -> Movie:
        return read_movie(self.folder / segment.file)

    def log(self) -> str:
        return self._log.read_text()

    def metric(self, name: str, **labels: str) -> float:
        port = re.findall(r"metrics at http://127\.0\.0\.1:(\d+)/", self.log())[-1]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=TIMEOUT) as page:
            return Page(page.read().decode())(name, **labels)


def finished(segments: list[Recording]) -> list[Recording]:
    return [item for item in segments if item.state == State.STATE_FINISHED]


@pytest.fixture
def recorder(own_daemon, tmp_path):
    made = Recorder(own_daemon, tmp_path)
    yield made
    made.close()


def lost(segments: list[Recording]) -> int:
    """How many frames segments lack. A machine that is busy with other tests may be too slow for all of them."""
    return sum(value for item in segments for _, value in item.dropped.ListFields())


def check_seams(recorder: Recorder, segments: list[Recording]) -> None:
    """Checks that segments which follow each other have every frame once, unless they tell that they lack some, and
    that the times of their records are those of their frames.
    """
    sequences: list[int] = []
    before = None
    for segment in segments:
        movie = recorder.movie(segment)
        movie.check_times()
        assert movie.times[0] == 0
        assert len(movie.boards) == segment.frame_count
        assert segment.start_time.ToNanoseconds() == pytest.approx(movie.boards[0].capture_time_ns, abs=1_000_000)
        assert segment.playable
        assert segment.continuous
        if before is not None and not lost([before, segment]):
            end = before.start_monotonic_time_ns + before.recorded_duration.ToNanoseconds()
            assert abs(segment.start_monotonic_time_ns - end) < 1e9 / 30 / 2
            assert movie.sequences[0] == sequences[-1] + 1
        before = segment
        sequences += movie.sequences
    assert sequences == sorted(set(sequences))
    assert sequences[-1] + 1 - sequences[0] - len(sequences) <= lost(segments)


def test_segments_have_every_frame_once_and_play_alone(recorder):
    recorder.start()
    recorder.wait_for_finished(3)
    segments = recorder.stop()
    check_seams(recorder, segments)
    assert {item.end.cause for item in segments[:-1]} == {Cause.CAUSE_NEXT_SEGMENT}
    assert segments[-1].end.cause == Cause.CAUSE_SESSION
    for before, item in itertools.pairwise([None, *segments[:-1]]):
        assert lost([*filter(None, [before]), item]) or item.frame_count == 30
    for segment in segments:
        time = segment.start_time.ToDatetime()
        name = f"{time:%H-%M-%S}.{time.microsecond // 1000:03}-{segment.name.removeprefix('recordings/')}.mp4"
        assert segment.file == f"door/{time:%Y-%m-%d}/{name}"


def test_another_movie_output_of_the_session_records_when_a_client_asks(recorder):
    recorder.start(entry=f"{RECORD}\n    additional_movies: [{{id: side}}]")
    recorder.wait_for_finished(1)
    assert {item.output for item in recorder.segments()} == {"movie"}
    events = Collector(recorder.client.start_recording(SESSION, output="side"))
    name = events.wait_for(lambda found: "started" in kinds(found))[0].recording.name
    recorder.wait_for_finished(3)
    side = recorder.client.stop_recording(name)
    events.close()
    assert (side.output, side.continuous) == ("side", False)
    recorder.movie(side).check_complete(side)
    segments = [item for item in recorder.stop() if item.name != name]
    assert {item.output for item in segments} == {"movie"}
    assert all(item.continuous for item in segments)
    check_seams(recorder, segments)


def test_the_session_records_for_no_client(recorder):
    recorder.start()
    (first, *_) = recorder.wait(lambda found: found and found[0].playable)
    with refused("FAILED_PRECONDITION", "RECORDING_IN_PROGRESS") as refusal:
        next(recorder.client.start_recording(SESSION))
    assert "records continuously" in str(refusal.error)
    newest = recorder.segments()[-1].name
    for request in (recorder.client.stop_recording, recorder.client.pause_recording, recorder.client.resume_recording):
        with refused("FAILED_PRECONDITION", "NOT_SUPPORTED_IN_CONFIGURATION"):
            request(newest)
    assert recorder.metric("firstlight_session_recording", session=SESSION) == 1
    assert recorder.metric("firstlight_session_recording", session=recorder.other) == 0
    recorder.wait_for_finished(1)
    assert recorder.client.stop_recording(first.name).state == State.STATE_FINISHED
    recorder.client.delete_recording(first.name)
    assert first.name not in {item.name for item in recorder.segments()}


def test_a_camera_that_comes_back_is_recorded_again(recorder):
    recorder.start()
    recorder.wait_for_finished(1)
    inject(recorder.client, UNPLUG)
    unplugged = recorder.wait(lambda found: len(finished(found)) == len(found))
    assert unplugged[-1].end.cause == Cause.CAUSE_SESSION
    inject(recorder.client, REPLUG)
    recorder.wait_for_finished(len(unplugged) + 2)
    segments = recorder.stop()
    facts = [(item.name, item.recorded_file_size, item.end.cause) for item in unplugged]
    assert [(item.name, item.recorded_file_size, item.end.cause) for item in segments[: len(unplugged)]] == facts
    check_seams(recorder, segments[: len(unplugged)])
    check_seams(recorder, segments[len(unplugged) :])


@pytest.mark.timeout(120 + 2 * SPANS)
def test_random_spans_across_segments_a_stop_and_a_new_plug(recorder, tmp_path):
    recorder.start()
    count = 0

    def go_on() -> None:
        """Waits until some more segments have finished, the first of which is whole."""
        nonlocal count
        count = len(recorder.wait_for_finished(count + 3))

    go_on()
    count = len(recorder.stop())
    recorder.client.start(SESSION)
    go_on()
    inject(recorder.client, UNPLUG)
    count = len(recorder.wait(lambda found: len(finished(found)) == len(found)))
    inject(recorder.client, REPLUG)
    go_on()
    footage = Footage(recorder.stop(), recorder.folder)
    spans = list(recorder.client.recording_spans(SESSION))
    names = [each.name for each in footage.recordings]
    assert [name for span in spans for name in span.recording_names] == names
    assert lost(footage.recordings) or len(spans) == 3
    for number, (start, duration) in enumerate(footage.random_spans(31, SPANS)):
        path = tmp_path / f"{number}.mp4"
        recorder.client.export_recording(SESSION, start, duration / SECOND, path)
        footage.check(read_movie(path), start, duration)
        path.unlink()
    # The spans are known after a start of the daemon, too.
    recorder.kill()
    recorder.start()
    known = [name for span in recorder.client.recording_spans(SESSION) for name in span.recording_names]
    assert known[: len(names)] == names


def either_way_up(picture: np.ndarray) -> timecode.Timecode | None:
    """The board of a picture, which may be upside down."""
    return timecode.decode(picture) or timecode.decode(picture[::-1, ::-1])


def test_fault_F3_spans_of_commits_can_be_exported(recorder, tmp_path):
    """Each commit changes what a file tells once, or swaps the camera: the frames after it are another span."""
    recorder.start()
    client = recorder.client
    client.delete_session(recorder.other)

    def go_on() -> None:
        """Records for more than a segment."""
        with client.preview(SESSION, pixel_format="NV12") as frames:
            list(itertools.islice(frames, 40))

    go_on()
    changes = [
        {"movie": firstlight.movie_output(quality=30)},
        {"movie": firstlight.movie_output(bit_rate=200_000)},
        {"connections": [firstlight.connection("movie", rotated=180), firstlight.connection("preview")]},
        {"device": SYNTHETIC[1]},
    ]
    wanted = {"device": SYNTHETIC[0], "photo": False, "movie": firstlight.movie_output(), **SMALL}
    for change in changes:
        wanted |= change
        client.configure(SESSION, firstlight.configuration(**wanted))
        go_on()
    client.stop(SESSION)
    wait_until(lambda: len(finished(recorder.segments())) == len(recorder.segments()))
    footage = Footage(recorder.segments(), recorder.folder, board=either_way_up)
    for segment, movie in zip(footage.recordings, footage.movies, strict=True):
        assert {f"devices/synthetic-{board.camera}" for board in movie.boards} == {segment.device}
    spans = list(client.recording_spans(SESSION))
    assert len(spans) >= 1 + len(changes)
    assert {name for span in spans for name in span.recording_names} == {each.name for each in footage.recordings}
    for number, span in enumerate(spans):
        start = span.start_time.ToNanoseconds()
        duration = span.end_time.ToNanoseconds() - start
        path = tmp_path / f"{number}.mp4"
        client.export_recording(SESSION, start, duration / SECOND, path)
        movie = read_movie(path, board=either_way_up)
        footage.check(movie, start - SECOND // 90, duration)
        assert {f"devices/synthetic-{board.camera}" for board in movie.boards} == {span.device}


def test_the_most_bytes_keep_the_folder_flat(recorder):
    recorder.start()
    (first, *_) = recorder.wait_for_finished(1)
    events = recorder.client.start_recording(recorder.other, "kept.mp4")
    kept = next(event.recording.name for event in events if event.WhichOneof("kind") == "started")
    kept = recorder.client.stop_recording(kept)
    recorder.kill()
    limit = int(first.recorded_file_size * 2.5)
    recorder.start(f", max-bytes: {limit}")
    seen: set[str] = set()

    def is_bounded(found: list[Recording]) -> bool:
        # A fragment is being written, and another may have been since the daemon deleted last.
        assert folder_bytes(recorder.folder) <= limit + first.recorded_file_size / 2
        seen.update(item.name for item in found)
        return len(seen) >= len(found) + 3

    recorder.wait(is_bounded)
    assert first.name not in {item.name for item in recorder.segments()}
    segments = recorder.stop()
    assert sum(item.recorded_file_size for item in segments) <= limit
    check_seams(recorder, segments)
    files = {str(path.relative_to(recorder.folder)) for path in recorder.folder.glob("door/*/*")}
    assert files == {item.file for item in segments}
    assert recorder.client.recording(kept.name) == kept
    assert recorder.metric("firstlight_recording_segments_deleted_total") >= 3
    assert recorder.metric("firstlight_recording_bytes_written_total") > limit
    assert recorder.metric("firstlight_recording_segments_finished_total") >= 3


def folder_bytes(folder: pathlib.Path) -> int:
    """The bytes of all segments. One may be deleted in the meantime."""
    total = 0
    for path in folder.glob("door/*/*"):
        with contextlib.suppress(FileNotFoundError):
            total += path.stat().st_size
    return total


def test_old_segments_go(recorder):
    recorder.start(", max-age: 1")
    (first, *_) = recorder.wait_for_finished(1)
    found = recorder.wait(lambda found: first.name not in {item.name for item in found})
    assert not (recorder.folder / first.file).exists()
    # One is being written, one has just ended, and one is not a second old.
    assert len(found) <= 4
    with refused("NOT_FOUND", "RECORDING_NOT_FOUND"):
        recorder.client.recording(first.name)


def test_without_space_old_segments_go_and_nothing_is_recorded(recorder):
    recorder.start()
    recorder.wait_for_finished(2)
    recorder.kill()
    recorder.start(f", min-free-space: {1 << 60}")
    assert recorder.wait(lambda found: recorder.metric("firstlight_recording_continuous_failures_total") >= 2) == []
    assert not list(recorder.folder.glob("door/*"))
    assert recorder.log().count("The continuous recording of the session failed") == 1


def test_a_daemon_that_is_killed_repairs_and_goes_on(recorder):
    """One kill comes with a change of segments, and one in the middle of a segment."""
    recorder.start()
    known: dict[str, Recording] = {}
    repaired = 0
    for plays in (False, True):
        count = len(known)
        found = recorder.wait(
            lambda found, count=count, plays=plays: (
                len(found) >= count + 2 and (not plays or (found[-1].playable and found[-1] not in finished(found)))
            )
        )
        recorder.kill()
        known |= {item.name: item for item in finished(found)}
        recorder.start()
        after = {item.name: item for item in recorder.segments()}
        assert {name: after[name] for name in known} == known
        for item in after.values():
            if item.name not in known and item.end.cause == Cause.CAUSE_DAEMON_ENDED and item.playable:
                movie = recorder.movie(item)
                assert movie.sequences == sorted(set(movie.sequences))
                assert len(movie.boards) == item.frame_count
                assert item.continuous
                repaired += 1
        known |= {item.name: item for item in finished(list(after.values()))}
    assert repaired >= 1
    recorder.wait_for_finished(len(known) + 1)


@pytest.mark.parametrize("usual", ["record: {}", "record:"])
def test_the_key_alone_is_enough(recorder, usual):
    recorder.start(entry=usual)
    recorder.wait(lambda found: [item.state for item in found] == [State.STATE_RECORDING])
    assert recorder.client.session(SESSION).configuration.HasField("movie")
    (segment,) = recorder.stop()
    check_seams(recorder, [segment])
    assert segment.container == MovieContainer.MP4


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("segment-duration: 1", "segment-duration: 0", 'record.segment-duration of the configuration file is "0"'),
        ("segment-duration: 1", "segment-duration: long", "record.segment-duration of the configuration file is"),
        ("segment-duration: 1", "max-age: 0", 'record.max-age of the configuration file is "0"'),
        ("segment-duration: 1", "max-bytes: 1.5", 'record.max-bytes of the configuration file is "1.5"'),
        ("segment-duration: 1", "min-free-space: -1", 'record.min-free-space of the configuration file is "-1"'),
        ("segment-duration: 1", "container: avi", 'record.container of the configuration file is "avi"'),
        (
            "segment-duration: 1",
            "colour: red",
            "record.colour of the configuration file is unknown; the keys are container, ",
        ),
        ("fragment-interval: 0.25", "fragment-interval: 2", "record.fragment-interval of the configuration file is"),
        ("fragment-interval: 0.25", "fragment-interval: {}", "fragment-interval of the configuration file is no plain"),
        (RECORD, "record: 5", "record of the configuration file is"),
        ("preview: {}", "start: on-demand", "record of the configuration file means nothing with `start: on-demand`"),
        (
            "preview: {}\n    record: {",
            "movie: {codec: MOVIE_CODEC_PRO_RES}\n    record: {container: mp4, ",
            "record.container",
        ),
    ],
)
def test_a_value_that_makes_no_sense_is_named_and_the_daemon_does_not_start(binary, tmp_path, old, new, named):
    text = DOOR.format(options="")
    assert old in text
    path = tmp_path / "firstlight.yaml"
    path.write_text(text.replace(old, new))
    assert named in refused_start(binary, path)
