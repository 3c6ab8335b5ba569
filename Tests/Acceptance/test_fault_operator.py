"""What belongs to the operator: sessions of the configuration file, which no client of the network ends, the log of who
changed what, and what tells an operator that such a session does not run.
"""

from __future__ import annotations

import contextlib
import http.client
import itertools
import pathlib
import re
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from typing import Any

import grpc
import pytest

import firstlight
from captures import SMALL
from disks import Disk
from faults import REPLUG, UNPLUG, inject
from firstlight.daemon import Daemon
from firstlight.drill.v1 import fault_injection_service_pb2 as fault_pb2
from firstlight.v1 import (
    recording_pb2,
    recording_service_pb2 as recordings_pb2,
    session_pb2,
    session_service_pb2 as sessions_pb2,
)
from metrics import Page
from movies import recording_session
from support import SYNTHETIC, TIMEOUT, Stubs, call, refused, wait_until

State = recording_pb2.Recording
DOOR = "sessions/door"
DECLARED = ("FAILED_PRECONDITION", "SESSION_DECLARED")
FILE = """
sessions:
  door:
    inputs:
      - device: devices/synthetic-0
        format: {pixel_format: NV12, width: 320, height: 180}
        frame_rate_override: {numerator: 30, denominator: 1}
    preview: {}
    record: {segment-duration: 1, fragment-interval: 0.2}
"""
ON_DEMAND = FILE.replace("record: {segment-duration: 1, fragment-interval: 0.2}", "start: on-demand")


class Operated:
    """A daemon with a configuration file, as its operator and as a client of the network see it."""

    def __init__(self, daemon: Daemon, folder: pathlib.Path, stack: contextlib.ExitStack) -> None:
        self.daemon = daemon
        self._log = folder / "firstlightd.log"
        (self.http,) = re.findall(r"http at http://127\.0\.0\.1:(\d+)", self.log)
        #: A client on the loopback interface.
        self.client = stack.enter_context(firstlight.connect(daemon.address, timeout=TIMEOUT))

    @property
    def log(self) -> str:
        """What the daemon has logged."""
        return self._log.read_text()

    def page(self, path: str) -> tuple[int, str]:
        """The status and the text of a page."""
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", int(self.http), timeout=TIMEOUT)) as connection:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

    def is_ready(self) -> bool:
        """What the page for probes says."""
        return self.page("/readyz") == (200, "ok\n")

    def metric(self, name: str, **labels: str) -> float:
        """The value of one series."""
        return Page(self.page("/metrics")[1])(name, **labels)

    def stranger(self) -> grpc.Channel:
        """A channel from an address that is no loopback address."""
        found: list[str] = []

        def is_told() -> bool:
            found[:] = re.findall(r"listening on 0\.0\.0\.0:(\d+)", self.log)
            return bool(found)

        wait_until(is_told)
        (port,) = found
        return grpc.insecure_channel(f"{own_address()}:{port}")


