"""Recordings that are optimized for network use: their index comes to the front when they finish."""

from __future__ import annotations

import errno
import itertools
import pathlib
import socket

import pytest

import firstlight
from captures import SMALL
from disks import Disk
from firstlight import MovieCodec, MovieContainer
from firstlight.v1 import recording_pb2
from footage import SECOND, Footage
from http_rpc import HTTPEndpoint
from movies import ended, has_index_in_front, kinds, lost, read_movie, record, recording_session, without_index
from support import SYNTHETIC, TIMEOUT, Collector, refused, wait_until

pytestmark = pytest.mark.timeout(60)

State = recording_pb2.Recording
Cause = recording_pb2.RecordingEnd


@pytest.fixture
def client(disk, tmp_path):
    """A client of a daemon that serves HTTP, with its recordings on a disk of the test."""
    with firstlight.connect(disk.start("--http-listen", "127.0.0.1:0").address, timeout=20) as client:
        yield client


def drafts(disk: Disk) -> list[pathlib.Path]:
    """The copies that are being made, or that were left."""
    return list(disk.folder.glob(".firstlight/*.movie.new"))


def log(tmp_path: pathlib.Path) -> str:
    return (tmp_path / "firstlightd.log").read_text()


@pytest.mark.parametrize(
    ("codec", "container"),
    [
        (MovieCodec.H264, MovieContainer.MP4),
        (MovieCodec.HEVC, MovieContainer.MOV),
        (MovieCodec.PRO_RES, MovieContainer.MOV),
    ],
)
def test_the_index_comes_before_the_samples(client, disk, tmp_path, codec, container):
    session = recording_session(client, SYNTHETIC[0], codec=codec, **SMALL)
    options = {"container": container, "fragment_seconds": 0.2}
    plain = record(client, session, frames=3, **options)[-1].recording
    events = record(client, session, optimize_for_network_use=True, **options)
    assert kinds(events) == ["accepted", "started", "will_finish", "finished"]
    assert [event.recording.is_optimized_for_network_use for event in events] == [False, False, False, True]
    finished = events[-1].recording
    file = disk.folder / finished.file
    assert has_index_in_front(file)
    assert finished.recorded_file_size == file.stat().st_size
    movie = read_movie(file)
    # An encoder of HEVC may be too slow for every frame while other tests use the processors.
    movie.check_complete(finished)
    movie.check_times()
    assert len(movie.boards) == finished.frame_count >= 10
    assert finished.frame_count + lost(finished) >= 20
    assert file.stat().st_mode & 0o777 == 0o644
    assert client.recording(finished.name) == finished
    assert not plain.is_optimized_for_network_use
    assert not has_index_in_front(disk.folder / plain.file)
    # Recordings of both kinds are in one movie of a span.
    footage = Footage([plain, finished], disk.folder)
    start = plain.start_time.ToNanoseconds() - SECOND // 60
    client.export_recording(session, start, 60, tmp_path / "span")
    footage.check(read_movie(tmp_path / "span"), start, 60 * SECOND)


def test_a_pause_leaves_no_gap(client, disk):
    session = recording_session(client, SYNTHETIC[0], **SMALL)
    events = Collector(client.start_recording(session, fragment_seconds=0.2, optimize_for_network_use=True))
    name = events.wait_for(lambda found: "started" in kinds(found))[0].recording.name
    frames = client.preview(session)
    list(itertools.islice(frames, 10))
    client.pause_recording(name)
    list(itertools.islice(frames, 10))
    client.resume_recording(name)
    list(itertools.islice(frames, 10))
    stopped = client.stop_recording(name)
    assert stopped.is_optimized_for_network_use
    movie = read_movie(disk.folder / stopped.file)
    assert max(after - before for before, after in itertools.pairwise(movie.sequences)) > 3
    assert max(after - before for before, after in itertools.pairwise(movie.times)) < (1.5 + lost(stopped)) / 30
    assert stopped.frame_count == len(movie.boards)


@pytest.mark.parametrize(
    ("codec", "container"),
    [(MovieCodec.H264, MovieContainer.MATROSKA), (MovieCodec.H264, MovieContainer.MPEG_TS), (MovieCodec.FFV1, None)],
)
def test_a_container_without_an_index_is_refused(client, codec, container):
    session = recording_session(client, SYNTHETIC[0], codec=codec, **SMALL)
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT") as refusal:
        next(client.start_recording(session, container=container, optimize_for_network_use=True))
    assert "should_optimize_for_network_use" in str(refusal.error)
    assert list(client.recordings()) == []


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO])
def test_a_disk_that_fails_during_the_copy_costs_nothing_else(client, disk, tmp_path, error):
    session = recording_session(client, SYNTHETIC[0], **SMALL)
    disk.set(copying=error)
    finished = record(client, session, fragment_seconds=0.2, optimize_for_network_use=True)[-1].recording
    assert (finished.state, finished.end.cause) == (State.STATE_FINISHED, Cause.CAUSE_STOPPED)
    assert not finished.is_optimized_for_network_use
    assert not has_index_in_front(disk.folder / finished.file)
    movie = read_movie(disk.folder / finished.file)
    movie.check_complete(finished)
    assert len(movie.boards) == finished.frame_count >= 10
    assert finished.frame_count + lost(finished) >= 20
    assert drafts(disk) == []
    (line,) = [line for line in log(tmp_path).splitlines() if "not optimized for network use" in line]
    assert finished.file in line
    disk.set()
    assert record(client, session, optimize_for_network_use=True)[-1].recording.is_optimized_for_network_use


