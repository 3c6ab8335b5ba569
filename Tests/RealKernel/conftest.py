"""The daemon against real drivers, in the guest of scripts/vm/run: vivid is two cameras, a thermal zone can be heated,
and USB webcams can be plugged in, which do what they are told (see webcam.py).

Started by scripts/vm-test. FIRSTLIGHTD is the daemon's binary, default .build/release/firstlightd.
"""

import os
import signal
import subprocess
import tempfile
from pathlib import Path

import grpc
import pytest

import firstlight
from client import PATIENCE, Client, guest

REPOSITORY = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("FIRSTLIGHTD", REPOSITORY / ".build/release/firstlightd"))
ADDRESS = "127.0.0.1:50051"
DRIVER = Path("/sys/bus/platform/drivers/vivid")

# The fixtures `webcam` and `webcams`.
pytest_plugins = ["webcam"]


def pytest_sessionstart(session):
    """Refuses to run anywhere else."""
    if not DRIVER.exists():
        pytest.exit("these tests take cameras away and heat the machine: run scripts/vm-test", returncode=2)


@pytest.fixture(scope="session")
def process():
    """The daemon's process. It runs through all tests, as it does in real life, and must end cleanly."""
    with tempfile.TemporaryDirectory() as folder, open(Path(folder) / "log", "w+") as log:
        process = subprocess.Popen(
            [BINARY, "serve", "--listen", ADDRESS, "--data-dir", folder, "--synthetic", "0"],
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                status = process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                status = "none within the time"
            log.seek(0)
            print("--- the daemon's log\n" + log.read())
        assert status == 0, f"the daemon's exit status is {status}"


@pytest.fixture(scope="session")
def client(process):
    """A client of the daemon, connected."""
    with grpc.insecure_channel(ADDRESS) as channel:
        grpc.channel_ready_future(channel).result(PATIENCE)
        yield Client(channel)


@pytest.fixture(scope="session")
def sdk(client):
    """The daemon by the Python package, for tests that need more of the contract than of its messages."""
    with firstlight.connect(ADDRESS, timeout=PATIENCE) as connected:
        yield connected


@pytest.fixture(autouse=True)
def everything_is_back():
    """Leaves both cameras connected and the machine cool, whatever a test did."""
    yield
    if not (DRIVER / "vivid.0").exists():
        guest("camera", "bind")
    guest("heat", "42")


def pytest_unconfigure(config):
    """Says the result in the last line, with the failures even when there are none."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None:
        passed = len(reporter.stats.get("passed", []))
        failed = len(reporter.stats.get("failed", [])) + len(reporter.stats.get("error", []))
        print(f"{passed} passed, {failed} failed")