def own_address() -> str:
    """An address of this machine by which others reach it. Skips the test on a machine without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Nothing is sent: the kernel only looks for the way.
            probe.connect(("198.51.100.1", 9))
        except OSError:
            pytest.skip("this machine has no network")
        return probe.getsockname()[0]


@pytest.fixture
def operated(own_daemon, tmp_path) -> Iterator[Callable[..., Operated]]:
    """Starts a daemon with this configuration file."""
    path = tmp_path / "firstlight.yaml"
    with contextlib.ExitStack() as stack:

        def start(text: str, *flags: str) -> Operated:
            path.write_text(text)
            always = ("--http-listen", "127.0.0.1:0", "--listen", "0.0.0.0:0", "--config", str(path))
            return Operated(own_daemon(*always, "--enable-fault-injection", *flags), tmp_path, stack)

        yield start


def changing_calls(stubs: Stubs, segment: str, other) -> list[tuple[Any, Any, str, str]]:
    """Each call that could end a recording of the configuration file, or what it has: the method, the request, and the
    code and the reason with which it must fail.
    """
    denied = ("PERMISSION_DENIED", "OPERATOR_REQUIRED")
    configure = sessions_pb2.ConfigureSessionRequest(name=DOOR, configuration=other)
    return [
        (stubs.sessions.DeleteSession, sessions_pb2.DeleteSessionRequest(name=DOOR), *DECLARED),
        (stubs.sessions.StopSession, sessions_pb2.StopSessionRequest(name=DOOR), *denied),
        (stubs.sessions.ConfigureSession, configure, *denied),
        (stubs.recordings.DeleteRecording, recordings_pb2.DeleteRecordingRequest(name=segment), *denied),
    ]


def finished(client: firstlight.Client) -> list[recording_pb2.Recording]:
    """The segments that have finished, the newest first."""
    return [each for each in client.recordings(DOOR) if each.state == State.STATE_FINISHED]


@pytest.mark.timeout(30)
@pytest.mark.parametrize("way", ["network", "proxy"])
def test_fault_F14_no_client_of_the_network_ends_a_declared_session(operated, way):
    door = operated(FILE)
    wait_until(lambda: len(finished(door.client)) >= 1)
    segment = finished(door.client)[0].name
    other = firstlight.configuration(SYNTHETIC[1], preview=True, **SMALL)
    options = {} if way == "network" else {"metadata": (("x-forwarded-for", "203.0.113.7"),)}
    with door.stranger() if way == "network" else contextlib.nullcontext(door.client.channel) as channel:
        for method, request, code, reason in changing_calls(Stubs(channel), segment, other):
            with refused(code, reason):
                call(method, request, **options)
            name = type(request).__name__.removesuffix("Request")
            (line,) = [line for line in door.log.splitlines() if f"/{name} " in line or line.endswith(f"/{name}")]
            assert f"error.type={reason}" in line
            assert "network.peer=ipv4:" in line
        # Whoever only asks what a commit would do ends nothing.
        asked = sessions_pb2.ConfigureSessionRequest(name=DOOR, configuration=other, validate_only=True)
        call(Stubs(channel).sessions.ConfigureSession, asked, **options)
    assert door.client.session(DOOR).state == session_pb2.Session.STATE_RUNNING
    count = len(finished(door.client))
    wait_until(lambda: len(finished(door.client)) > count)
    assert segment in {each.name for each in finished(door.client)}
    # A session of a client is every client's.
    own = door.client.create_session(configuration=other).name
    with door.stranger() as channel:
        call(Stubs(channel).sessions.DeleteSession, sessions_pb2.DeleteSessionRequest(name=own))


def test_fault_F14_the_operator_stops_a_declared_session_and_learns_who_did(operated):
    door = operated(FILE)
    wait_until(door.is_ready)
    assert door.metric("firstlight_declared_session_ready", session=DOOR) == 1
    with refused(*DECLARED):
        door.client.delete_session(DOOR)
    door.client.stop(DOOR)
    assert door.page("/readyz") == (503, "Session door is stopped; start it by StartSession.\n")
    assert door.metric("firstlight_declared_session_ready", session=DOOR) == 0
    (line,) = [line for line in door.log.splitlines() if "SessionService/StopSession" in line]
    assert "network.peer=ipv4:127.0.0.1:" in line
    assert f"rpc.resource={DOOR}" in line
    door.client.start(DOOR)
    wait_until(door.is_ready)
    # A launch waits for no log.
    wait_until(lambda: any("SessionService/StartSession" in line for line in door.log.splitlines()))
    inject(door.client, UNPLUG)
    wait_until(lambda: "is interrupted and resumes by itself when its camera is back" in door.page("/readyz")[1])
    inject(door.client, REPLUG)
    wait_until(door.is_ready)


def test_fault_F14_over_http_a_proxy_does_not_make_its_clients_operators(operated):
    door = operated(ON_DEMAND)
    stop = "/firstlight.v1.SessionService/StopSession"

    def ask(**fields: str) -> tuple[int, str]:
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", int(door.http), timeout=TIMEOUT)) as connection:
            connection.request(
                "POST", stop, b'{"name": "sessions/door"}', {"content-type": "application/json", **fields}
            )
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

    for field in ("X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"):
        status, text = ask(**{field: "203.0.113.7"})
        assert (status, "OPERATOR_REQUIRED" in text) == (403, True)
    assert ask()[0] == 200


def test_fault_F14_a_session_on_demand_is_ready_while_it_waits_for_a_viewer(operated):
    door = operated(ON_DEMAND)
    assert door.is_ready()
    next(door.client.preview(DOOR))
    assert door.is_ready()


def test_fault_F15_a_mistyped_camera_is_a_warning_and_no_readiness(operated):
    for text in (FILE, ON_DEMAND):
        door = operated(text.replace("synthetic-0", "synthetic-7"))
        (line,) = [line for line in door.log.splitlines() if "names a device that is not there" in line]
        assert " warning " in line
        assert "device.name=devices/synthetic-7" in line
        assert "devices/synthetic-0" in line.partition("present=")[2]
        status, told = door.page("/readyz")
        assert (status, "synthetic-7" in told) == (503, True)
        assert door.metric("firstlight_declared_session_ready", session=DOOR) == 0
        door.daemon.stop()


def test_fault_F15_a_recording_that_loses_frames_is_told_once_a_minute(operated):
    door = operated("sessions: {}\n")
    session = recording_session(door.client, SYNTHETIC[0], **SMALL)
    events = door.client.start_recording(session, fragment_seconds=0.2)
    name = next(event for event in events if event.HasField("started")).recording.name

    def lose() -> None:
        before = door.client.recording(name).dropped.discontinuity
        inject(door.client, {"drop": fault_pb2.DropFault(frames=3)})
        wait_until(lambda: door.client.recording(name).dropped.discontinuity >= before + 3)

    def told() -> list[str]:
        return [line for line in door.log.splitlines() if "Recordings lost frames" in line]

    lose()
    wait_until(lambda: len(told()) == 1)
    assert " warning " in told()[0]
    assert f"session.name={session}" in told()[0]
    lose()
    door.client.stop_recording(name)
    assert len(told()) == 1


def test_fault_F15_a_second_daemon_in_the_same_folder_ends_at_once(own_daemon, binary, tmp_path):
    shared = tmp_path / "shared"
    shared.mkdir()
    own_daemon("--data-dir", str(shared))
    command = [str(binary), "serve", "--listen", "127.0.0.1:0", "--synthetic", "1", "--data-dir", str(shared)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    assert ended.returncode not in (0, -6, -11)
    assert f"Another firstlightd already uses {shared}; " in ended.stderr
    assert "data-dir" in ended.stderr


def test_fault_F15_a_daemon_that_was_killed_leaves_its_folder_to_the_next(own_daemon):
    first = own_daemon()
    first.process.kill()
    first.process.wait(timeout=TIMEOUT)
    own_daemon()


@pytest.mark.timeout(40)
def test_fault_F15_a_daemon_that_stops_uses_no_event_loop_after_its_end(binary, tmp_path):
    """Daemons are asked to stop as soon as they serve, many at a time: the end comes at ever other moments."""
    numbers = itertools.count()

    def stop_at_once() -> None:
        number = next(numbers)
        log = tmp_path / f"{number}.log"
        flags = ("--synthetic", "1", "--http-listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0", "--no-prewarm")
        daemon = Daemon(binary, *flags, "--data-dir", str(tmp_path / str(number)), log=log, timeout=30)
        assert daemon.stop(timeout=30) == 0
        assert "EventLoop" not in log.read_text()

    failures: list[BaseException] = []

    def guarded() -> None:
        try:
            for _ in range(3):
                stop_at_once()
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=guarded) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_fault_F15_a_continuous_recording_leaves_a_part_of_the_disk_free(disk: Disk, tmp_path):
    """Without `min-free-space`, the recording leaves a twentieth of the disk free."""
    path = tmp_path / "firstlight.yaml"
    path.write_text(FILE)
    disk.set(free_percent=4)
    daemon = disk.start("--config", str(path), "--http-listen", "127.0.0.1:0")
    with firstlight.connect(daemon.address, timeout=TIMEOUT) as client, contextlib.ExitStack() as stack:
        door = Operated(daemon, tmp_path, stack)
        failures = "firstlight_recording_continuous_failures_total"
        wait_until(lambda: door.metric(failures) >= 1)
        assert list(client.recordings(DOOR)) == []
        wait_until(lambda: "runs and does not record" in door.page("/readyz")[1])
        disk.set(free_percent=6)
        wait_until(lambda: len(finished(client)) >= 1, seconds=20)
        wait_until(door.is_ready)
    path.write_text(FILE.replace("segment-duration: 1", "min-free-space: 0, segment-duration: 1"))
    daemon.stop()
    disk.set(free_percent=1)
    daemon = disk.start("--config", str(path))
    with firstlight.connect(daemon.address, timeout=TIMEOUT) as client:
        count = len(finished(client))
        wait_until(lambda: len(finished(client)) > count)