def test_the_end_of_the_daemon_does_not_wait_for_the_copy(disk, tmp_path):
    daemon = disk.start()
    with firstlight.connect(daemon.address, timeout=20) as client:
        session = recording_session(client, SYNTHETIC[0], **SMALL)
        watcher = Collector(client.watch_session(session))
        disk.set(copies_stand=True)
        events = Collector(client.start_recording(session, max_seconds=0.5, optimize_for_network_use=True))
        wait_until(lambda: drafts(disk))
        daemon.process.terminate()
        watcher.wait_for_end()
        disk.set()
        finished = events.wait_for(lambda found: kinds(found)[-1] == "finished")[-1].recording
    assert daemon.process.wait(timeout=TIMEOUT) == 0
    assert "does not answer" not in log(tmp_path)
    assert finished.end.cause == Cause.CAUSE_MAX_RECORDED_DURATION
    file = disk.folder / finished.file
    # The copy may have been complete before the daemon cancelled it.
    assert finished.is_optimized_for_network_use == has_index_in_front(file)
    assert drafts(disk) == []
    assert len(read_movie(file).boards) == finished.frame_count >= 8


def test_readers_have_either_the_old_or_the_new_file(client, disk, tmp_path):
    """While the copy is made, the old file is served. Who has begun with it gets all of it."""
    endpoint = HTTPEndpoint.of(tmp_path / "firstlightd.log")
    features = {**SMALL, "size": (1280, 720)}
    session = recording_session(client, SYNTHETIC[0], codec=MovieCodec.PRO_RES, **features)
    disk.set(copies_stand=True)
    options = {"max_seconds": 0.7, "fragment_seconds": 0.2, "optimize_for_network_use": True}
    events = Collector(client.start_recording(session, **options))
    name = events.wait_for(len)[0].recording.name
    wait_until(lambda: drafts(disk))
    finishing = client.recording(name)
    assert finishing.state == State.STATE_FINISHING
    file = disk.folder / finishing.file
    old = file.read_bytes()
    # The kernel and the daemon keep less than 1 MiB, so the rest is read after the file was replaced.
    assert len(old) > 2 << 20

    def export(target: str) -> bytes:
        client.export_recording(session, finishing.start_time.ToNanoseconds(), 0.5, tmp_path / target)
        return (tmp_path / target).read_bytes()

    exported = export("before.mov")
    client.download_recording(name, tmp_path / "old.mov")
    assert (tmp_path / "old.mov").read_bytes() == old
    # A player that asks for parts gets them of one file only.
    response, _ = endpoint.ask("GET", f"/{name}", range="bytes=0-99")
    assert response.status == 307
    assert response.headers["location"] == f"{name.removeprefix('recordings/')}?size={len(old)}"
    first, body = endpoint.ask("GET", f"/{name}?size={len(old)}", range="bytes=0-19")
    assert (first.status, body) == (206, old[:20])
    connection = endpoint.connection()
    with socket.socket() as connection.sock:
        connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
        connection.sock.settimeout(TIMEOUT)
        connection.sock.connect((endpoint.host, endpoint.port))
        connection.request("GET", f"/{name}")
        response = connection.getresponse()
        # Other recordings do not wait for the copy.
        assert record(client, session, frames=3)[-1].recording.end.cause == Cause.CAUSE_STOPPED
        assert client.recording(name).state == State.STATE_FINISHING
        disk.set()
        assert ended(events)[-1].recording.is_optimized_for_network_use
        assert without_index(response.read()) == old[: old.rindex(b"mfra") - 4]
    new = file.read_bytes()
    assert has_index_in_front(file)
    assert read_movie(file).boards == read_movie(tmp_path / "old.mov").boards
    response, body = endpoint.ask("GET", f"/{name}", range="bytes=0-99", if_range=first.headers["etag"])
    assert (response.status, body) == (200, new)
    response, body = endpoint.ask("GET", f"/{name}", range="bytes=0-99", if_range=response.headers["etag"])
    assert (response.status, body) == (206, new[:100])
    response, body = endpoint.ask("GET", f"/{name}?size={len(old)}", range="bytes=0-99")
    assert response.status == 404
    assert b"has another file now" in body
    assert export("after.mov") == exported
