"""The cost of a microphone in a movie, beside ffmpeg with the same settings, in the guest of scripts/vm/run.

Usage: measure.py [ROUNDS [SECONDS]]. scripts/bench starts this program. The sound card is that of snd-aloop, on which a
program plays the sound of a synthetic microphone. The daemon's cost is the difference between a movie with the
microphone and one without. The program fails when the daemon costs more than LINE times ffmpeg, and when a microphone
that nobody uses costs anything.
"""

from __future__ import annotations

import contextlib
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Benchmarks"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Acceptance"))
from bounds import Bounds

import firstlight
import loopback
from firstlight.daemon import Daemon
from firstlight.v1 import recording_pb2

ROOT = pathlib.Path(__file__).resolve().parents[3]
LINE = 1.1
#: Samples a second. The guest's processors are too slow for more without losing some.
RATE = 16_000
#: How long a program runs before it is measured.
SETTLE = 3
#: How long nothing may happen while nobody uses the microphone, in seconds.
IDLE = 10
#: What the daemon takes for a track of two channels.
BIT_RATE = 160_000


def cpu_seconds(process_id: int) -> float:
    """The user and system time of a process in seconds (clock_getcpuclockid(3))."""
    return time.clock_gettime(~process_id << 3 | 2)


def measure(process_id: int, seconds: float) -> float:
    """The milliseconds of the processor that a process takes in a second."""
    time.sleep(SETTLE)
    before, begin = cpu_seconds(process_id), time.monotonic()
    time.sleep(seconds)
    return (cpu_seconds(process_id) - before) / (time.monotonic() - begin) * 1e3


@contextlib.contextmanager
def daemon() -> Iterator[tuple[int, firstlight.Client]]:
    """A daemon: its process id, and a client that is connected to it."""
    with tempfile.TemporaryDirectory() as folder:
        flags = ("--synthetic", "0", "--http-listen", "none", "--data-dir", folder)
        log = pathlib.Path(folder) / "log"
        binary = ROOT / ".build/release/firstlightd"
        with (
            Daemon(binary, *flags, log=log, timeout=60) as process,
            firstlight.connect(process.address, timeout=60) as client,
        ):
            yield process.process.pid, client


def silence(recording: recording_pb2.Recording) -> float:
    """The seconds of silence in the place of sound that did not come, in all tracks."""
    return sum(track.silent_duration.ToNanoseconds() for track in recording.audio_tracks) / 1e9


def turn_of_firstlight(seconds: float, *, with_sound: bool) -> float:
    """Measures the daemon while it records the smallest pictures of vivid and nobody watches."""
    with daemon() as (process_id, client):
        camera = min(each.name for each in client.devices())
        microphone = firstlight.microphone(loopback.MICROPHONE, sample_rate=RATE, channels=2)
        inputs = [microphone] if with_sound else []
        movie = firstlight.movie_output(quality=10)
        features = {"pixel_format": "YUYV", "size": (320, 180)}
        wanted = firstlight.configuration(camera, movie=movie, microphones=inputs, **features)
        session = client.create_session(configuration=wanted, start=True).name
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
    reads = ("-f", "alsa", "-c:a", "pcm_f32le", "-sample_rate", str(RATE), "-channels", "2")
    writes = ("-c:a", "aac", "-b:a", str(BIT_RATE), str(folder / "ffmpeg.mp4"))
    command = ["ffmpeg", "-nostdin", "-nostats", "-v", "warning", "-y", *reads, "-i", "hw:Loopback,1", *writes]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        cost = measure(process.pid, seconds)
        if process.poll() is not None:
            raise RuntimeError(f"ffmpeg ended with {process.returncode}")
        process.terminate()
        said = process.stderr.read()
    if "xrun" in said:
        raise RuntimeError(f"ffmpeg lost sound: {said}")
    return cost


def threads(process_id: int) -> dict[str, int]:
    """How often each thread that has to do with sound was woken."""
    found = {}
    for task in pathlib.Path(f"/proc/{process_id}/task").iterdir():
        name = (task / "comm").read_text().strip()
        if "alsa" in name or "microphone" in name or name.startswith("loopback"):
            status = (task / "status").read_text()
            found[name] = int(status.split("voluntary_ctxt_switches:")[1].split()[0])
    return found


def check_idle(bounds: Bounds) -> None:
    """Checks that a microphone which no session uses has no thread and no open device, and wakes nobody."""
    with daemon() as (process_id, client):
        assert loopback.MICROPHONE in {each.name for each in client.microphones()}
        before = threads(process_id)
        time.sleep(IDLE)
        after = threads(process_id)
        links = pathlib.Path(f"/proc/{process_id}/fd").iterdir()
        opened = [target for link in links if (target := link.resolve().as_posix()).startswith("/dev/snd/pcm")]
    wakeups = sum(after.values()) - sum(before.values())
    what = f"idle: threads {sorted(after)}, {wakeups} wakeups in {IDLE} s, open {opened}"
    print(what)
    bounds.check(sorted(after) == ["alsa devices"] and wakeups == 0 and opened == [], what)


def main(rounds: int = 5, seconds: float = 20) -> None:
    """Measures, prints and checks."""
    bounds = Bounds()
    loopback.load()
    sound = loopback.sound_of(2 * SETTLE + int(seconds) + 60, RATE)
    check_idle(bounds)
    turns: dict[str, list[float]] = {"ffmpeg": [], "without": [], "with": []}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds):
            for name in reversed(turns) if number % 2 else turns:
                with loopback.playing(sound, RATE):
                    if name == "ffmpeg":
                        turns[name].append(turn_of_ffmpeg(seconds, pathlib.Path(folder)))
                    else:
                        turns[name].append(turn_of_firstlight(seconds, with_sound=name == "with"))
    theirs = statistics.median(turns["ffmpeg"])
    ours = statistics.median(turns["with"]) - statistics.median(turns["without"])
    what = f"a microphone in AAC: {ours:.1f} ms of the processor a second, {ours / theirs:.2f} of ffmpeg's {theirs:.1f}"
    print(f"{what}, at most {LINE}")
    bounds.check(ours / theirs <= LINE, what)
    sys.exit(bounds.ending())


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
