"""What a monitoring system gets: `GET /metrics`, in Prometheus' text format, whoever else is connected."""

from __future__ import annotations

import contextlib
import http.client
import itertools
import os
import pathlib
import re
import socket
import subprocess
import time
from collections.abc import Iterator

import pytest
from google.protobuf import duration_pb2
from prometheus_client import parser

import firstlight
import machines
from faults import inject, seconds, stall
from firstlight import AdaptationPolicy, PressureLevel
from firstlight.drill.v1 import (
    fault_injection_service_pb2 as fault_pb2,
    fault_injection_service_pb2_grpc as fault_grpc,
    pressure_drill_service_pb2 as drill_pb2,
    pressure_drill_service_pb2_grpc as drill_grpc,
)
from firstlight.v1 import preview_service_pb2 as preview_pb2, session_pb2, video_data_service_pb2 as video_data_pb2
from support import SYNTHETIC, TIMEOUT, Collector, Stubs, call, resident_bytes

#: Connections at once, and seconds that one may last: `MetricsServer`.
MAXIMUM, PATIENCE = 16, 10
#: Bytes of a request that must not be kept.
LONG = 24 << 20


class Page:
    """A scrape: values by name and labels."""

    def __init__(self, text: str) -> None:
        self.families = {family.name: family for family in parser.text_string_to_metric_families(text)}
        samples = [sample for family in self.families.values() for sample in family.samples]
        self._values = {(sample.name, frozenset(sample.labels.items())): sample.value for sample in samples}
        assert len(self._values) == len(samples), "no series twice"

    def __call__(self, name: str, **labels: str) -> float:
        return self._values[(name, frozenset(labels.items()))]

    def names(self) -> set[str]:
        """Every metric with at least one value."""
        return {name for name, _ in self._values}


