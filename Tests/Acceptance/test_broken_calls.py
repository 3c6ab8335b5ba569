"""Clients that break off streams at random moments disturb nobody else, whichever streams they are."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import threading
import time
from collections import Counter

import grpc
import pytest

import broken_calls
import contract
import firstlight
import second_client
from captures import SMALL
from faults import REPLUG, UNPLUG, inject
from firstlight import microphone, movie_output, video_data_output
from http_rpc import HTTPEndpoint
from support import SYNTHETIC

FLAGS = ("--enable-fault-injection", "--synthetic-microphones", "1", "--http-listen", "127.0.0.1:0")
#: What the daemon may have more of at the end: a thread of gRPC or of the disk that has not ended yet, for example.
SPARE = 8
#: How much more memory the daemon may have at the end, in bytes.
SPARE_BYTES = 48 << 20
#: Of so many calls of a method while the camera comes and goes, at least one is broken off in the middle. While the
#: camera is away, photos and recordings are refused, as are recordings beside another one.
SELDOM = 10


def configuration(frame_rate: int) -> firstlight.SessionConfiguration:
    """Every kind of output, of a camera and a microphone."""
    return firstlight.configuration(
        SYNTHETIC[0],
        microphones=[microphone("devices/synthetic-microphone-0")],
        movie=movie_output(),
        video_data=[video_data_output("data")],
        **{**SMALL, "frame_rate": frame_rate},
    )


def disturb(address: str, session: str, over: threading.Event, failures: list[Exception]) -> None:
    """Commits, records, pulls the camera out and plugs it in again, until `over`. Adds what must not go wrong to
    `failures`.
    """
    try:
        keep_disturbing(address, session, over)
    except (firstlight.FirstlightError, grpc.RpcError) as error:
        failures.append(error)


def keep_disturbing(address: str, session: str, over: threading.Event) -> None:
    frame_rate = 30
    with firstlight.connect(address, timeout=20) as client:
        while not over.wait(0.3):
            try:
                frame_rate = 45 - frame_rate
                client.configure(session, configuration(frame_rate))
                for event in client.start_recording(session):
                    if event.HasField("started"):
                        over.wait(0.3)
                        client.stop_recording(event.recording.name)
                        break
                inject(client, UNPLUG)
            except firstlight.FirstlightError as error:
                # The camera is away, or a recording of the campaign is under way.
                if error.code in (grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.INTERNAL):
                    raise
            finally:
                inject(client, REPLUG)


def stop_recordings(client: firstlight.Client) -> None:
    """Stops what the campaign left."""
    for recording in client.recordings():
        if not recording.HasField("end"):
            try:
                client.stop_recording(recording.name)
            except firstlight.FirstlightError as error:
                # It has ended by itself meanwhile.
                if error.code is not grpc.StatusCode.FAILED_PRECONDITION:
                    raise


def usage(process_id: int) -> tuple[int, int, int]:
    """The threads, the descriptors and the resident bytes of a process."""
    process = pathlib.Path(f"/proc/{process_id}")
    resident = int((process / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return len(os.listdir(process / "task")), len(os.listdir(process / "fd")), resident


def break_off(address: str, http: str, names: tuple[str, ...], count: int, seed: int) -> Counter[str]:
    """Lets the campaign make so many calls. Returns how many of each method it broke off in the middle."""
    command = [sys.executable, broken_calls.__file__, address, http, *names, str(count), str(seed)]
    done = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
    assert done["calls"] == count, done
    return Counter(done["broken"])


def test_fault_F1_the_campaign_has_every_streaming_method():
    streaming = {
        f"{service.name}/{method.name}"
        for file in contract.own()
        if file.package == contract.V1
        for service in file.service
        for method in service.method
        if method.server_streaming or method.client_streaming
    }
    assert streaming == set(broken_calls.METHODS)


@pytest.mark.alone
@pytest.mark.parametrize(
    ("count", "longest"),
    [
        pytest.param(1_000, 1.0, id="short", marks=pytest.mark.timeout(120)),
        pytest.param(20_000, 0.1, id="long", marks=[pytest.mark.slow, pytest.mark.timeout(900)]),
    ],
)
def test_fault_F1_broken_calls_keep_nobody_waiting(own_daemon, tmp_path, count, longest):
    daemon = own_daemon(*FLAGS)
    http = HTTPEndpoint.of(tmp_path / "firstlightd.log")
    address = f"{http.host}:{http.port}"
    with firstlight.connect(daemon.address, timeout=20) as client:
        session = client.create_session(configuration=configuration(30), start=True).name
        names = broken_calls.prepare(client, session)
        # The first calls make threads, pools and caches.
        broken = break_off(daemon.address, address, names, count // 2, seed=1)
        stop_recordings(client)
        before = usage(daemon.process.pid)
        over = threading.Event()
        failures: list[Exception] = []
        disturber = threading.Thread(target=disturb, args=(daemon.address, session, over, failures))
        asking = [sys.executable, second_client.__file__, daemon.address]
        with subprocess.Popen(asking, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as second:
            disturber.start()
            try:
                broken += break_off(daemon.address, address, names, count, seed=2)
            finally:
                over.set()
                disturber.join()
            told = second.communicate("")[0]
        assert second.returncode == 0, "every call of the second client must be answered"
        assert failures == []
        rarest = min(broken_calls.METHODS, key=lambda path: broken[path])
        assert broken[rarest] >= count // len(broken_calls.METHODS) // SELDOM, (rarest, broken)
        answers, slowest = told.split()
        assert int(answers) > 10
        assert float(slowest) <= longest
        stop_recordings(client)
        # What was broken off ends soon.
        while (now := usage(daemon.process.pid))[:2] > (before[0] + SPARE, before[1] + SPARE):
            time.sleep(0.1)
        assert now[2] < before[2] + SPARE_BYTES, (before, now)
