"""Movies of spans of time: exactly the frames of the span, across recordings, by gRPC and by HTTP."""

from __future__ import annotations

import itertools
import pathlib
import random
import urllib.parse

import pytest

import firstlight
from browser import Serving, Viewfinder, board
from captures import SMALL
from firstlight import MovieCodec, MovieContainer
from firstlight.v1 import recording_service_pb2 as recordings_pb2
from footage import SECOND, TICK, Footage
from movies import Movie, read_movie, record, recording_session
from support import SYNTHETIC, Stubs, call, refused
from test_recording_pages import OPEN, PLAY, SEEK, running

pytestmark = pytest.mark.timeout(180)


@pytest.fixture
def server(serving, tmp_path: pathlib.Path) -> Serving:
    """A daemon that serves HTTP, with a folder of recordings of its own."""
    return serving("--recordings-dir", str(tmp_path / "movies"))


def span_target(session: str, start: int, duration: int) -> str:
    """The address of the movie of a span, in nanoseconds."""
    values = {
        "session": session.removeprefix("sessions/"),
        "start": f"{start // SECOND}.{start % SECOND:09}",
        "duration": f"{duration // SECOND}.{duration % SECOND:09}",
    }
    return f"/recordings?{urllib.parse.urlencode(values)}"


class Recorded(Footage):
    """Several recordings of one session, with the frames of all."""

    def __init__(self, server: Serving, folder: pathlib.Path, session: str, counts: list[int]) -> None:
        self.server, self.session = server, session
        recordings = [
            record(server.client, session, frames=count, fragment_seconds=0.3)[-1].recording for count in counts
        ]
        super().__init__(recordings, folder)

    def target(self, start: int, duration: int) -> str:
        """The address of a span, in nanoseconds."""
        return span_target(self.session, start, duration)

    def export(self, start: int, duration: int, path: pathlib.Path) -> Movie:
        """The movie of a span as HTTP gives it."""
        response, body = self.server.endpoint.ask("GET", self.target(start, duration))
        assert response.status == 200, body
        path.write_bytes(body)
        return read_movie(path)

    def boards(self, start: int, duration: int) -> list[firstlight.timecode.Timecode]:
        """The boards of the frames of a span."""
        return [found for time, found in self.frames if start <= time < start + duration]


@pytest.fixture
def recorded(server: Serving, tmp_path: pathlib.Path) -> Recorded:
    """Recordings with gaps between them."""
    session = recording_session(server.client, SYNTHETIC[0], **SMALL)
    return Recorded(server, tmp_path / "movies", session, [40, 25, 50])


def test_random_spans_have_exactly_their_frames(recorded, tmp_path):
    spans = list(recorded.random_spans(31, 20))
    first, last = recorded.frames[0][0], recorded.frames[-1][0]
    spans.append((first - SECOND, last - first + 2 * SECOND))
    for number, (start, duration) in enumerate(spans):
        movie = recorded.export(start, duration, tmp_path / f"{number}.mp4")
        recorded.check(movie, start, duration)


@pytest.mark.parametrize("codec", [MovieCodec.H264, MovieCodec.HEVC])
def test_fault_F12_the_file_of_a_clip_holds_nothing_else(server, tmp_path, codec):
    """Also for a player that ignores edit lists, from every frame of a group, over its end, and within it."""
    session = recording_session(server.client, SYNTHETIC[0], codec=codec, **SMALL)
    recorded = Recorded(server, tmp_path / "movies", session, [40, 20])
    frames = len(recorded.frames)
    for first, last in ((1, 8), (7, 8), (9, frames), (23, 37), (29, 42), (37, 45)):
        start, stop = recorded.frames[first][0] - SECOND // 60, recorded.frames[last - 1][0] + SECOND // 60
        path = tmp_path / "clip.mp4"
        recorded.export(start, stop - start, path)
        clip = read_movie(path, edits=False)
        assert clip.boards == recorded.boards(start, stop - start)
        assert clip.times[0] == 0
        for time, (captured, _) in zip(clip.times, recorded.frames[first:last], strict=True):
            assert abs(time - (captured - recorded.frames[first][0]) / SECOND) < 2 * TICK


