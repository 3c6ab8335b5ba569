"""The metrics page for a monitoring system: `GET /metrics` in the text format of Prometheus, also under hostile
connections.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import re
import socket
import subprocess
import time
from collections.abc import Iterator

import pytest
from google.protobuf import duration_pb2

import firstlight
import machines
from firstlight import AdaptationPolicy, PressureLevel
from firstlight.drill.v1 import (
    fault_injection_service_pb2 as fault_pb2,
    fault_injection_service_pb2_grpc as fault_grpc,
    pressure_drill_service_pb2 as drill_pb2,
    pressure_drill_service_pb2_grpc as drill_grpc,
)
from metrics import Endpoint
from processes import descriptors
from support import SYNTHETIC, TIMEOUT, Collector, call, resident_bytes, watching

#: The largest number of connections at once, and the seconds that one may last. The values are those of
#: `MetricsServer`.
MAXIMUM, PATIENCE = 16, 10
#: The bytes of a request that the daemon must not keep in memory.
LONG = 24 << 20


def answer(connection: socket.socket) -> bytes:
    """All bytes that come until the other side closes the connection or resets it."""
    received = bytearray()
    with contextlib.suppress(ConnectionError):
        while piece := connection.recv(65536):
            received += piece
    return bytes(received)


def test_E7_metrics_tell_what_the_machine_has(endpoint, sysfs):
    sysfs.put(machines.PC)
    page = endpoint().scrape()
    assert page("firstlight_pressure_level", device="") == 0
    assert page("firstlight_temperature_celsius", zone="thermal_zone0", type="acpitz") == 37
    assert (
        page("firstlight_sensor_temperature_celsius", sensor="hwmon0/temp1", chip="coretemp", label="Package id 0")
        == 52
    )
    assert page("firstlight_pressure_stall_ratio", scope="host", resource="memory", tasks="full") == 0
    assert page("firstlight_cpu_frequency_limit_hertz", policy="policy0") == 2.4e9
    assert page("firstlight_cpu_throttle_events_total") == 3
    assert page("firstlight_power_supply_capacity_ratio", supply="BAT0") == 0.8
    assert page("firstlight_cooling_max_state", cooling_device="cooling_device0", type="Processor") == 10
    assert page("firstlight_sessions") == 1
    assert page("firstlight_session_state", session="sessions/default", state="stopped") == 1


def test_E7_metrics_of_a_machine_that_tells_nothing_tell_nothing(endpoint):
    names = endpoint().scrape().names()
    assert "firstlight_pressure_level" in names
    assert not [name for name in names if re.search("temperature|stall|cooling|frequency|supply|throttle", name)]


def cpu_seconds(pid):
    """The seconds of processor time that the process has taken, by the kernel."""
    user, system = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def test_E7_the_process_is_told_by_the_usual_names(endpoint):
    endpoint = endpoint()
    pid = endpoint.daemon.process.pid
    page = endpoint.scrape()
    assert page("process_resident_memory_bytes") == pytest.approx(resident_bytes(pid), rel=0.1)
    assert page("process_open_fds") == pytest.approx(len(os.listdir(f"/proc/{pid}/fd")), abs=2)
    assert 0 < time.time() - page("process_start_time_seconds") < 60
    # The process must take so much processor time that a wrong unit would show.
    while (before := cpu_seconds(pid)) < 0.2:
        endpoint.scrape()
    page = endpoint.scrape()
    # The kernel counts user and system time in whole ticks, so each may be off by one tick.
    assert before <= page("process_cpu_seconds_total") <= cpu_seconds(pid) + 2 / os.sysconf("SC_CLK_TCK")
    with firstlight.connect(endpoint.daemon.address, timeout=TIMEOUT) as client:
        assert page("firstlight_build_info", version=client.server_info().version) == 1
        assert endpoint.scrape()("firstlight_grpc_connections") == 1


def test_E7_the_level_in_metrics_follows_heat_and_drills(endpoint, sysfs):
    zone = sysfs.add_zone(70, "cpu-thermal", passive=80, hot=95, critical=105)
    endpoint = endpoint()
    with firstlight.connect(endpoint.daemon.address, timeout=TIMEOUT) as client:
        states = Collector(client.watch_system_pressure())
        sysfs.heat(zone, 82)
        states.wait_for(lambda items: items and items[-1].level == PressureLevel.SERIOUS)
        page = endpoint.scrape()
        assert page("firstlight_pressure_level", device="") == 2
        assert page("firstlight_temperature_celsius", zone=zone, type="cpu-thermal") == 82
        assert page("firstlight_pressure_factor", device="", factor="system_temperature") == 1
        assert page("firstlight_pressure_factor", device="", factor="peak_power") == 0
        assert page("firstlight_pressure_simulated", device="") == 0
        drill = drill_pb2.SimulateLevelRequest(level=PressureLevel.SHUTDOWN, duration=duration_pb2.Duration(seconds=60))
        call(drill_grpc.PressureDrillServiceStub(client.channel).SimulateLevel, drill)
        page = endpoint.scrape()
        assert page("firstlight_pressure_level", device="") == 4
        assert page("firstlight_pressure_simulated", device="") == 1
        states.close()


def test_E7_sessions_and_outputs_are_told(endpoint, sysfs):
    endpoint = endpoint()
    with firstlight.connect(endpoint.daemon.address, timeout=TIMEOUT) as client:
        name = client.create_session().name
        wanted = firstlight.configuration(
            SYNTHETIC[0],
            pixel_format="NV12",
            size=(320, 180),
            frame_rate=30,
            photo=False,
            adaptation=AdaptationPolicy.SERVER,
        )
        client.configure(name, wanted)
        client.start(name)
        with client.preview(name) as preview, contextlib.closing(watching(client, name)) as events:
            first = next(preview)
            page = endpoint.scrape()
            assert page("firstlight_session_state", session=name, state="running") == 1
            assert page("firstlight_session_state", session=name, state="interrupted") == 0
            assert page("firstlight_output_readers", session=name, output="preview") == 1
            frames = page("firstlight_output_frames_total", session=name, output="preview")
            assert frames >= 1
            scraped = time.monotonic_ns()
            seen = [next(frame for frame in preview if frame.monotonic_time_ns > scraped)]
            while seen[-1].sequence < seen[0].sequence + 10:
                seen.append(next(preview))
            later = seen[-1]
            skipped = sum(frame.dropped.discontinuity for frame in seen[1:])
            taken = later.sequence - seen[0].sequence + 1 - skipped
            page = endpoint.scrape()
            assert page("firstlight_output_frames_total", session=name, output="preview") >= frames + taken
            assert page("firstlight_output_frames_lost_total", session=name, output="preview", reason="late") == 0
            assert later.stream_id == first.stream_id
            corrupt = fault_pb2.InjectFaultRequest(device=SYNTHETIC[0], corrupt=fault_pb2.CorruptFault(frames=3))
            call(fault_grpc.FaultInjectionServiceStub(client.channel).InjectFault, corrupt)
            assert next(frame for frame in preview if frame.dropped.damaged).dropped.damaged == 3
            lost = endpoint.scrape()
            labels = {"session": name, "output": "preview"}
            assert lost("firstlight_output_frames_lost_total", **labels, reason="damaged") == 3
            assert lost("firstlight_session_pictures_damaged_total", session=name, input="camera") == 3
            drill = drill_pb2.SimulateLevelRequest(
                level=PressureLevel.SHUTDOWN, duration=duration_pb2.Duration(seconds=60)
            )
            call(drill_grpc.PressureDrillServiceStub(client.channel).SimulateLevel, drill)
            events.wait_for(lambda items: any(item.HasField("was_interrupted") for item in items))
            page = endpoint.scrape()
            assert page("firstlight_session_interrupted", session=name, reason="system_pressure") == 1
            steps = page("firstlight_session_adaptation_steps", session=name, input="camera")
            assert steps == len(client.adaptation_ladder())
        client.delete_session(name)
        client.delete_session("sessions/default")
        assert "firstlight_session_state" not in endpoint.scrape().names()


def test_E7_a_hostile_name_of_a_sensor_stays_inside_its_label(endpoint, sysfs):
    hostile = 'a"} 1\\ firstlight_pressure_level{device="x"} 4 ü'
    zone = sysfs.add_zone(40, hostile, critical=105)
    page = endpoint().scrape()
    assert page("firstlight_temperature_celsius", zone=zone, type=hostile) == 40
    assert page("firstlight_pressure_level", device="") == 0


def test_E7_there_is_only_one_page_and_it_is_only_read(endpoint):
    endpoint = endpoint()
    for path in ("/", "/metrics/", "/metrics2", "/../metrics", "/%6detrics"):
        assert endpoint.ask(path)[0].status == 404, path
    assert endpoint.ask("/metrics?name=x")[0].status == 200
    # A request by a proxy has an absolute target.
    for target in ("http://camera-1:9464/metrics", "HTTP://camera-1/metrics?name=x"):
        assert endpoint.ask(target)[0].status == 200, target
    for target in ("http://camera-1", "http://camera-1/", "http:///metrics2", "ftp://camera-1/metrics"):
        assert endpoint.ask(target)[0].status == 404, target
    response, body = endpoint.ask(method="HEAD")
    assert (response.status, body) == (200, b"")
    response, _ = endpoint.ask(method="POST")
    assert (response.status, response.headers["Allow"]) == (405, "GET, HEAD")


def test_E7_without_the_flag_nothing_listens(own_daemon):
    daemon = own_daemon()
    inodes = set(descriptors(daemon.process.pid).values())
    files = [pathlib.Path(f"/proc/net/{family}") for family in ("tcp", "tcp6")]
    lines = [line.split() for file in files for line in file.read_text().splitlines()[1:]]
    listening = [line[1] for line in lines if line[3] == "0A" and f"socket:[{line[9]}]" in inodes]
    assert len(listening) == 1, "gRPC's own"


def test_E7_a_port_in_use_is_named_at_the_start(binary, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        ended = subprocess.run(
            [binary, "serve", "--listen", "127.0.0.1:0", "--metrics-listen", address, "--data-dir", tmp_path],
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
    assert ended.returncode not in (0, -6, -11), ended
    assert f"metrics-listen cannot be {address}" in ended.stderr
    assert "in use" in ended.stderr


@contextlib.contextmanager
def crowd(endpoint: Endpoint, count: int, begin: bytes) -> Iterator[list[socket.socket]]:
    """Connections that each send the beginning of a request and no more."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(endpoint.connect()) for _ in range(count)]
        for connection in sockets:
            with contextlib.suppress(ConnectionError):
                connection.sendall(begin)
        yield sockets


