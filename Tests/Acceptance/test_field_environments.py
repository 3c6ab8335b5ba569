"""Environments that are not those of our own machines: proxies, forks, closed standard streams, small encodings."""

import os
import signal
import subprocess
import sys

import pytest

import firstlight
from conftest import sessions
from shell import command_line
from support import SYNTHETIC, TIMEOUT, wait_until

# Nothing listens at port 1, so whatever goes to this proxy fails.
PROXY = "http://127.0.0.1:1"
PROXIES = ("http_proxy", "https_proxy", "grpc_proxy")


def run(program, *arguments, **environment):
    """Runs a Python program with more variables in its environment until it ends."""
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(
        command,
        env={**os.environ, **environment},
        capture_output=True,
        encoding=environment.get("PYTHONIOENCODING"),
        text=True,
        timeout=TIMEOUT,
        check=False,
    )


ASK = """
import sys, firstlight
for address in sys.argv[1:]:
    with firstlight.connect(address, timeout=5) as client:
        print(len(client.devices()))
"""


@pytest.mark.parametrize("variable", PROXIES)
def test_field_B10_no_proxy_lies_before_this_machine(own_daemon, tmp_path, variable):
    socket = tmp_path / "firstlight.sock"
    daemon = own_daemon("--listen", "[::1]:0", "--listen", f"unix:{socket}")
    addresses = [daemon.address, daemon.address.replace("127.0.0.1", "localhost"), f"unix:{socket}"]
    asked = run(ASK, *addresses, **{variable: PROXY})
    assert asked.returncode == 0, asked.stderr
    assert asked.stdout.split() == ["2"] * len(addresses)


def test_field_B10_a_proxy_of_the_environment_lies_before_other_machines(daemon):
    # 192.0.2.0/24 is no network at all, and the proxy answers faster than that.
    asked = run(ASK, "192.0.2.1:50051", http_proxy=PROXY)
    assert "127.0.0.1:1: Failed to connect" in asked.stderr


def test_field_B10_the_command_line_goes_past_a_proxy(daemon):
    _, _, program, *arguments = command_line(daemon.address, "devices")
    assert run(program, *arguments, **dict.fromkeys(PROXIES, PROXY)).returncode == 0


def test_field_B10_the_command_line_works_without_standard_streams(daemon, tmp_path):
    file = tmp_path / "photo.jpg"
    command = command_line(daemon.address, "photo", str(file), "--device", SYNTHETIC[1])
    shell = ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *command]
    assert subprocess.run(shell, timeout=TIMEOUT, check=False).returncode == 0
    assert file.read_bytes().startswith(b"\xff\xd8")


def test_field_B10_an_error_stays_out_of_the_output_when_there_is_no_error_output():
    shell = ["sh", "-c", 'exec "$@" 2>&-', "sh", *command_line("127.0.0.1:1", "devices")]
    failed = subprocess.run(shell, stdout=subprocess.PIPE, timeout=TIMEOUT, check=False)
    assert (failed.returncode, failed.stdout) == (1, b"")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_field_B10_names_are_printed_in_every_encoding(own_daemon, tmp_path, encoding):
    daemon = own_daemon("--recordings-dir", str(tmp_path / "movies"))
    _, _, program, *arguments = command_line(daemon.address, "record", "Tür カメラ.mp4", "--seconds", "0.2")
    recorded = run(program, *arguments, PYTHONIOENCODING=encoding)
    assert recorded.returncode == 0, recorded.stderr
    _, _, program, *arguments = command_line(daemon.address, "recordings")
    listed = run(program, *arguments, PYTHONIOENCODING=encoding, PYTHONUTF8="0")
    assert listed.returncode == 0, listed.stderr
    assert ".mp4" in listed.stdout


FORK = """
import multiprocessing, os, signal, sys, firstlight
what, address, session = sys.argv[1:]
client = firstlight.connect(address, timeout=5)
stream = client.preview(session, max_size=(320, 180))
next(stream)

def child():
    signal.alarm(6)  # ends a child that hangs
    global client, stream
    try:
        if what == "call":
            client.devices()
        elif what == "stub":
            from firstlight.v1 import device_service_pb2, device_service_pb2_grpc
            stub = device_service_pb2_grpc.DeviceServiceStub(client.channel)
            stub.ListDevices(device_service_pb2.ListDevicesRequest())
        elif what == "new stream":
            next(client.preview(session))
        elif what == "iteration":
            while True:
                next(stream)
        elif what == "connection":
            with firstlight.connect(address, timeout=5) as own, own.preview(session, max_size=(320, 180)) as frames:
                next(frames)
        elif what == "close":
            stream.close()
            client.close()
        elif what == "garbage":
            client = stream = None
    except firstlight.FirstlightError as error:
        print(error, flush=True)
    else:
        print("done", flush=True)

if what == "exit":
    process = os.fork()
    if process == 0:
        signal.alarm(6)
        print("done", flush=True)
        sys.exit()
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
else:
    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    process.join()
    status = process.exitcode
for _ in range(20):
    next(stream)  # the parent goes on
client.devices()
print(status)
"""