def test_a_clip_that_is_not_exact_says_what_it_holds(recorded, tmp_path):
    start, stop = recorded.frames[17][0] - SECOND // 60, recorded.frames[33][0] - SECOND // 60
    path = tmp_path / "copy.mp4"
    response, body = recorded.server.endpoint.ask("GET", recorded.target(start, stop - start) + "&exact=false")
    path.write_bytes(body)
    hidden = float(response.headers["x-hidden-duration"])
    held = read_movie(path, edits=False)
    assert read_movie(path).boards == recorded.boards(start, stop - start)
    earlier = start - round(hidden * SECOND)
    assert held.boards == recorded.boards(earlier, stop - earlier)
    assert 0 < hidden < 2
    recorded.server.client.export_recording(
        recorded.session, start, (stop - start) / SECOND, tmp_path / "again.mp4", exact=False
    )
    assert (tmp_path / "again.mp4").read_bytes() == body
    request = recordings_pb2.ExportRecordingRequest(session=recorded.session, exact=False)
    request.start_time.FromNanoseconds(start)
    request.duration.FromNanoseconds(stop - start)
    (first, *_) = recorded.server.stubs.recordings.ExportRecording(request)
    assert first.hidden_duration.ToNanoseconds() / SECOND == hidden
    assert recorded.server.endpoint.ask("GET", recorded.target(start, SECOND) + "&exact=perhaps")[0].status == 400
    copy = recorded.target(start, stop - start) + "&exact=false"
    address = recorded.server.endpoint.redirection(copy)
    assert len(recorded.server.endpoint.ask("GET", address, range="bytes=0-")[1]) == len(body)


def test_a_frame_at_the_start_belongs_to_the_span_and_one_at_the_end_does_not(recorded, tmp_path):
    start, stop = (recorded.frames[index][0] for index in (7, 12))
    movie = recorded.export(start, stop - start, tmp_path / "out.mp4")
    assert movie.boards == [found for _, found in recorded.frames[7:12]]
    assert movie.times[-5] == pytest.approx(0, abs=1e-6)


def test_fault_F11_a_span_is_exact_to_the_nanosecond(server, tmp_path):
    """A span of 1 ns has the frame of this time as the preview tells it, and one just before or after it has none."""
    session = recording_session(server.client, SYNTHETIC[0], **SMALL)
    started = next(each for each in server.client.start_recording(session) if each.HasField("started"))
    with server.client.preview(session) as preview:
        shown = list(itertools.islice(preview, 40))
    server.client.stop_recording(started.recording.name)
    for frame in shown[10:30:4]:
        path = tmp_path / f"{frame.sequence}.mp4"
        server.client.export_recording(session, frame.capture_time_ns, 1e-9, path)
        assert [found.sequence for found in read_movie(path).boards] == [frame.sequence]
        for other in (-1000, -1, 1, 1000):
            with refused("NOT_FOUND", "RECORDING_NOT_FOUND"):
                server.client.export_recording(session, frame.capture_time_ns + other, 1e-9, tmp_path / "none.mp4")


def test_parts_of_the_movie_are_parts_of_the_whole(recorded):
    ask = recorded.server.endpoint.ask
    start, duration = recorded.frames[10][0], recorded.frames[-10][0] - recorded.frames[10][0]
    target = recorded.target(start, duration)
    response, whole = ask("GET", target)
    assert response.headers["content-length"] == str(len(whole))
    assert response.headers["content-type"] == "video/mp4"
    assert response.headers["x-start-time"].endswith("Z")
    chance = random.Random(7)
    for _ in range(20):
        low, high = sorted(chance.sample(range(len(whole)), 2))
        part, body = ask("GET", target, range=f"bytes={low}-{high - 1}", if_range=response.headers["etag"])
        assert (part.status, body) == (206, whole[low:high])
    head, nothing = ask("HEAD", f"{target}&download")
    assert (head.headers["content-length"], nothing) == (str(len(whole)), b"")
    assert "attachment" in head.headers["content-disposition"]


def test_both_transports_give_the_same_movie(recorded, tmp_path):
    start, duration = recorded.frames[3][0], recorded.frames[-3][0] - recorded.frames[3][0]
    _, body = recorded.server.endpoint.ask("GET", recorded.target(start, duration))
    path = tmp_path / "export.mp4"
    size = recorded.server.client.export_recording(recorded.session, start, duration / SECOND, path)
    assert path.read_bytes() == body
    assert size == len(body)
    request = recordings_pb2.ExportRecordingRequest(session=recorded.session, offset=100)
    request.start_time.FromNanoseconds(start)
    request.duration.FromNanoseconds(duration)
    chunks = list(recorded.server.stubs.recordings.ExportRecording(request))
    assert b"".join(chunk.data for chunk in chunks) == body[100:]
    assert (chunks[0].offset, chunks[0].movie_size, chunks[0].container) == (100, len(body), MovieContainer.MP4)


