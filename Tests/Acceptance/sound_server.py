"""A sound server of its own, whose only input hears the sound of a synthetic microphone."""

from __future__ import annotations

import contextlib
import os
import pathlib
import subprocess
from collections.abc import Iterator
from unittest import mock

import numpy

import time_signal

#: Samples a second of each of the two channels.
RATE = 48000
#: The input of the server, as the daemon names it.
MICROPHONE = "devices/pulse-microphone"


@contextlib.contextmanager
def running(folder: pathlib.Path, seconds: int) -> Iterator[None]:
    """Runs PulseAudio with a virtual output whose input hears what is played, and plays the sound of so many seconds.

    Programs that start before the block ends find this server.
    """
    recorded = folder / "sound.raw"
    numpy.repeat(time_signal.render_ticks(seconds, RATE), 2).tofile(recorded)
    # The server keeps its files there, so that it meets no other one.
    own = {"HOME": str(folder), "PULSE_RUNTIME_PATH": str(folder), "PULSE_SERVER": f"unix:{folder}/native"}
    modules = (
        f"module-native-protocol-unix auth-anonymous=1 socket={folder}/native",
        f"module-null-sink sink_name=loopback format=float32le rate={RATE} channels=2",
    )
    loads = [argument for module in modules for argument in ("--load", module)]
    with mock.patch.dict(os.environ, own):
        # The command returns when the server accepts programs.
        server = ("pulseaudio", "-n", "--daemonize=yes", "--exit-idle-time=-1", f"--log-target=file:{folder}/log")
        subprocess.run([*server, *loads], check=True, timeout=30)
        try:
            form = ("--raw", "--format=float32le", f"--rate={RATE}", "--channels=2")
            with subprocess.Popen(["paplay", *form, recorded]) as player:
                try:
                    yield
                finally:
                    player.kill()
        finally:
            subprocess.run(["pulseaudio", "--kill"], check=True, timeout=30)
