"""The sound card of snd-aloop: what a program plays on its output is heard on its input at the same instant."""

from __future__ import annotations

import contextlib
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

RATE = 48000
#: The input that hears what is played, as the daemon names it.
MICROPHONE = "devices/loopback-microphone-1"
STATUS = Path("/proc/asound/Loopback/pcm0p/sub0/status")


def load() -> None:
    """Brings the card, with one stream for each input."""
    subprocess.run(["modprobe", "snd-aloop", "pcm_substreams=1"], check=True)


def unload() -> None:
    """Takes the card away."""
    subprocess.run(["modprobe", "-r", "snd-aloop"], check=True)


def shift_rate(parts_per_million: int) -> None:
    """Makes the clock of the card slow by so many millionths."""
    control = "iface=PCM,name='PCM Rate Shift 100000',device=1"
    value = str(100000 + parts_per_million // 10)
    subprocess.run(["amixer", "-q", "-c", "Loopback", "cset", control, value], check=True)


def played_at() -> tuple[float, int]:
    """An instant of CLOCK_MONOTONIC in seconds, and how many samples were played by then."""
    before = after = 0.0
    # The driver counts anew for each reader. A reader that the machine interrupts does not know when the driver
    # counted, and reads again.
    while not 0 < after - before < 0.01:
        before = time.monotonic()
        text = STATUS.read_text()
        after = time.monotonic()
    return (before + after) / 2, int(re.search(r"^hw_ptr\s*: (\d+)$", text, re.M).group(1))


@contextlib.contextmanager
def playing(sound: np.ndarray, rate: int = RATE) -> Iterator[None]:
    """Plays until the block ends, in the format in which the daemon captures, because both ends must have the same."""
    with tempfile.NamedTemporaryFile(suffix=".raw") as file:
        file.write(np.repeat(sound, 2).tobytes())
        file.flush()
        command = ["aplay", "-q", "-D", "hw:Loopback,0", "-t", "raw", "-f", "FLOAT_LE", "-c", "2", "-r", str(rate)]
        process = subprocess.Popen([*command, file.name])
        try:
            yield
        finally:
            process.kill()
            process.wait()
