"""The daemon is killed while it records, again and again, in each phase of a recording. What it told a client is still
there after the next start.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import pathlib
import random
import threading
import time
from collections.abc import Callable

import grpc
import pytest

import firstlight
from captures import SMALL
from firstlight import MovieContainer
from firstlight.daemon import Daemon
from firstlight.v1 import recording_pb2
from movies import has_index_in_front, read_movie, recording_session
from support import SYNTHETIC, wait_until

Recording = recording_pb2.Recording
INDEXED = [MovieContainer.MP4, MovieContainer.MOV]
CONTAINERS = [*INDEXED, MovieContainer.MATROSKA, MovieContainer.MPEG_TS]

#: How often the long test kills the daemon in each phase: 300 times in all.
CRASHES = int(os.environ.get("FIRSTLIGHT_CRASHES", "60"))

#: A session that records by itself. The shortest segments have a second.
CONTINUOUS = """
sessions:
  door:
    inputs:
      - device: devices/synthetic-0
        format: {pixel_format: NV12, width: 320, height: 180}
    record: {segment-duration: 1, fragment-interval: 0.2}
"""


@dataclasses.dataclass
class Told:
    """What the daemon told of its recordings until it was killed."""

    finished: dict[str, Recording] = dataclasses.field(default_factory=dict)
    #: The most frames that play, by the name of each recording that has not finished.
    frames: dict[str, int] = dataclasses.field(default_factory=dict)
    #: How many frames each segment lacks. A machine that is busy with other tests may be too slow for all of them.
    lost: dict[str, int] = dataclasses.field(default_factory=dict)


class Killer:
    """Kills a daemon once, at a random time."""

    def __init__(self, daemon: Daemon, dice: random.Random) -> None:
        self._daemon, self._dice = daemon, dice
        self._timer: threading.Thread | None = None

    def kill_within(self, least: float, most: float) -> None:
        """Kills the daemon after this time from now on, in seconds."""
        self._timer = threading.Timer(self._dice.uniform(least, most), self._daemon.process.kill)
        self._timer.start()

    def kill_soon_after(self, has_begun: Callable[[], bool], most: float) -> None:
        """Kills the daemon at most this time after something has begun, in seconds."""

        def watch() -> None:
            wait_until(has_begun, step=0.0002)
            time.sleep(self._dice.uniform(0, most))
            self._daemon.process.kill()

        self._timer = threading.Thread(target=watch)
        self._timer.start()

    def join(self) -> None:
        """Waits until the daemon is dead."""
        assert self._timer is not None, "the daemon died by itself"
        self._daemon.process.wait(timeout=20)


class Client:
    """A client that records until the daemon does not answer any more."""

    def __init__(
        self, client: firstlight.Client, folder: pathlib.Path, dice: random.Random, told: Told, killer: Killer
    ) -> None:
        self._client, self._folder, self._dice, self._told, self._killer = client, folder, dice, told, killer
        self._session = ""
        self._makes_seekable = False

    def run(self, phase: str) -> None:
        """Makes some recordings. During the last one the daemon is killed in a phase."""
        if phase == "segment change":
            return self._watch_segments()
        self._makes_seekable = phase == "making seekable"
        self._session = recording_session(self._client, SYNTHETIC[0], **SMALL)
        for _ in range(self._dice.randrange(1, 3)):
            name = self._start()
            self._play(name)
            took = self._stop(name)
        if phase == "recording":
            self._killer.kill_within(0, 0.6)
        name = self._start()
        self._play(name)
        if phase == "making seekable":
            self._killer.kill_soon_after(lambda: name in self._told.finished or bool(copies(self._folder)), 0.004)
            self._stop(name)
            self._ask_until_killed()
        elif phase == "finishing":
            self._killer.kill_within(0, took)
            self._stop(name)
            self._ask_until_killed()
        elif phase == "pausing":
            self._killer.kill_within(0, 0.1)
        while True:
            self._change(name, self._dice.randrange(2 if phase == "pausing" else 3))

    def _start(self) -> str:
        events = self._client.start_recording(
            self._session,
            container=self._dice.choice(INDEXED if self._makes_seekable else CONTAINERS),
            fragment_seconds=self._dice.choice([0.1, 0.2, 0.5]),
            optimize_for_network_use=self._makes_seekable,
        )
        name = next(events).recording.name
        self._told.frames[name] = 0
        return name

    def _play(self, name: str) -> None:
        for _ in range(self._dice.randrange(1, 8)):
            time.sleep(self._dice.uniform(0, 0.1))
            self._change(name, self._dice.randrange(4))

    def _change(self, name: str, choice: int) -> None:
        match choice:
            case 0:
                self._client.pause_recording(name)
            case 1:
                self._client.resume_recording(name)
            case _:
                self._told.frames[name] = self._client.recording(name).frame_count

    def _stop(self, name: str) -> float:
        """Stops a recording, and returns how long that took, in seconds."""
        began = time.monotonic()
        self._told.finished[name] = self._client.stop_recording(name)
        del self._told.frames[name]
        return time.monotonic() - began

    def _watch_segments(self) -> None:
        """Waits for a segment, and lets the daemon be killed about when the next one begins."""
        enough = self._dice.randrange(1, 4)
        segments: list[Recording] = []

        def have_begun() -> bool:
            segments[:] = self._client.recordings()
            return len(segments) >= enough and segments[0].start_monotonic_time_ns > 0

        wait_until(have_begun)
        # The frames leave the encoder up to half a second later.
        due = segments[0].start_monotonic_time_ns / 1e9 + 1 - time.monotonic()
        self._killer.kill_within(max(0, due), max(0, due) + 0.7)
        self._ask_until_killed()

    def _ask_until_killed(self) -> None:
        while True:
            for each in self._client.recordings():
                self._told.lost[each.name] = sum(count for _, count in each.dropped.ListFields())
                if each.state == Recording.STATE_FINISHED:
                    self._told.finished[each.name] = each
                    self._told.frames.pop(each.name, None)
                elif each.frame_count or not each.continuous:
                    # A segment of which nothing plays leaves no record.
                    self._told.frames[each.name] = each.frame_count


def check(client: firstlight.Client, folder: pathlib.Path, told: Told) -> dict[str, list[int]]:
    """Checks that nothing is missing that the daemon told, and that every file plays. Returns the frames of each file,
    by the name of its recording, the oldest first.
    """
    recordings = {recording.name: recording for recording in client.recordings()}
    assert {*told.finished, *told.frames} <= set(recordings)
    assert not list(folder.glob(".firstlight/*.new"))
    frames: dict[str, list[int]] = {}
    for name, recording in reversed(recordings.items()):
        assert recording.state == Recording.STATE_FINISHED
        path = folder / recording.file
        if name in told.finished:
            assert recording == told.finished[name]
        elif name in told.frames:
            assert recording.frame_count >= told.frames[name]
        if not recording.playable:
            assert recording.frame_count == 0
            continue
        # Only MP4 and QuickTime are cut after their last whole fragment.
        is_whole = name in told.finished or recording.container in INDEXED
        if recording.container in INDEXED:
            assert recording.is_optimized_for_network_use == has_index_in_front(path)
        movie = read_movie(path, is_whole=is_whole)
        assert 0 <= recording.frame_count - len(movie.boards) <= (not is_whole)
        assert movie.sequences == sorted(set(movie.sequences))
        frames[name] = movie.sequences
    return frames


def copies(folder: pathlib.Path) -> list[pathlib.Path]:
    """The copies that were being made when the daemon was killed."""
    return list(folder.glob(".firstlight/*.movie.new"))


def unfinished(folder: pathlib.Path) -> int:
    """How many records on the disk belong to recordings that have not finished."""
    records = [json.loads(path.read_text()) for path in folder.glob(".firstlight/*.json")]
    return sum(record["state"] != "finished" for record in records)


def crash(
    own_daemon: Callable[..., Daemon], folder: pathlib.Path, flags: list[str], phase: str, dice: random.Random
) -> Told:
    """Runs a daemon that records, and kills it in a phase."""
    told = Told()
    daemon = own_daemon(*flags)
    killer = Killer(daemon, dice)
    with firstlight.connect(daemon.address, timeout=20) as client:
        with pytest.raises(firstlight.FirstlightError) as raised:
            Client(client, folder, dice, told, killer).run(phase)
        assert raised.value.code is grpc.StatusCode.UNAVAILABLE, raised.value
    killer.join()
    return told


@pytest.mark.parametrize(
    "crashes",
    [
        pytest.param(2, id="2", marks=pytest.mark.timeout(120)),
        pytest.param(CRASHES, id="many", marks=[pytest.mark.slow, pytest.mark.timeout(60 + 20 * CRASHES)]),
    ],
)
@pytest.mark.parametrize("phase", ["recording", "pausing", "finishing", "making seekable", "segment change"])
def test_a_killed_daemon_keeps_what_it_told(own_daemon, tmp_path, phase, crashes):
    dice = random.Random(f"{phase} {crashes}")
    config = tmp_path / "continuous.yaml"
    config.write_text(CONTINUOUS)
    found: list[int] = []
    left = 0
    for turn in range(crashes):
        folder = tmp_path / f"movies-{turn}"
        flags = ["--recordings-dir", str(folder)]
        is_continuous = phase == "segment change"
        configured = ["--config", str(config)] if is_continuous else []
        told = crash(own_daemon, folder, [*flags, *configured], phase, dice)
        found.append(unfinished(folder))
        left += len(copies(folder))
        daemon = own_daemon(*flags)
        with firstlight.connect(daemon.address, timeout=20) as client:
            files = check(client, folder, told)
            if is_continuous:
                check_seams(files, told)
        daemon.process.terminate()
        daemon.process.wait(timeout=20)
    counts = ", ".join(f"{found.count(number)} with {number}" for number in sorted(set(found)))
    print(f"{phase}: {crashes} kills, by the number of recordings that had not finished: {counts}")
    if phase == "making seekable":
        print(f"{left} copies were left")


def check_seams(files: dict[str, list[int]], told: Told) -> None:
    """Checks that no frame is in two segments, and that none is missing between two of them."""
    for (before, first), (after, second) in itertools.pairwise(files.items()):
        gap = second[0] - first[-1] - 1
        assert 0 <= gap <= told.lost.get(before, 0) + told.lost.get(after, 0)


@pytest.mark.timeout(90)
@pytest.mark.parametrize("seconds", [5, pytest.param(25, marks=pytest.mark.slow)])
def test_G2_a_kill_costs_at_most_the_last_fragment(own_daemon, tmp_path, seconds):
    """A client that names no fragment interval gets fragments of 2 s."""
    flags = ["--recordings-dir", str(tmp_path / "movies")]
    daemon = own_daemon(*flags)
    with firstlight.connect(daemon.address, timeout=20) as client:
        session = recording_session(client, SYNTHETIC[0], **SMALL)
        events = client.start_recording(session)
        began = next(event.recording for event in events if event.HasField("started"))
        for shown in client.preview(session):
            if shown.monotonic_time_ns >= began.start_monotonic_time_ns + seconds * 10**9:
                break
        told = client.recording(began.name)
        daemon.process.kill()
        daemon.process.wait()
    with firstlight.connect(own_daemon(*flags).address, timeout=20) as client:
        repaired = client.recording(began.name)
    assert repaired.end.cause == recording_pb2.RecordingEnd.CAUSE_DAEMON_ENDED
    movie = read_movie(tmp_path / "movies" / repaired.file)
    movie.check_complete(repaired)
    movie.check_times()
    assert len(movie.boards) == repaired.frame_count >= told.frame_count
    lost = shown.sequence - movie.sequences[-1]
    print(f"{len(movie.boards)} frames play, {told.frame_count} were told, and {lost} are lost")
    # The last fragment, and half a second of frames for which the encoder and the disk had no time yet.
    assert lost <= 2.5 * 30
    assert repaired.recorded_duration.ToNanoseconds() >= (20 if seconds == 25 else seconds - 3) * 10**9