def fork(what, daemon, session):
    """What a child that uses its parent's client prints, after both have ended well."""
    done = run(FORK, what, daemon.address, session)
    assert done.returncode == 0, done.stderr
    told, status = done.stdout.splitlines()
    assert status == "0"
    return told


@pytest.mark.parametrize("what", ["call", "stub", "new stream", "iteration"])
def test_field_B20_a_forked_child_is_told_that_it_cannot_use_the_client(daemon, running, what):
    told = fork(what, daemon, running())
    assert told.startswith("FAILED_PRECONDITION: process ")
    assert "forked" in told
    assert "spawn" in told


@pytest.mark.parametrize("what", ["close", "garbage", "exit"])
def test_field_B20_a_forked_child_ends_without_harm_to_its_parent(daemon, running, what):
    assert fork(what, daemon, running()) == "done"


def test_field_B20_a_forked_child_connects_or_is_told_that_it_cannot(daemon, running):
    told = fork("connection", daemon, running())
    assert told == "done" or told.startswith("FAILED_PRECONDITION: process ")


METHODS = """
import multiprocessing, sys, firstlight

def look(address, session):
    with firstlight.connect(address, timeout=5) as client, client.preview(session, max_size=(320, 180)) as frames:
        next(frames)

if __name__ == "__main__":
    method, address, session = sys.argv[1:]
    if method != "fork":  # the parent has a stream, which only forks mind
        client = firstlight.connect(address, timeout=5)
        stream = client.preview(session, max_size=(320, 180))
        next(stream)
    process = multiprocessing.get_context(method).Process(target=look, args=(address, session))
    process.start()
    process.join()
    print(process.exitcode)
"""


@pytest.mark.parametrize("method", ["spawn", "forkserver", "fork"])
def test_field_B20_what_the_error_advises_works(daemon, running, tmp_path, method):
    program = tmp_path / "program.py"
    program.write_text(METHODS)
    command = [sys.executable, str(program), method, daemon.address, running()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    assert done.stdout == "0\n", done.stderr


SHARED = """
import os, signal, sys, firstlight
path, session = sys.argv[1:]
frames = firstlight.SharedVideoDataStream(path, session, "analysis")
frame = next(frames)
seen = frame.as_array().sum()
process = os.fork()
if process == 0:
    signal.alarm(6)
    assert frame.as_array().sum() == seen
    for use in (lambda: next(frames), frame.release):
        try:
            use()
        except firstlight.FirstlightError as error:
            print(error.code.name, flush=True)
    frames.close()
    sys.exit()
assert os.waitpid(process, 0)[1] == 0
numbers = [next(frames).sequence for _ in range(5)]
assert numbers == sorted(numbers)
"""


def test_field_B20_a_forked_child_takes_no_shared_frames_from_its_parent(own_daemon, tmp_path):
    socket = tmp_path / "frames.sock"
    daemon = own_daemon("--local-socket", str(socket))
    with firstlight.connect(daemon.address, timeout=TIMEOUT) as client:
        data = firstlight.video_data_output("analysis")
        wanted = firstlight.configuration(SYNTHETIC[0], pixel_format="NV12", size=(320, 180), video_data=[data])
        session = client.create_session(configuration=wanted, start=True).name
        done = run(SHARED, str(socket), session)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["FAILED_PRECONDITION"] * 2


ORPHAN = """
import os, signal, sys, firstlight
frames = firstlight.SharedVideoDataStream(sys.argv[1], sys.argv[2], "analysis")
next(frames)
process = os.fork()
if process == 0:
    # The test kills this process, and the alarm does so where the test cannot.
    signal.alarm(60)
    signal.pause()
print(process, flush=True)
while True:
    next(frames)
"""


def test_field_B20_a_forked_child_does_not_hold_the_camera_of_a_killed_program(own_daemon, tmp_path):
    socket = tmp_path / "frames.sock"
    daemon = own_daemon("--local-socket", str(socket))
    with firstlight.connect(daemon.address, timeout=TIMEOUT) as client:
        data = firstlight.video_data_output("analysis")
        wanted = firstlight.configuration(SYNTHETIC[0], video_data=[data])
        name = client.create_session(idle_timeout=1, configuration=wanted, start=True).name
        program = [sys.executable, "-c", ORPHAN, str(socket), name]
        with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as parent:
            child = int(parent.stdout.readline())
            parent.kill()
        try:
            wait_until(lambda: name not in [session.name for session in sessions(client)])
        finally:
            os.kill(child, signal.SIGKILL)
