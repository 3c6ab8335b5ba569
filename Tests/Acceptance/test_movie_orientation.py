"""Movies of outputs that are rotated or mirrored: players turn the pictures, so that they are as in a preview."""

from __future__ import annotations

import json
import pathlib
import subprocess

import numpy as np
import pytest

import firstlight
from captures import SMALL
from firstlight import MovieContainer, connection, timecode
from firstlight.v1 import recording_pb2
from movies import ended, kinds, record
from support import SYNTHETIC, Collector

pytestmark = pytest.mark.timeout(60)

Cause = recording_pb2.RecordingEnd
ORIENTATIONS = [(90, False), (180, False), (270, False), (0, True), (90, True), (180, True), (270, True)]


@pytest.fixture
def recorder(own_daemon, tmp_path):
    """A client of a daemon of its own, and the folder of its recordings."""
    folder = tmp_path / "movies"
    daemon = own_daemon("--recordings-dir", str(folder))
    with firstlight.connect(daemon.address, timeout=20) as client:
        yield client, folder


def configuration(rotated: int, mirrored: bool, **options):
    return firstlight.configuration(
        SYNTHETIC[0],
        movie=firstlight.movie_output(**options),
        preview=True,
        connections=[connection("preview"), connection("movie", rotated=rotated, mirrored=mirrored)],
        **SMALL,
    )


def boards(path: pathlib.Path, rotated: int, mirrored: bool) -> list[timecode.Timecode]:
    """Decodes a movie as players show it, turns its pictures back to those of the camera, and reads their boards."""
    width, height = SMALL["size"] if rotated % 180 == 0 else SMALL["size"][::-1]
    command = ["ffmpeg", "-v", "error", "-i", str(path), "-f", "rawvideo", "-pix_fmt", "gray", "-vsync", "0", "-"]
    done = subprocess.run(command, capture_output=True, check=True, timeout=60)
    assert not done.stderr, done.stderr.decode()
    found = []
    for picture in np.frombuffer(done.stdout, np.uint8).reshape(-1, height, width):
        turned = np.rot90(picture[:, ::-1] if mirrored else picture, rotated // 90)
        board = timecode.decode(np.ascontiguousarray(turned))
        assert board, "a picture has no board"
        found.append(board)
    return found


def has_matrix(path: pathlib.Path) -> bool:
    command = ["ffprobe", "-v", "error", "-show_entries", "stream_side_data", "-of", "json", str(path)]
    (stream,) = json.loads(subprocess.run(command, capture_output=True, check=True, timeout=60).stdout)["streams"]
    return any("displaymatrix" in data for data in stream.get("side_data_list", []))


@pytest.mark.parametrize(("rotated", "mirrored"), ORIENTATIONS)
def test_players_turn_the_pictures(recorder, tmp_path, rotated, mirrored):
    client, folder = recorder
    session = client.create_session(configuration=configuration(rotated, mirrored), start=True).name
    container = MovieContainer.MOV if mirrored else MovieContainer.MP4
    finished = record(client, session, frames=15, container=container)[-1].recording
    path = folder / finished.file
    assert has_matrix(path)
    found = boards(path, rotated, mirrored)
    assert len(found) == finished.frame_count
    # A movie of a span of time keeps it.
    whole = tmp_path / "whole.mp4"
    client.export_recording(session, finished.start_time.ToNanoseconds() - 10**9, 60, whole)
    assert boards(whole, rotated, mirrored) == found


def test_a_pre_roll_is_turned_too(recorder):
    client, folder = recorder
    session = client.create_session(configuration=configuration(90, True, max_pre_roll=5), start=True).name
    finished = record(client, session, frames=30, pre_roll=1)[-1].recording
    assert len(boards(folder / finished.file, 90, True)) == finished.frame_count


def test_matroska_has_the_pictures_as_they_come(recorder):
    client, folder = recorder
    session = client.create_session(configuration=configuration(90, False), start=True).name
    finished = record(client, session, frames=5, container=MovieContainer.MATROSKA)[-1].recording
    assert not has_matrix(folder / finished.file)
    assert len(boards(folder / finished.file, 0, False)) == finished.frame_count


def test_another_orientation_ends_the_recording(recorder):
    client, folder = recorder
    session = client.create_session(configuration=configuration(0, False), start=True).name
    events = Collector(client.start_recording(session, fragment_seconds=0.2))
    events.wait_for(lambda found: "started" in kinds(found))
    client.configure(session, configuration(180, False))
    finished = ended(events)[-1].recording
    assert finished.end.cause == Cause.CAUSE_SESSION
    assert not finished.playable or not has_matrix(folder / finished.file)
    finished = record(client, session, frames=5)[-1].recording
    assert len(boards(folder / finished.file, 180, False)) == finished.frame_count