def test_spans_without_a_gap(recorded):
    client = recorded.server.client
    spans = list(client.recording_spans(recorded.session))
    assert [name for span in spans for name in span.recording_names] == [each.name for each in recorded.recordings]
    assert all(span.session == recorded.session and span.output == "movie" for span in spans)
    # The recordings of the fixture follow one another at once, so there may or may not be a frame between two.
    joined: list[tuple[int, int]] = []
    for each in recorded.recordings:
        start = each.start_time.ToNanoseconds()
        end = start + each.recorded_duration.ToNanoseconds()
        if joined and start - joined[-1][1] <= SECOND // 60:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    assert [span.start_time.ToNanoseconds() for span in spans] == [start for start, _ in joined]
    # The daemon adds up monotonic times, beside which the wall clock may move.
    ends = [span.end_time.ToNanoseconds() for span in spans]
    assert ends == pytest.approx([end for _, end in joined], abs=1_000_000)
    assert list(client.recording_spans("sessions/other")) == []


def test_a_deleted_recording_leaves_a_gap(recorded, tmp_path):
    recorded.server.client.delete_recording(recorded.recordings[1].name)
    start, stop = recorded.frames[0][0], recorded.frames[-1][0] + SECOND
    movie = recorded.export(start, stop - start, tmp_path / "out.mp4")
    assert movie.boards == recorded.movies[0].boards + recorded.movies[2].boards


def test_a_delete_during_an_export(server, tmp_path):
    """An export reads on what it has open, and ends with an error at a file that is gone."""
    # Much more than the daemon sends ahead of a client that does not read.
    features = {**SMALL, "size": (1280, 720)}
    session = recording_session(server.client, SYNTHETIC[0], codec=MovieCodec.PRO_RES, **features)
    recordings = [record(server.client, session, frames=12)[-1].recording for _ in range(6)]
    assert sum(each.recorded_file_size for each in recordings[:5]) > 4 << 20
    request = recordings_pb2.ExportRecordingRequest(session=session)
    request.start_time.CopyFrom(recordings[0].start_time)
    request.duration.FromSeconds(600)
    export = server.stubs.recordings.ExportRecording
    whole = b"".join(chunk.data for chunk in export(request))

    chunks = firstlight.Stream(export(request), lambda response: response.data)
    received = next(chunks)
    # The daemon has the first four files open from the beginning on.
    server.client.delete_recording(recordings[3].name)
    assert received + b"".join(chunks) == whole

    chunks = firstlight.Stream(export(request), lambda response: response.data)
    next(chunks)
    server.client.delete_recording(recordings[5].name)
    with refused("NOT_FOUND", "RECORDING_NOT_FOUND"):
        list(chunks)


def test_what_is_being_recorded_counts_as_far_as_it_was_written(server, tmp_path):
    name = running(server).name
    recording = server.client.recording(name)
    start = recording.start_time.ToNanoseconds()
    path = tmp_path / "part.mp4"
    server.client.export_recording(recording.session, start, 60, path)
    part = read_movie(path)
    stopped = server.client.stop_recording(name)
    whole = read_movie(tmp_path / "movies" / stopped.file)
    assert whole.boards[: len(part.boards)] == part.boards != []


def test_a_player_gets_parts_of_one_movie_while_the_session_records(server):
    recording = server.client.recording(running(server).name)
    ask, start = server.endpoint.ask, recording.start_time.ToNanoseconds()
    target = span_target(recording.session, start, 600 * SECOND)
    address = server.endpoint.redirection(target)
    response, whole = ask("GET", address, range="bytes=0-")
    assert (response.status, response.headers["content-range"]) == (206, f"bytes 0-{len(whole) - 1}/{len(whole)}")
    chance = random.Random(5)

    def check_parts() -> None:
        for low in (0, *(chance.randrange(len(whole)) for _ in range(5))):
            part, body = ask("GET", address, range=f"bytes={low}-")
            assert (part.status, body) == (206, whole[low:])

    later = server.client.preview(recording.session)
    while server.client.recording(recording.name).recorded_file_size < 2 * recording.recorded_file_size:
        next(later)
    check_parts()
    assert len(ask("GET", target)[1]) > len(whole)
    # The daemon keeps four movies, and makes this one anew.
    for number in range(4):
        assert ask("GET", span_target(recording.session, start, (500 + number) * SECOND))[0].status == 200
    check_parts()
    server.client.stop_recording(recording.name)
    check_parts()


