"""The daemon cuts a client that abuses HTTP/2, and no other client notices.

`scripts/bench hostility` runs longer, with more hostile clients at once.
"""

from __future__ import annotations

import contextlib
import itertools
import re
import subprocess
import sys
import time
from collections.abc import Iterator

import grpc
import pytest

import firstlight
import hostile
from captures import SMALL
from firstlight.v1 import photo_service_pb2 as photos_pb2, session_service_pb2 as sessions_pb2
from readers import SECOND, lost, reading
from support import SYNTHETIC, Stubs, call, peak_bytes, refused, stolen_seconds

SECONDS = 1.5
PEAK_BYTES = 256_000_000
#: The period of the frames, in seconds.
PERIOD = 1 / 30

#: The kinds that the daemon cuts for what they send. gRPC closes the connections of the other kinds first, or these do
#: no harm.
CUT = ("rapid-reset", "calls-that-fail", "window-updates", "priorities", "empty-data", "continuations", "noise")


@contextlib.contextmanager
def attacking(kind: str, address: str, seconds: float = 30) -> Iterator[None]:
    """Runs one hostile client until the block ends. A real one would be on another machine, so this one runs only while
    a processor has nothing else to do.
    """
    command = ["chrt", "--idle", "0", sys.executable, hostile.__file__, kind, address, str(seconds)]
    with subprocess.Popen(command) as process:
        try:
            yield
        finally:
            process.kill()


def cuts(page) -> float:
    """The number of connections that the daemon has cut so far."""
    return sum(page("firstlight_grpc_connections_cut_total", excess=excess) for excess in ("calls", "bytes"))


@pytest.fixture
def watched(endpoint):
    """A daemon whose camera streams: its metrics endpoint, a client and the name of the session."""
    served = endpoint()
    with firstlight.connect(served.daemon.address, timeout=8) as client:
        name = client.create_session().name
        client.configure(name, firstlight.configuration(SYNTHETIC[0], photo=False, **SMALL))
        client.start(name)
        yield served, client, name


def counted(page) -> list[str]:
    """The samples of the metrics that count lost frames and cut connections, and are not zero."""
    samples = [sample for family in page.families.values() for sample in family.samples if sample.value]
    return [f"{name} {labels} {value}" for name, labels, value, *_ in samples if re.search("_(lost|cut)_", name)]


@pytest.mark.alone
@pytest.mark.parametrize("kind", hostile.KINDS)
def test_a_viewer_loses_nothing_to_a_hostile_client(watched, tmp_path, kind):
    served, _, name = watched
    # The viewer is a process of its own and does not acknowledge frames, as in `scripts/bench hostility`. What
    # this test's process does cannot delay it. With two frames on the way an acknowledgement might take no longer than
    # two periods, on a machine that also runs the hostile client.
    address = served.daemon.address
    with reading(1, address, name, tmp_path) as (viewer,), attacking(kind, address, seconds=60):
        start, stolen = time.monotonic_ns(), stolen_seconds()
        while time.monotonic_ns() < start + SECONDS * SECOND or (kind in CUT and cuts(served.scrape()) == 0):
            time.sleep(0.1)
            # While a host takes the processors from this machine, frames are lost without any hostile client.
            if stolen_seconds() - stolen > PERIOD:
                start, stolen = time.monotonic_ns(), stolen_seconds()
        rows = viewer.rows(start)
    assert len(rows) > 20
    # What the daemon counts says who lost a frame: the camera, or the stream to the viewer.
    assert lost(rows) == 0, counted(served.scrape())
    assert peak_bytes(served.daemon.process.pid) < PEAK_BYTES


@pytest.mark.alone
def test_who_was_cut_is_told_once_a_minute(watched, tmp_path):
    served, _, _ = watched
    assert cuts(served.scrape()) == 0
    with attacking("window-updates", served.daemon.address):
        # The client connects again, and the daemon refuses its address for a while.
        while served.scrape()("firstlight_grpc_connections_refused_total") == 0:
            time.sleep(0.01)
    assert served.scrape()("firstlight_grpc_connections_cut_total", excess="bytes") == 1
    (line,) = [line for line in (tmp_path / "firstlightd.log").read_text().splitlines() if "cut connections" in line]
    assert " warning " in line
    assert re.search(r"client\.address=ipv4:127\.0\.0\.1:\d+", line)
    assert "excess.bytes=1" in line


def test_calls_in_a_loop_are_told_to_be_fewer(own_daemon):
    daemon = own_daemon("--max-calls-per-second", "1")
    with firstlight.connect(daemon.address, timeout=8) as client:
        sessions = Stubs(client.channel).sessions
        with refused("RESOURCE_EXHAUSTED", "TOO_MANY_CALLS") as refusal:
            for _ in range(10_000):
                call(sessions.ListSessions, sessions_pb2.ListSessionsRequest())
        assert "Open fewer" in str(refusal.error)


def test_a_burst_of_two_thousand_photos_is_not_cut(endpoint):
    served = endpoint()
    with firstlight.connect(served.daemon.address, timeout=60) as client:
        name = client.create_session().name
        client.configure(name, firstlight.configuration(SYNTHETIC[0], **SMALL))
        client.start(name)
        client.photo(name)
        stub = Stubs(client.channel).photos
        request = photos_pb2.CapturePhotoRequest(session=name)
        calls = [stub.CapturePhoto(request, timeout=60) for _ in range(2_000)]
        codes = {outcome(each) for each in calls}
    # More requests wait than the daemon allows. It refuses each of the others for this reason.
    assert codes <= {grpc.StatusCode.OK, grpc.StatusCode.RESOURCE_EXHAUSTED}, codes
    assert cuts(served.scrape()) == 0
    assert served.scrape()("firstlight_grpc_calls_refused_total") == 0


def outcome(stream) -> grpc.StatusCode:
    """The status code with which a stream ends."""
    try:
        for _ in stream:
            pass
    except grpc.RpcError:
        pass
    return stream.code()


def test_a_compressed_request_is_refused(daemon):
    with grpc.insecure_channel(daemon.address, compression=grpc.Compression.Gzip) as channel:
        request = sessions_pb2.GetSessionRequest(name="sessions/".ljust(10_000, "a"))
        with pytest.raises(grpc.RpcError) as raised:
            Stubs(channel).sessions.GetSession(request, timeout=8)
    assert raised.value.code() == grpc.StatusCode.UNIMPLEMENTED


def test_large_answers_of_a_program_are_not_cut(endpoint):
    served = endpoint()
    with firstlight.connect(served.daemon.address, timeout=8) as client:
        name = client.create_session().name
        output = firstlight.video_data_output("data", pixel_format="AR24")
        # Each answer has 3.7 MB.
        large = {**SMALL, "size": (1280, 720)}
        client.configure(name, firstlight.configuration(SYNTHETIC[0], photo=False, video_data=[output], **large))
        client.start(name)
        with client.process_frames(name, deadline_frames=8) as program:
            for frame in itertools.islice(program, 20):
                program.answer(picture=frame.as_array())
    assert cuts(served.scrape()) == 0
