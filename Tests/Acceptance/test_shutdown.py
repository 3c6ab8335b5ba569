import signal
import time

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

import firstlight
import wire
from processes import descriptors, thread_names
from support import SYNTHETIC, TIMEOUT, Collector, take

Serving = health_pb2.HealthCheckResponse


@pytest.fixture
def streaming(own_daemon):
    """A daemon for this test alone with every kind of stream open: the daemon, a client and the streams."""
    daemon = own_daemon()
    with firstlight.connect(daemon.address, timeout=8) as client:
        name = client.create_session().name
        client.configure(name, firstlight.configuration(SYNTHETIC[0]))
        client.start(name)
        streams = {
            "preview": client.preview(name, max_size=(320, 180)),
            "slow preview": client.preview(name, max_size=(320, 180), max_unacknowledged_frames=1),
            "session": client.watch_session(name),
            "readiness": client.readiness(name),
            "devices": client.watch_devices(),
            "pressure": client.watch_system_pressure(),
        }
        for stream in streams.values():
            next(stream)
        yield daemon, client, streams


def test_sigterm_ends_every_stream_with_a_reason_and_exits_cleanly(streaming):
    daemon, _, streams = streaming
    # The test does not read this stream until the daemon is gone.
    slow = streams.pop("slow preview")
    readers = {kind: Collector(stream) for kind, stream in streams.items()}
    assert daemon.stop() == 0
    for kind, reader in readers.items():
        error = reader.wait_for_end()
        assert error is not None, f"{kind} ended without an error"
        assert (error.code, error.reason) == (grpc.StatusCode.UNAVAILABLE, "SHUTTING_DOWN"), kind
    with pytest.raises(firstlight.FirstlightError) as raised:
        take(slow, 100)
    assert raised.value.code is grpc.StatusCode.UNAVAILABLE


def test_sigterm_says_not_serving_before_it_stops(streaming):
    daemon, client, _ = streaming
    watch = health_pb2_grpc.HealthStub(client.channel).Watch(health_pb2.HealthCheckRequest())
    assert next(watch).status == Serving.SERVING
    daemon.process.send_signal(signal.SIGTERM)
    assert next(watch).status == Serving.NOT_SERVING
    assert daemon.stop() == 0


def test_sigterm_without_anybody_exits_cleanly(own_daemon):
    daemon = own_daemon()
    with firstlight.connect(daemon.address) as client:
        assert client.server_info().version
    assert daemon.stop() == 0


def test_an_address_in_use_is_an_error_and_not_a_hang(own_daemon, binary, tmp_path):
    first = own_daemon()
    with pytest.raises(RuntimeError, match="did not become ready"):
        # The last --listen counts.
        firstlight.daemon.Daemon(
            binary, "--listen", first.address, "--data-dir", str(tmp_path / "other"), log=tmp_path / "other.log"
        )


def sockets(daemon):
    """The number of sockets that the daemon has open."""
    return sum(link.startswith("socket:") for link in descriptors(daemon.process.pid).values())


def test_a_closed_client_leaves_no_connection_whatever_became_of_its_streams(own_daemon):
    daemon = own_daemon()
    with firstlight.connect(daemon.address, timeout=8) as client:
        name = client.create_session().name
        client.configure(name, firstlight.configuration(SYNTHETIC[0]))
        client.start(name)
        before = sockets(daemon)
        kept = []
        for _ in range(10):
            with firstlight.connect(daemon.address) as closed, closed.preview(name, max_size=(320, 180)) as preview:
                next(preview)
            with firstlight.connect(daemon.address) as closed:
                kept.append(closed.watch_session(name))
                next(kept[-1])
            with firstlight.connect(daemon.address) as closed, closed.watch_devices():
                closed.server_info()
        deadline = time.monotonic() + TIMEOUT
        while sockets(daemon) > before and time.monotonic() < deadline:
            time.sleep(0.01)
        assert sockets(daemon) <= before


def test_killed_readers_leave_nothing_behind(own_daemon):
    daemon = own_daemon()
    with firstlight.connect(daemon.address, timeout=8) as client:
        name = client.create_session().name
        client.configure(name, firstlight.configuration(SYNTHETIC[0]))
        client.start(name)

        def first_frame(address, opened):
            with firstlight.connect(address) as reader, reader.preview(name, max_unacknowledged_frames=0) as preview:
                next(preview)
                opened()

        opening = wire.record(daemon.address, first_frame)
        before = sockets(daemon)
        for number in range(20):
            wire.kill_a_client(daemon.address, opening, enough=1_000 + 5_000 * number)
        deadline = time.monotonic() + TIMEOUT
        while sockets(daemon) > before or "preview-JPEG" in thread_names(daemon.process.pid):
            assert time.monotonic() < deadline, "a connection or an encoding is left"
            time.sleep(0.01)
        with client.preview(name, max_size=(320, 180)) as preview:
            take(preview, 10)
