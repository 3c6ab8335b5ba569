"""No client harms others: not by what it sends or leaves unread, nor by the order and number of its calls and
connections.
"""

from __future__ import annotations

import itertools
import os
import random
import socket
import threading
import time
from collections.abc import Iterator

import grpc
import pytest

import firstlight
from conftest import Session, StartDaemon, sessions
from firstlight.daemon import Daemon
from firstlight.drill.v1 import fault_injection_service_pb2 as fault_pb2, fault_injection_service_pb2_grpc as fault_grpc
from firstlight.v1 import (
    photo_service_pb2 as photos_pb2,
    preview_service_pb2 as preview_pb2,
    session_configuration_pb2 as configuration_pb2,
    session_service_pb2 as sessions_pb2,
    types_pb2,
)
from support import SYNTHETIC, TIMEOUT, Stubs, call, refused, resident_bytes

UINT32_MAX = (1 << 32) - 1
UINT64_MAX = (1 << 64) - 1


@pytest.mark.parametrize("text", ["x" * 60_000, "a" + "\u0301" * 30_000, "😀" * 15_000], ids=["ascii", "marks", "wide"])
def test_long_values_come_back_as_our_error(stubs: Stubs, session: Session, text: str) -> None:
    """The error is ours, not one of the client library about metadata that is too long."""
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT"):
        call(stubs.sessions.GetSession, sessions_pb2.GetSessionRequest(name=text))
    name = session()
    with refused("NOT_FOUND", "OUTPUT_NOT_FOUND"):
        call(stubs.previews.StreamPreview, preview_pb2.StreamPreviewRequest(session=name, output=text))
    with refused("ABORTED", "ETAG_MISMATCH"):
        call(stubs.sessions.StopSession, sessions_pb2.StopSessionRequest(name=name, etag=text))


@pytest.mark.parametrize("unique_id", ["a/b", "a\nb", "a" * 129, "a" + "\u0301" * 128])
def test_ids_that_cannot_be_named_or_kept_are_refused(stubs: Stubs, session: Session, unique_id: str) -> None:
    request = photos_pb2.CapturePhotoRequest(session=session(start=True))
    request.settings.unique_id = unique_id
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT"):
        call(stubs.photos.CapturePhoto, request)


def test_the_longest_id_is_found_again(stubs: Stubs, session: Session, unique_id: str) -> None:
    longest = unique_id[:64] + "😀" * (128 - len(unique_id[:64]))
    request = photos_pb2.CapturePhotoRequest(session=session(start=True))
    request.settings.unique_id = longest
    for _ in stubs.photos.CapturePhoto(request, timeout=TIMEOUT):
        pass
    answer = call(stubs.photos.GetCapture, photos_pb2.GetCaptureRequest(name=f"captures/{longest}"))
    assert answer.capture.state == photos_pb2.Capture.STATE_FINISHED


@pytest.fixture
def stuck_readers(daemon: Daemon) -> Iterator[list[grpc.Channel]]:
    """An empty list for connections that read nothing beyond a first message. The fixture closes them at the end."""
    channels: list[grpc.Channel] = []
    yield channels
    for channel in channels:
        channel.close()


def test_readers_that_do_not_read_leave_others_the_camera(
    daemon: Daemon, client: firstlight.Client, session: Session, stuck_readers: list[grpc.Channel]
) -> None:
    """Twenty-four readers of raw 1080p pictures are each stuck at another frame. Together they want more memory than
    there is.
    """
    name = session(start=True, pixel_format="NV12", size=(1920, 1080))
    frames = iter(client.preview(name, max_size=(320, 180)))
    request = preview_pb2.StreamPreviewRequest(session=name, pixel_format="NV12", max_message_bytes=UINT32_MAX)
    # gRPC cancels a call that has no reference any more.
    calls = []
    for _ in range(24):
        options = (("grpc.use_local_subchannel_pool", 1), ("grpc.http2.bdp_probe", 0))
        stuck_readers.append(grpc.insecure_channel(daemon.address, options=options))
        calls.append(Stubs(stuck_readers[-1]).previews.StreamPreview(request, timeout=60))
        next(calls[-1])
        # One frame is in the socket and one behind it. The next reader is to be stuck at other frames.
        for _ in range(3):
            next(frames)
    # The ring has fewer frames than this, so all frames that it held at that time are gone.
    after = list(itertools.islice(frames, 40))
    assert [frame.dropped.out_of_buffers for frame in after] == [0] * 40
    assert client.photo(name).sequence > after[0].sequence


