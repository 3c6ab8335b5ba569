"""What a writer keeps when its daemon ends or is killed."""

from __future__ import annotations

import os
import random
import threading

import grpc
import numpy as np
import pytest

import drawn
import firstlight
from drawn_movies import append, check_movie
from firstlight import MovieContainer
from firstlight.v1 import asset_writer_pb2 as writer_pb2, recording_pb2
from movies import read_movie
from sound import samples
from support import TIMEOUT, refused, wait_until

State = writer_pb2.AssetWriter
#: How often the long test kills the daemon.
CRASHES = int(os.environ.get("FIRSTLIGHT_CRASHES", "60"))


def test_a_daemon_that_ends_completes_the_movie(own_daemon, tmp_path):
    folder = tmp_path / "movies"
    daemon = own_daemon("--recordings-dir", str(folder))
    with firstlight.connect(daemon.address, timeout=20) as client:
        writer = client.asset_writer(drawn.SIZE, "ended")
        writer.start()
        append(writer, range(10))
        wait_until(lambda: writer.input().appended_sample_count == 10)
        daemon.process.terminate()
        with refused("UNAVAILABLE", "SHUTTING_DOWN"):
            writer._append._thread.join(TIMEOUT)
            writer.flush()
    assert daemon.process.wait(timeout=20) == 0
    check_movie(folder / "ended.mp4", range(10))


def write_until_killed(writer: firstlight.AssetWriter, dice: random.Random) -> None:
    """Appends pictures and sound, and sometimes finishes, until the daemon does not answer any more."""
    number = 0
    while dice.random() > 0.01:
        time_ns = number * drawn.PERIOD
        writer.append(drawn.nv12(number), time_ns)
        writer.append_audio(np.zeros((1920, 1), np.int16), time_ns)
        number += 1
    writer.finish()
    while True:
        writer.refresh()


@pytest.mark.parametrize(
    "crashes",
    [
        pytest.param(2, id="2", marks=pytest.mark.timeout(120)),
        pytest.param(CRASHES, id="many", marks=[pytest.mark.slow, pytest.mark.timeout(60 + 20 * CRASHES)]),
    ],
)
def test_a_killed_daemon_keeps_what_it_acknowledged(own_daemon, tmp_path, crashes):
    dice = random.Random(crashes)
    kept = []
    for turn in range(crashes):
        folder = tmp_path / f"movies-{turn}"
        daemon = own_daemon("--recordings-dir", str(folder))
        container = dice.choice([MovieContainer.MP4, MovieContainer.MOV, MovieContainer.MATROSKA])
        with firstlight.connect(daemon.address, timeout=20) as client:
            writer = client.asset_writer(
                drawn.SIZE,
                "movie",
                container=container,
                fragment_seconds=dice.choice([0.1, 0.2, 0.5]),
                audio=[firstlight.audio_input(channels=1)],
            )
            writer.start()
            name = writer.recording
            threading.Timer(dice.uniform(0.05, 1), daemon.process.kill).start()
            with pytest.raises(firstlight.FirstlightError) as raised:
                write_until_killed(writer, dice)
            assert raised.value.code is grpc.StatusCode.UNAVAILABLE
            told = {each.input: each.acknowledged_sample_count for each in (writer.input(), writer.input("audio"))}
        daemon.process.wait(timeout=20)
        again = own_daemon("--recordings-dir", str(folder))
        with firstlight.connect(again.address, timeout=20) as client:
            recording = client.recording(name)
        again.process.terminate()
        again.process.wait(timeout=20)
        assert recording.state == recording_pb2.Recording.STATE_FINISHED
        assert recording.frame_count >= told["video"]
        kept.append(told["video"])
        if recording.playable:
            path = folder / recording.file
            movie = read_movie(path, is_whole=container != MovieContainer.MATROSKA)
            assert movie.sequences == list(range(len(movie.sequences)))
            assert len(movie.sequences) >= told["video"]
            if told["audio"]:
                # Times are rounded, by a sample at most.
                assert len(samples(path)[1]) >= told["audio"] * 1920 - 1
    print(f"{crashes} kills, which left {kept} acknowledged pictures")
    assert any(kept)
