"""Of which camera a movie is, and when its frames were captured, as the boards of the pictures tell."""

from __future__ import annotations

import pathlib

import pytest

import firstlight
from camera_sets import cameras
from captures import SMALL
from firstlight import connection, movie_output
from firstlight.v1 import recording_pb2, recording_service_pb2 as recordings_pb2
from movies import Movie, ended, kinds, read_movie
from support import SYNTHETIC, Collector, Stubs, refused

# Movies of a second are recorded, swapped and decoded.
pytestmark = pytest.mark.timeout(60)

Cause = recording_pb2.RecordingEnd
Recording = recording_pb2.Recording


def showing(camera: int, way: str, **movie: object):
    """The configuration of a session whose movie output shows a camera: its only one, or one of two."""
    if way == "swapped":
        return firstlight.configuration(SYNTHETIC[camera], photo=False, movie=movie_output(**movie), **SMALL)
    return firstlight.configuration(
        inputs=cameras(2),
        photo=False,
        movie=movie_output(**movie),
        connections=[connection("preview", input="cam-0"), connection("movie", input=f"cam-{camera}")],
    )


def begin(client: firstlight.Client, session: str, **options: object) -> tuple[Collector, str]:
    """Starts a recording, and returns its events and its name once it has a quarter of a second."""
    events = Collector(client.start_recording(session, fragment_seconds=0.2, **options))
    name = events.wait_for(lambda found: "started" in kinds(found))[0].recording.name
    see(client, session, 8)
    return events, name


def see(client: firstlight.Client, session: str, frames: int) -> None:
    """Waits until the main preview has shown so many frames more."""
    with client.preview(session, pixel_format="NV12", max_size=(64, 36)) as preview:
        for _ in range(frames):
            next(preview)


def downloaded(client: firstlight.Client, recording: Recording, folder: pathlib.Path) -> Movie:
    """The movie of a recording, of which no picture is missing that is not counted."""
    path = folder / f"{recording.name.removeprefix('recordings/')}.mp4"
    client.download_recording(recording.name, path)
    movie = read_movie(path)
    assert len(movie.boards) == recording.frame_count > 0
    return movie


def shown(movie: Movie) -> set[int]:
    """The numbers of the cameras in a movie."""
    return {board.camera for board in movie.boards}


@pytest.mark.parametrize("pre_roll", [None, 5])
@pytest.mark.parametrize("way", ["swapped", "moved"])
def test_fault_F2_a_recording_ends_with_its_camera(client, tmp_path, way, pre_roll):
    movie = {"max_pre_roll": pre_roll} if pre_roll else {}
    session = client.create_session(configuration=showing(0, way, **movie), start=True).name
    try:
        events, _ = begin(client, session, pre_roll=pre_roll)
        client.configure(session, showing(1, way, **movie))
        first = ended(events)[-1].recording
        assert first.end.cause == Cause.CAUSE_SESSION
        assert "camera" in first.end.error.message
        # With a pre-roll, this one would begin before the commit, if the output had kept pictures of the other camera.
        events, name = begin(client, session, pre_roll=pre_roll)
        second = client.stop_recording(name)
        events.close()
        for camera, recording in enumerate((first, second)):
            assert recording.device == SYNTHETIC[camera]
            assert shown(downloaded(client, recording, tmp_path)) == {camera}
        spans = list(client.recording_spans(session))
        assert [(span.device, list(span.recording_names)) for span in spans] == [
            (SYNTHETIC[0], [first.name]),
            (SYNTHETIC[1], [second.name]),
        ]
        start = first.start_time.ToNanoseconds()
        with refused("FAILED_PRECONDITION", "RECORDING_NOT_EXPORTABLE") as caught:
            client.export_recording(session, start, 600, tmp_path / "both.mp4")
        change = second.start_time.ToNanoseconds()
        assert caught.error.metadata["format_change_time"].endswith(f".{change % 10**9:09}Z")
    finally:
        client.delete_session(session)


@pytest.mark.parametrize("way", ["swapped", "moved"])
def test_fault_F2_an_attached_writer_gets_frames_of_one_camera(client, tmp_path, way):
    session = client.create_session(configuration=showing(0, way), start=True).name
    try:
        writer = client.asset_writer((320, 180), real_time=True, fragment_seconds=0.2)
        writer.start()
        writer.attach(session)
        with writer.watch() as states:
            next(each for each in states if each.writer_inputs[0].appended_sample_count >= 8)
            client.configure(session, showing(1, way))
            see(client, session, 8)
        name = writer.finish().recording_name
        assert shown(downloaded(client, client.recording(name), tmp_path)) == {0}
    finally:
        client.delete_session(session)


def test_fault_F4_frames_after_a_pause_are_found_at_their_time(client, tmp_path):
    session = client.create_session(configuration=showing(0, "swapped"), start=True).name
    try:
        events, name = begin(client, session)
        client.pause_recording(name)
        see(client, session, 30)
        client.resume_recording(name)
        see(client, session, 10)
        recording = client.stop_recording(name)
        events.close()
        boards = downloaded(client, recording, tmp_path).boards
        times = [board.capture_time_ns for board in boards]
        (pause,) = recording.pauses
        assert pause.duration.ToNanoseconds() > 5 * 10**8
        after = next(number for number in range(1, len(times)) if times[number] - times[number - 1] > 5 * 10**8)
        assert after >= 5
        # Recorded times are those of the movie, with the pause. The wall clock is the daemon's, within a millisecond.
        resumed = (
            recording.start_time.ToNanoseconds() + pause.movie_time.ToNanoseconds() + pause.duration.ToNanoseconds()
        )
        assert resumed == pytest.approx(times[after], abs=1_000_000)
        half = 10**9 // 60

        def exported(first: int, end: int) -> Movie:
            """The movie of a span."""
            path = tmp_path / f"{first}.mp4"
            client.export_recording(session, first, (end - first) / 1e9, path)
            return read_movie(path)

        assert exported(times[after + 1] - half, times[after + 3] + half).boards == boards[after + 1 : after + 4]
        whole = exported(times[0] - half, times[-1] + half)
        assert whole.boards == boards
        whole.check_times()
        with refused("NOT_FOUND", "RECORDING_NOT_FOUND"):
            exported(times[after - 1] + 2 * half, times[after] - half)
        request = recordings_pb2.ExportRecordingRequest(session=session)
        request.start_time.FromNanoseconds(times[after] - 10 * half)
        request.duration.FromSeconds(10)
        chunk = next(iter(Stubs(client.channel).recordings.ExportRecording(request)))
        assert chunk.start_time.ToNanoseconds() == pytest.approx(times[after], abs=1_000_000)
        spans = list(client.recording_spans(session))
        starts = [span.start_time.ToNanoseconds() for span in spans]
        assert starts == pytest.approx([times[0], times[after]], abs=1_000_000)
        parts = [exported(start, span.end_time.ToNanoseconds()) for start, span in zip(starts, spans, strict=True)]
        assert [part.boards for part in parts] == [boards[:after], boards[after:]]
    finally:
        client.delete_session(session)
