"""What prewarming takes from the first start of a real driver's camera: counted in calls of the driver."""

import os
import signal
import subprocess
import tempfile
from pathlib import Path

import grpc
import numpy as np

from client import PATIENCE, Client, next_frame
from conftest import BINARY, REPOSITORY

RECORDER = REPOSITORY / ".build/benchmarks/record_ioctls.so"
# Not the other daemon's, nor one that anything else takes.
ADDRESS = "127.0.0.1:50062"
# The driver's ioctls have the letter V in their second byte. These by their numbers ask what a camera is: QUERYCAP,
# ENUM_FMT, ENUMINPUT, ENUM_FRAMESIZES, ENUM_FRAMEINTERVALS.
DRIVER, DISCOVERY = ord("V"), {0, 2, 26, 74, 75}


def calls_until_the_first_frame(flag):
    """Numbers of the driver's ioctls from the moment at which a daemon serves until a client has the first frame."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        record = Path(folder) / "ioctls"
        record.write_bytes(bytes(1 << 20))

        def so_far():
            words = np.frombuffer(record.read_bytes(), "<u4")
            assert words[0] < len(words) - 2, "the record is full"
            return [int(word) & 0xFF for word in words[2 : 2 + words[0]] if word >> 8 & 0xFF == DRIVER]

        process = subprocess.Popen(
            [BINARY, "serve", "--listen", ADDRESS, "--data-dir", folder, "--synthetic", "0", flag],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"LD_PRELOAD": str(RECORDER), "IOCTL_RECORD": str(record)},
        )
        try:
            assert b"listening on" in process.stdout.readline()
            before = len(so_far())
            with grpc.insecure_channel(ADDRESS) as channel:
                grpc.channel_ready_future(channel).result(PATIENCE)
                client = Client(channel)
                with client.open_session(client.cameras()[0].name, start=False) as name:
                    with client.stream_preview(name) as stream:
                        client.start(name)
                        next_frame(stream)
                    return so_far()[before:]
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE)
            process.stdout.close()


def test_C4_a_prewarmed_daemon_has_looked_at_its_cameras_before_it_serves(client):
    warm, cold = (calls_until_the_first_frame(flag) for flag in ("--prewarm", "--no-prewarm"))
    asked = [sum(number in DISCOVERY for number in calls) for calls in (warm, cold)]
    print(f"prewarmed: {len(warm)} calls, of which {asked[0]} ask what a camera is; not: {len(cold)} and {asked[1]}")
    assert len(warm) > 0
    assert asked[0] < asked[1]
    assert len(warm) < len(cold)
