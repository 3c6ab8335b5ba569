"""Recordings and live video for as long as `make soak` has time, read to the last picture, and by GStreamer too."""

from __future__ import annotations

import concurrent.futures
import itertools
import os
import pathlib
from collections.abc import Iterable

import pytest

import firstlight
import gstreamer
from captures import SMALL
from faults import REPLUG, UNPLUG, inject
from firstlight import MovieContainer
from firstlight.v1 import recording_pb2
from footage import SECOND, Footage
from http_rpc import HTTPEndpoint
from live_video import CONTAINERS, watching
from movies import ended, kinds, read_movie, recording_session
from support import SYNTHETIC, Collector

#: For how long segments are recorded, and how many random spans of them are exported.
MINUTES = int(os.environ.get("FIRSTLIGHT_RECORDING_MINUTES", "60"))
SPANS = 200
#: The longest of these spans, in frames.
LONGEST_SPAN = 3600
#: How many frames viewers of live video follow.
LIVE_FRAMES = int(os.environ.get("FIRSTLIGHT_LIVE_MINUTES", "10")) * 60 * 30
MOST_BYTES = 1_000_000
SEGMENTS = f"""
sessions:
  door:
    inputs:
      - device: devices/synthetic-0
        format: {{pixel_format: NV12, width: 320, height: 180}}
        frame_rate_override: {{numerator: 30, denominator: 1}}
    preview: {{}}
    record: {{segment-duration: 5, fragment-interval: 1}}
  gate:
    inputs:
      - device: devices/synthetic-1
        format: {{pixel_format: NV12, width: 320, height: 180}}
        frame_rate_override: {{numerator: 30, denominator: 1}}
    preview: {{}}
    record: {{segment-duration: 5, fragment-interval: 1, max-bytes: {MOST_BYTES}}}
"""

pytestmark = [pytest.mark.alone, pytest.mark.slow]

State = recording_pb2.Recording


def numbers(boards: Iterable[firstlight.timecode.Timecode]) -> tuple[int, list[tuple[int, int]]]:
    """How many boards there are, and the frames that follow each other although they are not neighbours."""
    found = [board.sequence for board in boards]
    return len(found), [(before, after) for before, after in itertools.pairwise(found) if after != before + 1]


@pytest.mark.timeout(60 * (2 * MINUTES + 20))
def test_an_hour_of_segments_lacks_no_frame_and_every_span_of_it_is_exact(own_daemon, tmp_path):
    config, folder = tmp_path / "firstlight.yaml", tmp_path / "movies"
    config.write_text(SEGMENTS)
    daemon = own_daemon("--enable-fault-injection", "--config", str(config), "--recordings-dir", str(folder))
    with firstlight.connect(daemon.address, timeout=60) as client:
        most = 0
        seconds = 60 * MINUTES
        with client.preview("sessions/gate", max_size=(160, 90), max_frame_rate=1) as clock:
            for second, _ in enumerate(itertools.islice(clock, seconds)):
                if second == seconds // 4:
                    client.stop("sessions/door")
                elif second == seconds // 4 + 5:
                    client.start("sessions/door")
                elif second == seconds // 2:
                    inject(client, UNPLUG)
                elif second == seconds // 2 + 5:
                    inject(client, REPLUG)
                most = max(most, folder_bytes(folder / "gate"))
        # A fragment is being written, and another may have been since the daemon deleted last.
        assert MOST_BYTES / 2 < most < MOST_BYTES * 1.1
        segments = {}
        for session in ("sessions/door", "sessions/gate"):
            client.stop(session)
            segments[session] = stopped(client, session)
        assert not lost([segment for found in segments.values() for segment in found])

        footage = Footage(segments["sessions/door"], folder)
        spans = list(client.recording_spans("sessions/door"))
        assert len(spans) == 3
        assert [name for span in spans for name in span.recording_names] == [item.name for item in footage.recordings]
        boards = iter(board for _, board in footage.frames)
        for span in spans:
            frames = sum(item.frame_count for item in footage.recordings if item.name in span.recording_names)
            assert numbers(itertools.islice(boards, frames)) == (frames, [])
        kept = segments["sessions/gate"]
        shown = itertools.chain.from_iterable(read_movie(folder / item.file).boards for item in kept)
        assert numbers(shown) == (sum(item.frame_count for item in kept), [])

        for number, (start, duration) in enumerate(footage.random_spans(7, SPANS, longest=LONGEST_SPAN)):
            path = tmp_path / f"{number}.mp4"
            client.export_recording("sessions/door", start, duration / SECOND, path)
            footage.check(read_movie(path), start, duration)
            path.unlink()


