"""The calls of the driver that prewarming saves at the first start of a real driver's camera."""

import os
import signal
import subprocess
import tempfile
from pathlib import Path

import grpc
import numpy as np

from client import PATIENCE, Client, next_frame
from machine import BINARY, REPOSITORY

RECORDER = REPOSITORY / ".build/benchmarks/record_ioctls.so"
# No other daemon and no other program uses this address.
ADDRESS = "127.0.0.1:50062"
# The driver's ioctls have the letter V in their second byte. The two numbers are those of ENUM_FMT and ENUM_FRAMESIZES,
# which ask what a camera offers. The daemon asks for the rates of the one wanted size when it sets this size.
DRIVER, DISCOVERY = ord("V"), {2, 74}


def calls_until_the_first_frame(camera):
    """The numbers of the driver's ioctls before the daemon serves, and from then until a client has the first frame."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        record = Path(folder) / "ioctls"
        record.write_bytes(bytes(1 << 20))

        def so_far():
            words = np.frombuffer(record.read_bytes(), "<u4")
            assert words[0] < len(words) - 2, "the record is full"
            return [int(word) & 0xFF for word in words[2 : 2 + words[0]] if word >> 8 & 0xFF == DRIVER]

        process = subprocess.Popen(
            [BINARY, "serve", "--listen", ADDRESS, "--data-dir", folder, "--synthetic", "0", "--prewarm"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"LD_PRELOAD": str(RECORDER), "IOCTL_RECORD": str(record)},
        )
        try:
            assert b"listening on" in process.stdout.readline()
            before = so_far()
            with grpc.insecure_channel(ADDRESS) as channel:
                grpc.channel_ready_future(channel).result(PATIENCE)
                client = Client(channel)
                with client.open_session(camera, start=False) as name:
                    with client.stream_preview(name) as stream:
                        client.start(name)
                        next_frame(stream)
                    return before, so_far()[len(before) :]
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE)
            process.stdout.close()


def test_C4_a_prewarmed_daemon_asks_no_camera_what_it_offers_once_it_serves(client):
    before, launch = calls_until_the_first_frame(client.cameras()[0].name)
    asked = [sum(number in DISCOVERY for number in calls) for calls in (before, launch)]
    print(f"before it serves {len(before)} calls, {asked[0]} of them for formats; then {len(launch)} and {asked[1]}")
    assert asked[0] > 100, "vivid has many formats"
    assert asked[1] == 0
    assert launch, "the camera was started"
