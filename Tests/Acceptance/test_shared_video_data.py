"""Frames in shared memory, for programs on the daemon's machine."""

import fcntl
import itertools
import mmap
import os
import socket
import subprocess
import sys
from contextlib import ExitStack

import numpy as np
import pytest

import firstlight
from firstlight import SharedVideoDataStream, video_data_output
from firstlight.v1 import shared_video_data_pb2 as shared_pb2
from processes import descriptors
from support import SYNTHETIC, refused, take, timecode

SMALL = {"pixel_format": "NV12", "size": (640, 360), "frame_rate": 30, "photo": False}


@pytest.fixture
def local(own_daemon, tmp_path):
    """A daemon for this test alone with a local socket: a client, the path of the socket and the id of the process."""
    path = tmp_path / "frames.sock"
    daemon = own_daemon("--local-socket", str(path))
    with firstlight.connect(daemon.address, timeout=8) as client:
        yield client, path, daemon.process.pid


def running(client, *outputs, **format):
    name = client.create_session().name
    client.configure(name, firstlight.configuration(SYNTHETIC[0], video_data=outputs, **(format or SMALL)))
    client.start(name)
    return name


def lost(frame):
    return sum(frame.dropped)


def shared_kilobytes(pid):
    """The kilobytes of shared memory that a process has mapped and touched."""
    with open(f"/proc/{pid}/status") as status:
        return int(next(line for line in status if line.startswith("RssShmem")).split()[1])


def slabs(pid):
    """The number of slabs of frame memory that a process has open."""
    return sum("firstlight-frame" in link for link in descriptors(pid).values())


@pytest.mark.parametrize("wanted", ["", "AR24", "GREY"])
def test_D2_shared_frames_show_what_they_say(local, wanted):
    client, path, _ = local
    name = running(client, video_data_output("data", pixel_format=wanted, queue_depth=8))
    with SharedVideoDataStream(path, name) as data:
        before = next(data).sequence
        for frame in itertools.islice(data, 20):
            assert frame.pixel_format == (wanted or "NV12")
            assert timecode(frame) == (frame.sequence, frame.capture_time_ns, 0)
            assert frame.sequence == before + 1 + lost(frame)
            before = frame.sequence
        assert data.status.pixel_format == (wanted or "NV12")
        assert not frame.as_array().flags.writeable


def test_D2_shared_memory_cannot_be_written_or_resized_by_its_readers(local):
    client, path, _ = local
    name = running(client, video_data_output("data"))
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as program:
        program.connect(str(path))
        opening = shared_pb2.SharedVideoDataOpen(session=name)
        program.send(shared_pb2.SharedVideoDataRequest(open=opening).SerializeToString())
        program.send(shared_pb2.SharedVideoDataRequest(read={"frames": 1}).SerializeToString())
        descriptors = []
        while not descriptors:
            packet, descriptors, _, _ = socket.recv_fds(program, 65536, 1)
        frame = shared_pb2.SharedVideoDataResponse.FromString(packet).frame
        size = frame.mapping_bytes
        assert os.fstat(descriptors[0]).st_size == size
        for attempt in (
            lambda fd: os.pwrite(fd, b"x", 0),
            lambda fd: os.ftruncate(fd, size + 4096),
            lambda fd: os.ftruncate(fd, 0),
            lambda fd: mmap.mmap(fd, size),
            lambda fd: fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE),
        ):
            for descriptor in (descriptors[0], os.open(f"/proc/self/fd/{descriptors[0]}", os.O_RDWR)):
                with pytest.raises(PermissionError):
                    attempt(descriptor)
        shown = mmap.mmap(descriptors[0], size, prot=mmap.PROT_READ)
        data = memoryview(shown)[: frame.data_bytes]
        luma = np.frombuffer(data, np.uint8, count=640 * 360).reshape(360, 640)
        assert firstlight.timecode.decode(luma).sequence == frame.frame.sequence