def folder_bytes(folder: pathlib.Path) -> int:
    """The bytes of all files. A file may be deleted in the meantime."""
    total = 0
    for path in folder.rglob("*.mp4"):
        try:
            total += path.stat().st_size
        except FileNotFoundError:
            continue
    return total


def stopped(client: firstlight.Client, session: str) -> list[recording_pb2.Recording]:
    """All segments of a session that has stopped, the oldest first, once the last one is finished."""
    while True:
        segments = list(client.recordings(session))[::-1]
        if all(segment.state == State.STATE_FINISHED for segment in segments):
            return segments


def lost(segments: list[recording_pb2.Recording]) -> int:
    """How many frames segments lack."""
    return sum(value for item in segments for _, value in item.dropped.ListFields())


@pytest.mark.timeout(LIVE_FRAMES / 30 + 60)
def test_two_demuxers_follow_live_video_and_miss_no_frame(own_daemon, tmp_path):
    config = tmp_path / "firstlight.yaml"
    config.write_text("sessions: {}\n")
    daemon = own_daemon("--http-listen", "127.0.0.1:0", "--config", str(config))
    endpoint = HTTPEndpoint.of(tmp_path / "firstlightd.log")

    def by_ffmpeg(container: str) -> tuple[int, list[tuple[int, int]]]:
        with watching(endpoint, container) as video:
            return numbers(picture.board for picture in itertools.islice(video, LIVE_FRAMES))

    def by_gstreamer(container: str) -> tuple[int, list[tuple[int, int]]]:
        source = f"souphttpsrc location={endpoint.origin}{CONTAINERS[container]}"
        return numbers(gstreamer.boards(source, container, SMALL["size"], LIVE_FRAMES))

    with firstlight.connect(daemon.address) as client, concurrent.futures.ThreadPoolExecutor(4) as threads:
        configuration = firstlight.configuration(SYNTHETIC[0], **SMALL)
        client.create_session("front", configuration=configuration, start=True)
        viewers = [threads.submit(follow, each) for follow in (by_ffmpeg, by_gstreamer) for each in CONTAINERS]
        assert [viewer.result() for viewer in viewers] == [(LIVE_FRAMES, [])] * 4


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "container", [MovieContainer.MP4, MovieContainer.MOV, MovieContainer.MATROSKA, MovieContainer.MPEG_TS]
)
def test_gstreamer_reads_what_ffmpeg_reads(own_daemon, tmp_path, container):
    folder = tmp_path / "movies"
    daemon = own_daemon("--recordings-dir", str(folder))
    demuxers = {MovieContainer.MATROSKA: "matroska", MovieContainer.MPEG_TS: "mpegts"}
    with firstlight.connect(daemon.address) as client:
        session = recording_session(client, SYNTHETIC[0], **SMALL)
        events = Collector(client.start_recording(session, container=container, max_seconds=3))
        recording = ended(events)[-1].recording
    assert kinds(events.close())[-1] == "finished"
    movie = folder / recording.file
    found = list(gstreamer.boards(f"filesrc location={movie}", demuxers.get(container, "mp4"), SMALL["size"]))
    assert found == read_movie(movie).boards
    assert len(found) == recording.frame_count


@pytest.mark.timeout(60)
def test_gstreamer_finds_nothing_else_in_a_clip(own_daemon, tmp_path):
    """The first pictures of a clip were encoded anew, with parameter sets of their own."""
    daemon = own_daemon("--recordings-dir", str(tmp_path / "movies"))
    with firstlight.connect(daemon.address) as client:
        session = recording_session(client, SYNTHETIC[0], **SMALL)
        recording = ended(Collector(client.start_recording(session, max_seconds=3)))[-1].recording
        movie = read_movie(tmp_path / "movies" / recording.file)
        start = recording.start_time.ToNanoseconds() + round((movie.times[20] - 1 / 60) * 1e9)
        client.export_recording(session, start, 600, tmp_path / "clip.mp4")
    found = list(gstreamer.boards(f"filesrc location={tmp_path / 'clip.mp4'}", "mp4", SMALL["size"]))
    assert found == movie.boards[20:]