def test_a_player_gets_no_parts_of_another_movie_when_a_recording_was_deleted(recorded):
    ask = recorded.server.endpoint.ask
    start, stop = recorded.frames[0][0], recorded.frames[-1][0] + SECOND
    target = recorded.target(start, stop - start)
    address = recorded.server.endpoint.redirection(target)
    assert ask("GET", address, range="bytes=100-199")[0].status == 206
    recorded.server.client.delete_recording(recorded.recordings[1].name)
    response, body = ask("GET", address, range="bytes=100-199")
    assert (response.status, body[-2:]) == (404, b".\n")
    other = recorded.server.endpoint.redirection(f"{target}&download")
    assert other != address
    response, body = ask("GET", other, range="bytes=100-199")
    assert (response.status, len(body)) == (206, 100)
    assert "attachment" in response.headers["content-disposition"]
    # A client that names the movie that it knows by its tag gets an answer at once.
    response, whole = ask("GET", target)
    response, body = ask("GET", target, range="bytes=0-9", if_range=response.headers["etag"])
    assert (response.status, body) == (206, whole[:10])


def test_a_change_of_the_format_is_told(server, tmp_path):
    session = recording_session(server.client, SYNTHETIC[0], **SMALL)
    first = record(server.client, session, frames=5)[-1].recording
    server.client.configure(
        session,
        firstlight.configuration(SYNTHETIC[0], movie=firstlight.movie_output(), **{**SMALL, "size": (640, 360)}),
    )
    list(itertools.islice(server.client.preview(session), 2))
    second = record(server.client, session, frames=5)[-1].recording
    start = first.start_time.ToNanoseconds()
    with refused("FAILED_PRECONDITION", "RECORDING_NOT_EXPORTABLE") as caught:
        server.client.export_recording(session, start, 600, tmp_path / "no.mp4")
    assert not (tmp_path / "no.mp4").exists()
    change = second.start_time.ToNanoseconds()
    assert (
        caught.error.metadata["format_change_time"] == f"{second.start_time.ToJsonString()[:19]}.{change % SECOND:09}Z"
    )
    before, after = tmp_path / "before.mp4", tmp_path / "after.mp4"
    server.client.export_recording(session, start, (change - start) / SECOND, before)
    server.client.export_recording(session, change, 600, after)
    assert (read_movie(before).size, read_movie(after).size) == ((320, 180), (640, 360))


def test_what_cannot_be_exported(server, tmp_path):
    session = recording_session(server.client, SYNTHETIC[0], **SMALL)
    done = record(server.client, session, frames=5, container=MovieContainer.MATROSKA)[-1].recording
    start = done.start_time.ToNanoseconds()
    path = tmp_path / "no.mp4"
    with refused("FAILED_PRECONDITION", "RECORDING_NOT_EXPORTABLE"):
        server.client.export_recording(session, start, 10, path)
    with refused("NOT_FOUND", "RECORDING_NOT_FOUND"):
        server.client.export_recording(session, start + 3600 * SECOND, 10, path)
    for seconds in (0, 6 * 3600 + 1):
        with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT"):
            server.client.export_recording(session, start, seconds, path)
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT"):
        call(Stubs(server.client.channel).recordings.ExportRecording, recordings_pb2.ExportRecordingRequest())
    ask = server.endpoint.ask
    for query in ("", "session=a", "session=a&start=x&duration=1", "session=a&start=1&duration=-1", "width=1"):
        response, body = ask("GET", f"/recordings?{query}")
        assert (response.status, body[-2:]) == (400, b".\n")
    assert ask("GET", "/recordings?session=a&start=2026-01-01T00:00:00%2B01:00&duration=1")[0].status == 404


def test_chromium_shows_the_frames_of_the_span(recorded, context):
    tab = Viewfinder(context.new_page())
    tab.page.goto(f"{recorded.server.address}healthz")
    # Not at a key frame, and across a gap.
    start, stop = recorded.frames[17][0], recorded.frames[50][0]
    duration = tab.page.evaluate(OPEN, recorded.target(start, stop - start))
    first = board(tab.page.evaluate(SEEK, 1 / 60))
    assert first == recorded.frames[17][1]
    later = (recorded.frames[45][0] - start) / SECOND
    assert board(tab.page.evaluate(SEEK, later + 1 / 60)) == recorded.frames[45][1]
    assert tab.page.evaluate(PLAY) == pytest.approx(duration, abs=0.1)