@pytest.mark.parametrize("begin", [b"", b"GET /metrics HTTP/1.1\r\nHost: a\r\nX-Slow: "], ids=["silent", "slow loris"])
def test_E7_two_hundred_who_never_finish_keep_nobody_out(endpoint, begin):
    endpoint = endpoint()
    descriptors = endpoint.scrape()("process_open_fds")
    with crowd(endpoint, 200, begin) as sockets:
        for _ in range(5):
            assert endpoint.scrape()("process_open_fds") <= descriptors + MAXIMUM + 2
        # The daemon closed the early connections in favour of the later ones.
        for connection in sockets[: 200 - MAXIMUM - 5]:
            assert answer(connection) == b""


@pytest.mark.timeout(PATIENCE + 20)
@pytest.mark.slow
def test_E7_who_sends_a_byte_now_and_then_is_closed_all_the_same(endpoint):
    endpoint = endpoint()
    with endpoint.connect() as connection:
        begin = time.monotonic()
        connection.sendall(b"GET /metrics HTTP/1.1\r\nX-Slow: ")
        connection.settimeout(0.2)  # The timeout between two bytes is the attack: it keeps the connection busy.
        with contextlib.suppress(ConnectionError):
            while True:
                connection.sendall(b"a")
                with contextlib.suppress(TimeoutError):
                    assert connection.recv(1) == b""
                    break
    assert PATIENCE - 1 < time.monotonic() - begin < PATIENCE + 5


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"GET /metrics HTTP/1.1\r\nX: " + b"a" * LONG,
        b"GET /metrics HTTP/1.1\r\n" + b"A: b\r\n" * (LONG // 6),
        b"GET /" + b"a" * LONG,
        bytes(range(256)) * 64,
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"POST /metrics HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1\r\na\r\n" * (LONG // 6),
        b"GET /metrics HTTP/1.1\r\nContent-Length: 18446744073709551616\r\n\r\n",
    ],
    ids=["header", "headers", "path", "noise", "HTTP/2", "endless body", "length"],
)
def test_E7_what_is_no_request_ends_its_connection_and_nothing_else(endpoint, request_bytes):
    endpoint = endpoint()
    before = endpoint.scrape()
    # This write resets the process's peak of resident memory.
    pathlib.Path(f"/proc/{endpoint.daemon.process.pid}/clear_refs").write_text("5")
    resident = resident_bytes(endpoint.daemon.process.pid)
    with endpoint.connect() as connection:
        with contextlib.suppress(ConnectionError):
            connection.sendall(request_bytes)
        assert b" 200 " not in answer(connection).split(b"\r\n")[0]
    # The daemon may still be closing the connections of this test. One that it never closes ends the test at its limit.
    while endpoint.scrape()("process_open_fds") > before("process_open_fds") + 1:
        time.sleep(0.05)
    status = pathlib.Path(f"/proc/{endpoint.daemon.process.pid}/status").read_text()
    assert 1024 * int(status.partition("VmHWM:")[2].split()[0]) < resident + (8 << 20) < resident + LONG


def test_E7_of_many_requests_at_once_one_is_answered(endpoint):
    endpoint = endpoint()
    with endpoint.connect() as connection:
        connection.sendall(b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n" * 100)
        assert answer(connection).count(b"HTTP/1.1 200 OK") <= 1
    assert endpoint.scrape()("firstlight_build_info", version="0.1.0") == 1


def test_E7_who_reads_nothing_does_not_keep_the_daemon_from_ending(endpoint):
    endpoint = endpoint()
    with crowd(endpoint, MAXIMUM, b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n"):
        assert endpoint.daemon.stop() == 0
