"""The daemon notices that it stands still, says what its threads do, and lets itself be ended."""

from __future__ import annotations

import contextlib
import pathlib
import signal
import socket
import time
from collections.abc import Iterator

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

import firstlight
from faults import seconds
from firstlight.drill.v1 import task_pool_drill_service_pb2 as drill_pb2, task_pool_drill_service_pb2_grpc as drill_grpc
from firstlight.v1 import server_service_pb2 as server_pb2
from support import TIMEOUT, Stubs, call, refused

SERVING, NOT_SERVING = health_pb2.HealthCheckResponse.SERVING, health_pb2.HealthCheckResponse.NOT_SERVING
#: How long the daemon may take to notice that it stands still, with what a busy machine adds, in seconds.
PATIENCE = 30


class Manager:
    """A service manager: it is told of the daemon's life as systemd is."""

    def __init__(self, path: pathlib.Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(path))
        self.socket.settimeout(PATIENCE)

    def next(self) -> str:
        """The next message."""
        return self.socket.recv(256).decode()

    def waiting(self) -> list[str]:
        """The messages that wait."""
        self.socket.settimeout(0)
        messages = []
        with contextlib.suppress(BlockingIOError):
            while True:
                messages.append(self.next())
        self.socket.settimeout(PATIENCE)
        return messages


@pytest.fixture
def manager(tmp_path, monkeypatch) -> Iterator[Manager]:
    """A manager of the daemon that the test starts, which wants to hear from it each 1.5 seconds."""
    manager = Manager(tmp_path / "notify")
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
    monkeypatch.setenv("WATCHDOG_USEC", "1500000")
    with manager.socket:
        yield manager


def block(client: firstlight.Client, duration: float) -> None:
    """Lets the daemon stand still for some time."""
    stub = drill_grpc.TaskPoolDrillServiceStub(client.channel)
    call(stub.BlockTaskPool, drill_pb2.BlockTaskPoolRequest(duration=seconds(duration)))


def health(client: firstlight.Client) -> int:
    """What the health service says of the whole daemon."""
    stub = health_pb2_grpc.HealthStub(client.channel)
    return stub.Check(health_pb2.HealthCheckRequest(), timeout=TIMEOUT).status


def until_standing_still(client: firstlight.Client) -> None:
    """Waits until the daemon has noticed it. A call that came before that gets no answer."""
    request = health_pb2.HealthCheckRequest()
    stub = health_pb2_grpc.HealthStub(client.channel)
    while True:
        try:
            if stub.Check(request, timeout=0.3).status == NOT_SERVING:
                return
        except grpc.RpcError as error:
            if error.code() is not grpc.StatusCode.DEADLINE_EXCEEDED:
                raise


def stacks(folder: pathlib.Path) -> list[str]:
    """What the daemon has logged of its threads."""
    lines = (folder / "firstlightd.log").read_text().splitlines()
    return [line for line in lines if "This is a thread of the daemon that stands still." in line]


@pytest.mark.timeout(90)
def test_fault_F1_a_daemon_that_stands_still_says_so_until_it_runs_again(own_daemon, manager, tmp_path):
    daemon = own_daemon("--enable-fault-injection")
    messages = set()
    while messages != {"READY=1", "WATCHDOG=1"}:
        messages.add(manager.next())
    with firstlight.connect(daemon.address, timeout=TIMEOUT) as client:
        assert health(client) == SERVING
        block(client, 15)
        until_standing_still(client)
        with refused("UNAVAILABLE", "STANDSTILL"):
            call(Stubs(client.channel).server.GetServerInfo, server_pb2.GetServerInfoRequest())
        manager.waiting()
        # The blocked threads sleep in the C library, below frames of the daemon.
        while not any("firstlightd+0x" in stack and "libc.so.6+0x" in stack for stack in stacks(tmp_path)):
            time.sleep(0.05)
        assert health(client) == NOT_SERVING
        # It runs on when the drill is over, and only then says again that all is well.
        assert manager.next() == "WATCHDOG=1"
        assert health(client) == SERVING
    assert daemon.stop() == 0
    while manager.next() != "STOPPING=1":
        pass


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_fault_F1_a_daemon_that_nobody_watches_ends_itself(own_daemon):
    daemon = own_daemon("--enable-fault-injection")
    with firstlight.connect(daemon.address, timeout=TIMEOUT) as client:
        block(client, 100)
        assert daemon.process.wait(80) == -signal.SIGABRT
