"""Measures what a microphone in a movie costs, beside ffmpeg with the same settings. Fails when a bound is missed.

Both hear the sound of a synthetic microphone, 48,000 samples a second of two channels, by ALSA and its plug-in for
PulseAudio, and both encode it as AAC with the encoder of FFmpeg. A real sound card costs less with both. The daemon's
cost is the difference between a movie with the microphone and one without. They take turns, in the opposite order every
other time.
"""

from __future__ import annotations

import argparse
import contextlib
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/Acceptance"))

from bounds import Bounds  # noqa: E402

import firstlight  # noqa: E402
import sound_server  # noqa: E402
from firstlight.daemon import Daemon  # noqa: E402
from firstlight.v1 import recording_pb2  # noqa: E402

BINARY = ROOT / ".build/release/firstlightd"
#: The largest share of ffmpeg's time.
SHARE = 1.1
#: How long a program runs before it is measured, in seconds.
SETTLE = 3
#: What the daemon takes for a track of two channels.
BIT_RATE = 160_000


def cpu_seconds(process_id: int) -> float:
    """The user and system time of a process in seconds (clock_getcpuclockid(3))."""
    return time.clock_gettime(~process_id << 3 | 2)


def measure(process_id: int, seconds: float) -> float:
    """The milliseconds of the processor that a process takes in a second."""
    before, begin = cpu_seconds(process_id), time.monotonic()
    time.sleep(seconds)
    return (cpu_seconds(process_id) - before) / (time.monotonic() - begin) * 1e3


@contextlib.contextmanager
def daemon() -> Iterator[tuple[int, firstlight.Client]]:
    """A daemon that hears the sound server: its process id, and a client that is connected to it."""
    with tempfile.TemporaryDirectory() as folder:
        flags = ("--synthetic", "1", "--http-listen", "none", "--data-dir", folder)
        log = pathlib.Path(folder) / "log"
        with (
            Daemon(BINARY, *flags, log=log, timeout=30) as process,
            firstlight.connect(process.address, timeout=30) as client,
        ):
            yield process.process.pid, client


def silence(recording: recording_pb2.Recording) -> float:
    """The seconds of silence in the place of sound that did not come, in all tracks."""
    return sum(track.silent_duration.ToNanoseconds() for track in recording.audio_tracks) / 1e9


def turn_of_firstlight(seconds: float, *, with_sound: bool) -> float:
    """Measures the daemon while it records small pictures, five a second."""
    with daemon() as (process_id, client):
        microphone = firstlight.microphone(sound_server.MICROPHONE, sample_rate=sound_server.RATE, channels=2)
        inputs = [microphone] if with_sound else []
        features = {"pixel_format": "NV12", "size": (320, 180), "frame_rate": 5}
        movie = firstlight.movie_output(quality=10)
        wanted = firstlight.configuration("devices/synthetic-0", movie=movie, microphones=inputs, **features)
        session = client.create_session(configuration=wanted, start=True).name
        if with_sound:
            # A virtual output of PulseAudio gives its first sound after some seconds.
            with client.audio_levels(session) as levels:
                next(each for each in levels if each.channel_levels[0].peak_level > -10)
        name = next(client.start_recording(session)).recording.name
        time.sleep(SETTLE)
        before = silence(client.recording(name))
        cost = measure(process_id, seconds)
        finished = client.stop_recording(name)
        if silence(finished) > before + 0.1:
            raise RuntimeError(f"the daemon lost {silence(finished) - before:.3f} s of sound")
        if len(finished.audio_tracks) != int(with_sound):
            raise RuntimeError("the movie has other tracks than it should")
        return cost


def turn_of_ffmpeg(seconds: float, folder: pathlib.Path) -> float:
    """Measures ffmpeg, which records the same sound."""
    reads = ("-f", "alsa", "-c:a", "pcm_f32le", "-sample_rate", str(sound_server.RATE), "-channels", "2", "-i", "pulse")
    writes = ("-c:a", "aac", "-b:a", str(BIT_RATE), str(folder / "ffmpeg.mp4"))
    command = ["ffmpeg", "-nostdin", "-nostats", "-v", "warning", "-y", *reads, *writes]
    log = folder / "ffmpeg.log"
    with log.open("w") as errors, subprocess.Popen(command, stderr=errors) as process:
        time.sleep(SETTLE)
        before = log.read_text().count("xrun")
        cost = measure(process.pid, seconds)
        if process.poll() is not None:
            raise RuntimeError(f"ffmpeg ended with {process.returncode}: {log.read_text()}")
        process.terminate()
    if log.read_text().count("xrun") > before:
        raise RuntimeError(f"ffmpeg lost sound: {log.read_text()}")
    return cost


def main() -> None:
    """Measures, prints and judges."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=10)
    options = parser.parse_args()
    bounds, seconds = Bounds(), int(options.seconds + 2 * SETTLE)
    turns: dict[str, list[float]] = {"ffmpeg": [], "without": [], "with": []}
    with (
        tempfile.TemporaryDirectory() as name,
        sound_server.running(pathlib.Path(name), 60 + 4 * options.rounds * seconds),
    ):
        for number in range(options.rounds):
            for turn in reversed(turns) if number % 2 else turns:
                if turn == "ffmpeg":
                    cost = turn_of_ffmpeg(options.seconds, pathlib.Path(name))
                else:
                    cost = turn_of_firstlight(options.seconds, with_sound=turn == "with")
                turns[turn].append(cost)
    theirs = statistics.median(turns["ffmpeg"])
    ours = statistics.median(turns["with"]) - statistics.median(turns["without"])
    what = f"a microphone in AAC: {ours:.1f} ms of the processor a second, {ours / theirs:.2f} of ffmpeg's {theirs:.1f}"
    print(f"{what}, at most {SHARE}")
    bounds.check(ours / theirs <= SHARE, what)
    sys.exit(bounds.ending())


if __name__ == "__main__":
    main()