@pytest.mark.alone
def test_memory_of_sessions_that_ended_goes_back_to_the_system(own_daemon: StartDaemon) -> None:
    """The memory goes back after any number of sessions of any size."""
    daemon = own_daemon()
    with firstlight.connect(daemon.address) as client:
        for turn in range(16):
            size = ((3840, 2160), (1280, 720), (1920, 1080))[turn % 3]
            wanted = firstlight.configuration(SYNTHETIC[turn % 2], pixel_format="NV12", size=size, frame_rate=30)
            wanted.video_data.add(id="data", pixel_format="BGR4")
            name = client.create_session().name
            client.configure(name, wanted)
            client.start(name)
            with client.preview(name, max_message_bytes=UINT32_MAX) as preview, client.video_data(name) as data:
                for _ in range(3):
                    next(preview)
                    next(data)
            client.delete_session(name)

        # The connection releases the last pictures gradually, and no event says when a process returns memory, so the
        # test polls.
        deadline = time.monotonic() + TIMEOUT
        while (resident := resident_bytes(daemon.process.pid)) > 200 << 20:
            assert time.monotonic() < deadline, f"{resident >> 20} MiB without a session"
            time.sleep(0.05)


GREETINGS = (b"", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", bytes(range(256)))
# Two rates that no camera offers, then 5, 30 and 60 as fractions whose products do not fit into 64 bits.
EXTREME_RATES = [(1, 100), (UINT32_MAX, UINT32_MAX), (UINT32_MAX, 858_993_459), (UINT32_MAX, 143_165_577), (60, 1)]
EXTREME_SIZES = [(2, 2), (UINT32_MAX, UINT32_MAX), (UINT32_MAX, 2), (321, 181)]


class Chaos:
    """One client that does anything at any time. The same seed gives the same calls."""

    NAMES = ("sessions/chaos-a", "sessions/chaos-b", "sessions/chaos-c")
    STEPS = ("create", "configure", "configure", "start", "stop", "delete", "deferred", "fault", "photo", "view")

    def __init__(self, address: str, seed: int, calls: int) -> None:
        self._address = address
        self._random = random.Random(seed)
        self._calls = calls
        #: The errors that no client may ever get.
        self.faults: list[str] = []

    def run(self) -> None:
        with grpc.insecure_channel(self._address, options=(("grpc.use_local_subchannel_pool", 1),)) as channel:
            stubs, faults = Stubs(channel), fault_grpc.FaultInjectionServiceStub(channel)
            for _ in range(self._calls):
                try:
                    self._step(stubs, faults)
                except grpc.RpcError as error:
                    if error.code() in (grpc.StatusCode.UNKNOWN, grpc.StatusCode.INTERNAL):
                        self.faults.append(f"{error.code()}: {error.details()}")

    def _step(self, stubs: Stubs, faults: fault_grpc.FaultInjectionServiceStub) -> None:
        pick, name = self._random.choice, self._random.choice(self.NAMES)
        match pick(
            ["create", "configure", "configure", "start", "stop", "delete", "deferred", "fault", "photo", "view"]
        ):
            case "create":
                stubs.sessions.CreateSession(sessions_pb2.CreateSessionRequest(session_id=name[9:]), timeout=TIMEOUT)
            case "configure":
                wanted = self._configuration()
                stubs.sessions.ConfigureSession(
                    sessions_pb2.ConfigureSessionRequest(name=name, configuration=wanted), timeout=TIMEOUT
                )
            case "start":
                # Some calls give up at once. The start goes on without them.
                stubs.sessions.StartSession(sessions_pb2.StartSessionRequest(name=name), timeout=pick([0.001, TIMEOUT]))
            case "stop":
                stubs.sessions.StopSession(sessions_pb2.StopSessionRequest(name=name), timeout=TIMEOUT)
            case "delete":
                stubs.sessions.DeleteSession(sessions_pb2.DeleteSessionRequest(name=name), timeout=TIMEOUT)
            case "deferred":
                stubs.sessions.RunDeferredStart(sessions_pb2.RunDeferredStartRequest(name=name), timeout=TIMEOUT)
            case "fault":
                fault = fault_pb2.InjectFaultRequest(device=pick(SYNTHETIC))
                getattr(fault, pick(["unplug", "replug", "replug"])).SetInParent()
                faults.InjectFault(fault, timeout=TIMEOUT)
            case "photo":
                photo = photos_pb2.CapturePhotoRequest(session=name, viewfinder_sequence=pick([0, 5, UINT64_MAX]))
                for _ in stubs.photos.CapturePhoto(photo, timeout=0.1):
                    pass
            case _:
                self._view(stubs, name)

    def _view(self, stubs: Stubs, name: str) -> None:
        encodings = ({}, {"encoding": types_pb2.ENCODING_JPEG}, {"pixel_format": "NV12"}, {"pixel_format": "YUYV"})
        view = preview_pb2.StreamPreviewRequest(session=name, **self._random.choice(encodings))
        view.max_size.width, view.max_size.height = self._random.choice(EXTREME_SIZES)
        for _ in stubs.previews.StreamPreview(view, timeout=0.1):
            pass

    def _configuration(self) -> configuration_pb2.SessionConfiguration:
        pick = self._random.choice
        wanted = firstlight.configuration(
            pick(SYNTHETIC), pixel_format=pick(["NV12", "YUYV"]), size=pick([(640, 360), (320, 180), (960, 540)]),
            preview=pick([True, True, False]), photo=pick([True, True, False]),
            automatic_deferred_start=pick([None, False]),
        )  # fmt: skip
        rate = wanted.inputs[0].frame_rate_override
        rate.numerator, rate.denominator = pick(EXTREME_RATES)
        return wanted


def test_calls_in_any_order_leave_a_working_daemon(own_daemon: StartDaemon) -> None:
    daemon = own_daemon("--enable-fault-injection")
    clients = [Chaos(daemon.address, seed, calls=200) for seed in range(6)]
    threads = [threading.Thread(target=client.run) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [client.faults for client in clients] == [[]] * len(clients)

    with firstlight.connect(daemon.address, timeout=TIMEOUT) as client:
        faults = fault_grpc.FaultInjectionServiceStub(client.channel)
        for device in SYNTHETIC:
            faults.InjectFault(fault_pb2.InjectFaultRequest(device=device, replug={}), timeout=TIMEOUT)
        for left in sessions(client):
            client.delete_session(left.name)
        # Both cameras start and show something, so no claim, camera or thread was left behind.
        for device in SYNTHETIC:
            name = client.create_session().name
            client.configure(name, firstlight.configuration(device))
            client.start(name)
            assert next(iter(client.preview(name))).data


def test_connections_that_come_and_go_leave_nothing(daemon: Daemon, client: firstlight.Client) -> None:
    """Some clients speak HTTP/2, some send garbage, some send nothing."""
    host, port = daemon.address.rsplit(":", 1)

    def descriptors() -> int:
        return len(os.listdir(f"/proc/{daemon.process.pid}/fd"))

    client.server_info()
    before = descriptors()
    for number in range(500):
        with socket.create_connection((host, int(port)), timeout=TIMEOUT) as connection:
            connection.sendall(GREETINGS[number % len(GREETINGS)])
    # The daemon accepts connections in their order, so it has accepted all of them when it answers a new one.
    with firstlight.connect(daemon.address, timeout=TIMEOUT) as last:
        last.server_info()
    # The daemon may still be closing the last connections.
    deadline = time.monotonic() + 5
    while (left := descriptors()) > before and time.monotonic() < deadline:
        client.server_info()
        time.sleep(0.01)
    assert left <= before
