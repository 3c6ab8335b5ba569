"""Sessions of the configuration file that record continuously: their segments, what is kept of them, and crashes.

The boards of the pictures tell which frames a segment has. All segments are small and a second long.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import pathlib

import pytest

from continuous import RECORD, SESSION, Cause, Recorder, Recording, State, finished, lost
from faults import REPLUG, UNPLUG, inject
from firstlight import MovieContainer
from movies import kinds
from support import Collector, refused

# Each segment takes a second, and FFmpeg reads them all.
pytestmark = pytest.mark.timeout(60)


@pytest.fixture
def recorder(own_daemon, tmp_path):
    with contextlib.closing(Recorder(own_daemon, tmp_path)) as made:
        yield made


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
    assert recorder.log().count("older than max-age") == 1, "the first deletion is said, and no other"


def test_field_B3_footage_of_a_boot_in_1970_is_not_old(recorder):
    recorder.start()
    first = recorder.wait_for_finished(2)[0]
    recorder.kill()
    # The record as a board without a clock of its own writes it, and then starts again.
    path = recorder.folder / ".firstlight" / f"{first.name.removeprefix('recordings/')}.json"
    record = json.loads(path.read_text())
    minute = 60 * 10**9
    record |= {"boot": "11111111-1111-4111-8111-111111111111", "requestTime": minute, "startTime": minute}
    path.write_text(json.dumps(record))
    recorder.start(", max-age: 864000")
    found = recorder.wait_for_finished(4)
    assert found[0].name == first.name
    assert (recorder.folder / first.file).exists()
    assert recorder.log().count("because the clock was wrong and tells no age") == 1


def test_field_B3_footage_of_1970_gets_its_times_once_the_clock_of_its_boot_is_right(recorder):
    recorder.start()
    first = recorder.wait_for_finished(2)[0]
    recorder.kill()
    # The record as the daemon writes it before the time has come from the network.
    path = recorder.folder / ".firstlight" / f"{first.name.removeprefix('recordings/')}.json"
    record = json.loads(path.read_text())
    true = record["startTime"]
    minute = 60 * 10**9
    path.write_text(json.dumps(record | {"requestTime": minute, "startTime": minute}))
    recorder.start()

    def is_true(nanoseconds: int) -> bool:
        # The wall clock may have been slewed meanwhile.
        return abs(nanoseconds - true) < 10**8

    found = {item.name: item for item in recorder.segments()}[first.name]
    assert is_true(found.start_time.ToNanoseconds())
    assert is_true(found.request_time.ToNanoseconds())
    assert found.file == first.file
    assert (recorder.folder / first.file).exists()
    (span,) = [each for each in recorder.client.recording_spans(SESSION) if first.name in each.recording_names]
    assert is_true(span.start_time.ToNanoseconds())
    recorder.wait_for_finished(4)
    assert is_true(json.loads(path.read_text())["startTime"])
    assert recorder.log().count("The wall clock has been set") == 1


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