@pytest.mark.alone
def test_D4_a_reader_that_never_gives_back_is_out_of_buffers_and_harms_nobody(local):
    client, path, _ = local
    name = running(client, video_data_output("data", queue_depth=4))
    with SharedVideoDataStream(path, name, max_leases=2) as greedy, SharedVideoDataStream(path, name) as fair:
        held = [next(greedy).hold(), next(greedy).hold()]
        codes = [timecode(frame) for frame in held]
        greedy._send(read=shared_pb2.SharedVideoDataRead(frames=1))
        frames = take(fair, 30)
        assert frames[-1].sequence - frames[0].sequence == 29
        assert not any(lost(frame) for frame in frames[1:])
        assert [timecode(frame) for frame in held] == codes, "what is held does not change"
        held[0].release()
        response, descriptor = greedy._receive()
        frame = greedy._frame(response.frame, descriptor)
        assert frame.dropped.out_of_buffers >= 20
        assert frame.dropped.late == 0
        assert frame.sequence == held[1].sequence + 1 + lost(frame), "delivered + dropped = produced"


@pytest.mark.alone
def test_D4_frames_that_nobody_asks_for_are_late(local):
    client, path, _ = local
    name = running(client, video_data_output("data"))
    with SharedVideoDataStream(path, name) as slow, SharedVideoDataStream(path, name) as other:
        before = next(slow)
        newest = take(other, 15)[-1].sequence
        after = next(slow)
        assert after.sequence >= newest
        assert after.dropped == (after.sequence - before.sequence - 1, 0, 0, 0)


READER = """
import sys, time
import firstlight
stream = firstlight.SharedVideoDataStream(sys.argv[1], sys.argv[2], "other", max_leases=16)
held = [next(stream).hold() for _ in range(3)]
print("holding", flush=True)
time.sleep(60)
"""


def test_D4_a_reader_that_dies_gives_everything_back(local):
    client, path, pid = local
    # The output of the readers that die has no queue, because a queue would hold frames of its own.
    name = running(client, video_data_output("data", queue_depth=8), video_data_output("other"))
    with SharedVideoDataStream(path, name, "data") as data:
        take(data, 20)
        before = slabs(pid)
        for _ in range(6):
            reader = subprocess.Popen([sys.executable, "-c", READER, str(path), name], stdout=subprocess.PIPE)
            assert reader.stdout.readline() == b"holding\n"
            reader.kill()
            reader.wait()
            reader.stdout.close()
            frames = take(data, 10)
            assert not any(frame.dropped.out_of_buffers for frame in frames)
        # Eight frames may wait in the queue. The readers that died held 18.
        assert slabs(pid) < before + 14


def test_D2_4k_raw_to_two_readers_stays_within_its_memory(local):
    client, path, pid = local
    wanted = {"pixel_format": "NV12", "size": (3840, 2160), "preview": False, "photo": False}
    name = running(client, video_data_output("data"), **wanted)
    with SharedVideoDataStream(path, name) as one, SharedVideoDataStream(path, name) as two:
        for _ in range(12):
            a, b = next(one), next(two)
            assert a.as_array().shape == b.as_array().shape == (3240, 3840)
            assert timecode(a).sequence == a.sequence
        # The readers map the daemon's memory. There is no copy, so nothing else grows.
        assert shared_kilobytes(pid) < 300 << 10
        assert slabs(pid) * 12.5 < 300


def test_D2_another_users_program_gets_no_frames(local):
    if os.geteuid() != 0:
        pytest.skip("only root can be somebody else")
    client, path, _ = local
    running(client, video_data_output("data"))
    path.parent.chmod(0o755)
    code = "import socket,sys; socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET).connect(sys.argv[1])"
    command = ["/usr/bin/python3", "-c", code, str(path)]
    assert subprocess.run(command, check=False).returncode == 0
    other = subprocess.run(command, check=False, user=65534, group=65534, extra_groups=[], capture_output=True)
    assert b"PermissionError" in other.stderr


@pytest.mark.parametrize(
    ("session", "output", "leases", "code", "reason"),
    [
        ("sessions/none", "", 4, "NOT_FOUND", "SESSION_NOT_FOUND"),
        ("", "", 4, "INVALID_ARGUMENT", None),
        (None, "none", 4, "NOT_FOUND", "OUTPUT_NOT_FOUND"),
        (None, "", 17, "INVALID_ARGUMENT", "INVALID_ARGUMENT"),
    ],
)
def test_D2_what_cannot_be_opened_is_refused_as_elsewhere(local, session, output, leases, code, reason):
    client, path, _ = local
    name = running(client, video_data_output("data"))
    with (
        SharedVideoDataStream(path, name if session is None else session, output, max_leases=leases) as data,
        refused(code, reason),
    ):
        next(data)