class Endpoint:
    """Where a daemon serves its metrics."""

    def __init__(self, daemon, folder) -> None:
        self.daemon = daemon
        (found,) = re.findall(
            r"metrics at http://(127\.0\.0\.1):(\d+)/metrics", (folder / "firstlightd.log").read_text()
        )
        self.host, self.port = found[0], int(found[1])

    def ask(self, path: str = "/metrics", method: str = "GET") -> tuple[http.client.HTTPResponse, bytes]:
        connection = http.client.HTTPConnection(self.host, self.port, timeout=TIMEOUT)
        with contextlib.closing(connection):
            connection.request(method, path)
            response = connection.getresponse()
            return response, response.read()

    def scrape(self) -> Page:
        response, body = self.ask()
        assert (response.status, response.headers["Content-Type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
        return Page(body.decode())

    def connect(self) -> socket.socket:
        return socket.create_connection((self.host, self.port), TIMEOUT)


@pytest.fixture
def endpoint(own_daemon, tmp_path):
    """Starts a daemon that serves metrics."""

    def start(*flags: str) -> Endpoint:
        return Endpoint(own_daemon("--metrics-listen", "127.0.0.1:0", "--enable-fault-injection", *flags), tmp_path)

    return start


def answer(connection: socket.socket) -> bytes:
    """All that comes until the other side closes, in whatever way."""
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
    assert page("firstlight_sessions") == 0


def test_E7_metrics_of_a_machine_that_tells_nothing_tell_nothing(endpoint):
    names = endpoint().scrape().names()
    assert "firstlight_pressure_level" in names
    assert not [name for name in names if re.search("temperature|stall|cooling|frequency|supply|throttle", name)]


def cpu_seconds(pid):
    """Of the processors, by the kernel."""
    user, system = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def test_E7_the_process_is_told_by_the_usual_names(endpoint):
    endpoint = endpoint()
    pid = endpoint.daemon.process.pid
    page = endpoint.scrape()
    assert page("process_resident_memory_bytes") == pytest.approx(resident_bytes(pid), rel=0.1)
    assert page("process_open_fds") == pytest.approx(len(os.listdir(f"/proc/{pid}/fd")), abs=2)
    assert 0 < time.time() - page("process_start_time_seconds") < 60
    # As much as a wrong unit would show.
    while (before := cpu_seconds(pid)) < 0.2:
        endpoint.scrape()
    page = endpoint.scrape()
    # The kernel tells whole ticks, of either kind.
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
        with client.preview(name) as preview, contextlib.closing(Collector(client.watch_session(name))) as events:
            first = next(preview)
            page = endpoint.scrape()
            assert page("firstlight_session_state", session=name, state="running") == 1
            assert page("firstlight_session_state", session=name, state="interrupted") == 0
            assert page("firstlight_output_readers", session=name, output="preview") == 1
            frames = page("firstlight_output_frames_total", session=name, output="preview")
            assert frames >= 1
            later = next(frame for frame in preview if frame.sequence >= first.sequence + 10)
            page = endpoint.scrape()
            assert page("firstlight_output_frames_total", session=name, output="preview") >= frames + 9
            assert page("firstlight_output_frames_lost_total", session=name, output="preview", reason="late") == 0
            assert later.stream_id == first.stream_id
            corrupt = fault_pb2.InjectFaultRequest(device=SYNTHETIC[0], corrupt=fault_pb2.CorruptFault(frames=3))
            call(fault_grpc.FaultInjectionServiceStub(client.channel).InjectFault, corrupt)
            assert next(frame for frame in preview if frame.dropped.damaged).dropped.damaged == 3
            lost = endpoint.scrape()
            labels = {"session": name, "output": "preview"}
            assert lost("firstlight_output_frames_lost_total", **labels, reason="damaged") == 3
            assert lost("firstlight_session_pictures_damaged_total", session=name) == 3
            drill = drill_pb2.SimulateLevelRequest(
                level=PressureLevel.SHUTDOWN, duration=duration_pb2.Duration(seconds=60)
            )
            call(drill_grpc.PressureDrillServiceStub(client.channel).SimulateLevel, drill)
            events.wait_for(lambda items: any(item.HasField("was_interrupted") for item in items))
            page = endpoint.scrape()
            assert page("firstlight_session_interrupted", session=name, reason="system_pressure") == 1
            assert page("firstlight_session_adaptation_steps", session=name) == len(client.adaptation_ladder())
        client.delete_session(name)
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
    # As a proxy asks.
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
    inodes = {
        os.readlink(f"/proc/{daemon.process.pid}/fd/{number}")
        for number in os.listdir(f"/proc/{daemon.process.pid}/fd")
    }
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
    """Connections that say the beginning of something and no more."""
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
        # The early ones gave way to the later.
        for connection in sockets[: 200 - MAXIMUM - 5]:
            assert answer(connection) == b""


@pytest.mark.timeout(PATIENCE + 20)
@pytest.mark.slow
def test_E7_who_sends_a_byte_now_and_then_is_closed_all_the_same(endpoint):
    endpoint = endpoint()
    with endpoint.connect() as connection:
        begin = time.monotonic()
        connection.sendall(b"GET /metrics HTTP/1.1\r\nX-Slow: ")
        connection.settimeout(0.2)  # Between two bytes: the attack itself.
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
    # The most it has had begins anew.
    pathlib.Path(f"/proc/{endpoint.daemon.process.pid}/clear_refs").write_text("5")
    resident = resident_bytes(endpoint.daemon.process.pid)
    with endpoint.connect() as connection:
        with contextlib.suppress(ConnectionError):
            connection.sendall(request_bytes)
        assert b" 200 " not in answer(connection).split(b"\r\n")[0]
    assert endpoint.scrape()("process_open_fds") <= before("process_open_fds") + 1
    status = pathlib.Path(f"/proc/{endpoint.daemon.process.pid}/status").read_text()
    assert 1024 * int(status.partition("VmHWM:")[2].split()[0]) < resident + (8 << 20) < resident + LONG


def spans(page, what, **labels):
    """A histogram of an output: how many there are up to each bound, and their sum."""
    name = f"firstlight_output_frame_{what}_seconds"
    (family,) = [family for found, family in page.families.items() if found == name]
    assert family.type == "histogram"
    buckets = {
        float(sample.labels["le"]): sample.value
        for sample in family.samples
        if sample.name == f"{name}_bucket" and labels.items() <= sample.labels.items()
    }
    assert list(buckets) == sorted(buckets)
    assert list(buckets.values()) == sorted(buckets.values())
    assert buckets[float("inf")] == page(f"{name}_count", **labels)
    return buckets, page(f"{name}_sum", **labels)


def frames_until_stopped(stub, request, client, name, seconds):
    """Every frame of a stream, and when it came, until the session is stopped after so much of the camera's time."""
    frames = []
    stream = stub(request)
    for response in stream:
        if response.HasField("frame"):
            frames.append((time.monotonic_ns(), response.frame))
            if (frames[-1][1].monotonic_time_ns - frames[0][1].monotonic_time_ns) / 1e9 >= seconds:
                # The frames that are still on their way come before the status.
                client.stop(name)
        elif frames and response.status.session_state == session_pb2.Session.STATE_STOPPED:
            break
    stream.cancel()
    return frames


@pytest.mark.parametrize("delay", [0, 0.2], ids=["in time", "200 ms late"])
@pytest.mark.parametrize("kind", ["preview", "data"])
def test_D7_cadence_is_told_as_it_is_seen(endpoint, kind, delay):
    endpoint = endpoint()
    with firstlight.connect(endpoint.daemon.address, timeout=TIMEOUT) as client:
        stubs = Stubs(client.channel)
        inject(client, {"late": fault_pb2.LateFault(delay=seconds(delay))})
        outputs = [firstlight.video_data_output("data")]
        wanted = firstlight.configuration(SYNTHETIC[0], pixel_format="NV12", size=(640, 360), video_data=outputs)
        name = client.create_session(configuration=wanted, start=True).name
        # Both as they come: their last frame is out before the session is stopped.
        if kind == "preview":
            request = preview_pb2.StreamPreviewRequest(session=name, pixel_format="NV12")
            frames = frames_until_stopped(stubs.previews.StreamPreview, request, client, name, 2)
        else:
            request = video_data_pb2.StreamVideoDataRequest(session=name, output="data")
            frames = frames_until_stopped(stubs.video_data.StreamVideoData, request, client, name, 2)
        page = endpoint.scrape()
        other = "data" if kind == "preview" else "preview"
        assert page("firstlight_output_frame_lateness_seconds_count", session=name, output=other) == 0
        late_by, late_sum = spans(page, "lateness", session=name, output=kind)
        intervals, interval_sum = spans(page, "interval", session=name, output=kind)
    # A frame handed over is a frame that comes, each once, and later than it was handed over.
    assert late_by[float("inf")] == len(frames)
    assert intervals[float("inf")] == len(frames) - 1
    seen = [(arrived - frame.monotonic_time_ns) / 1e9 for arrived, frame in frames]
    for bound, count in late_by.items():
        assert count >= sum(lateness <= bound for lateness in seen), f"frames later than {bound} s that were not"
    assert 0 < late_sum <= sum(seen)
    # From hand-over to hand-over is from capture to capture, but for how late the first and the last were.
    span = (frames[-1][1].monotonic_time_ns - frames[0][1].monotonic_time_ns) / 1e9
    assert abs(interval_sum - span) <= max(seen)
    if delay:
        assert late_by[0.15] == 0
        assert late_sum >= delay * len(frames)


def test_D7_intervals_show_when_the_camera_stalls(endpoint):
    endpoint = endpoint()
    with firstlight.connect(endpoint.daemon.address, timeout=TIMEOUT) as client:
        wanted = firstlight.configuration(SYNTHETIC[0], pixel_format="NV12", size=(640, 360))
        name = client.create_session(configuration=wanted, start=True).name
        with client.preview(name, pixel_format="NV12") as preview:
            list(itertools.islice(preview, 10))
            before, _ = spans(endpoint.scrape(), "interval", session=name, output="preview")
            inject(client, stall(0.7))
            came = [time.monotonic(), *(time.monotonic() for _ in itertools.islice(preview, 20))]
        after, _ = spans(endpoint.scrape(), "interval", session=name, output="preview")
    # What was captured meanwhile comes afterwards, with its own stamps.
    assert max(later - earlier for earlier, later in itertools.pairwise(came)) >= 0.5, "the stall was seen"

    def above(buckets):
        return buckets[float("inf")] - buckets[0.5]

    assert above(after) >= above(before) + 1
    assert after[0.5] - before[0.5] >= 10, "all others came as usual"


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
