"""What prewarming takes from the first start of a real driver's camera: counted in calls of the driver, by strace."""

import re
import signal
import subprocess
import tempfile
from pathlib import Path

import grpc

from client import PATIENCE, Client, next_frame
from conftest import BINARY

# Not the other daemon's, nor one that anything else takes.
ADDRESS = "127.0.0.1:50062"
#: What a driver is asked to find out what a camera is. The first start asks for none of it again.
DISCOVERY = r"VIDIOC_(QUERYCAP|ENUM_FMT|ENUM_FRAMESIZES|ENUM_FRAMEINTERVALS|ENUMINPUT)"


def calls_until_the_first_frame(flag):
    """The driver's ioctls from the moment at which a daemon serves until a client has the first frame."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        trace = Path(folder) / "trace"
        # By seccomp, so that nothing else is slowed down; as a grandchild, so that the process is the daemon.
        command = ["strace", "-D", "-f", "-qq", "--seccomp-bpf", "-o", trace, "-e", "trace=ioctl,write"]
        daemon = [BINARY, "serve", "--listen", ADDRESS, "--data-dir", folder, "--synthetic", "0", flag]
        process = subprocess.Popen([*command, *daemon], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            with grpc.insecure_channel(ADDRESS) as channel:
                grpc.channel_ready_future(channel).result(PATIENCE)
                client = Client(channel)
                with client.open_session(client.cameras()[0].name, start=False) as name:
                    with client.stream_preview(name) as stream:
                        client.start(name)
                        next_frame(stream)
                    # What strace saw until now is what counts: what follows is the end.
                    seen = trace.read_text()
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE)
    begin = re.search(r'write\(1, ".*listening on', seen)
    assert begin, "the daemon does not say that it listens"
    return re.findall(r"ioctl\(\d+, (VIDIOC_\w+)", seen[begin.start() :])


def test_C4_a_prewarmed_daemon_has_looked_at_its_cameras_before_it_serves(client):
    found = {flag: calls_until_the_first_frame(flag) for flag in ("--prewarm", "--no-prewarm")}
    discovery = {flag: [c for c in calls if re.fullmatch(DISCOVERY, c)] for flag, calls in found.items()}
    for flag, calls in found.items():
        print(flag, len(calls), len(discovery[flag]), sorted(set(calls)))
    assert len(discovery["--no-prewarm"]) > len(discovery["--prewarm"])