def test_D2_a_program_that_talks_nonsense_is_told_so(local):
    client, path, _ = local
    name = running(client, video_data_output("data"))
    for packet, said in (
        (b"\xff\xff", None),
        (b"", None),
        (b"\xa2\x06\x01a", "neither opens, reads nor releases"),
        (shared_pb2.SharedVideoDataRequest(read={"frames": 1}).SerializeToString(), "first packet must open"),
        (shared_pb2.SharedVideoDataRequest(release={"lease": 9}).SerializeToString(), "first packet must open"),
    ):
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as program:
            program.connect(str(path))
            program.send(packet)
            answer = program.recv(65536)
            if packet:
                error = shared_pb2.SharedVideoDataResponse.FromString(answer).error
                assert error.code == 3
                assert said is None or said in error.message
                assert program.recv(65536) == b""
            else:
                assert answer == b"", "an empty packet is the end"
    with SharedVideoDataStream(path, name) as data:
        next(data)


def test_D2_who_releases_what_nobody_lent_is_told_so(local):
    client, path, _ = local
    name = running(client, video_data_output("data"))
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as program:
        program.settimeout(8)
        program.connect(str(path))
        for request in ({"open": {"session": name}}, {"release": {"lease": 9}}):
            program.send(shared_pb2.SharedVideoDataRequest(**request).SerializeToString())
        answers = [
            shared_pb2.SharedVideoDataResponse.FromString(packet) for packet in iter(lambda: program.recv(65536), b"")
        ]
        assert answers[-1].error.code == 3
        assert "no lease 9" in answers[-1].error.message


def test_D2_a_deleted_session_ends_the_stream_with_its_reason(local):
    client, path, _ = local
    name = running(client, video_data_output("data"))
    with SharedVideoDataStream(path, name) as data:
        next(data)
        client.delete_session(name)
        with refused("NOT_FOUND", "SESSION_NOT_FOUND"):
            take(data, 100)


def test_D2_a_program_that_asks_for_nothing_is_told_of_the_end(local):
    client, path, _ = local
    name = running(client, video_data_output("data"))
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as program:
        program.settimeout(8)
        program.connect(str(path))
        opening = shared_pb2.SharedVideoDataOpen(session=name)
        program.send(shared_pb2.SharedVideoDataRequest(open=opening).SerializeToString())
        assert shared_pb2.SharedVideoDataResponse.FromString(program.recv(65536)).HasField("status")
        client.delete_session(name)
        packets = iter(lambda: program.recv(65536), b"")
        answers = [shared_pb2.SharedVideoDataResponse.FromString(packet) for packet in packets]
        assert answers[-1].error.code == 5, "NOT_FOUND"
        assert all(answer.HasField("status") for answer in answers[:-1])


def test_D2_programs_that_say_nothing_do_not_keep_others_out(local):
    client, path, _ = local
    name = running(client, video_data_output("data"))
    with ExitStack() as stack:
        silent = [stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)) for _ in range(64)]
        for program in silent:
            program.connect(str(path))
            program.settimeout(8)
        for program in silent:
            assert shared_pb2.SharedVideoDataResponse.FromString(program.recv(65536)).error.code == 3
            assert program.recv(65536) == b""
        with SharedVideoDataStream(path, name) as data:
            next(data)


def test_D2_without_the_setting_there_is_no_socket_and_no_shared_memory(own_daemon, tmp_path):
    daemon = own_daemon()
    with firstlight.connect(daemon.address, timeout=8) as client:
        name = running(client, video_data_output("data"))
        with client.video_data(name) as data:
            take(data, 5)
        assert slabs(daemon.process.pid) == 0
    assert not list(tmp_path.glob("**/*.sock"))


def test_D2_the_socket_goes_with_the_daemon(own_daemon, tmp_path):
    path = tmp_path / "frames.sock"
    for _ in range(2):
        daemon = own_daemon("--local-socket", str(path))
        assert path.is_socket()
        assert path.stat().st_mode & 0o777 == 0o600
        assert daemon.stop() == 0
        assert not path.exists()
    daemon = own_daemon("--local-socket", str(path))
    daemon.process.kill()
    daemon.process.wait()
    assert path.is_socket(), "left behind"
    own_daemon("--local-socket", str(path))
