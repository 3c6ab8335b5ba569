"""Runs the daemon against real drivers in the guest of scripts/vm/run. vivid provides two cameras, the tests can heat a
thermal zone, and they can plug in USB webcams that obey commands (see webcam.py).

scripts/vm-test starts these tests. On any other machine only those with the marker `bare` run, with the preloaded
cameras of machine.py. FIRSTLIGHTD is the daemon's binary, by default .build/release/firstlightd.
"""

import os
import re
import signal
import subprocess
import tempfile
from pathlib import Path

import grpc
import pytest

import firstlight
from client import PATIENCE, Client, guest
from machine import BINARY, DRIVER, FOLDER, IS_GUEST, address, environment, measured

ADDRESS = address(50051)
LOG = FOLDER / "firstlightd.log"
# Only the daemon of most tests serves HTTP.
os.environ["FIRSTLIGHT_HTTP_LISTEN"] = "none"
ZONE = Path("/sys/class/thermal/thermal_zone0/temp")
COOL = 42

# The plugin provides the fixtures `webcam` and `webcams`.
pytest_plugins = ["webcam"]


def pytest_collection_modifyitems(config, items):
    """Leaves out, outside of the guest, what needs it: tests that take cameras away and heat the machine."""
    if not IS_GUEST:
        config.hook.pytest_deselected(items=[item for item in items if not item.get_closest_marker("bare")])
        items[:] = [item for item in items if item.get_closest_marker("bare")]


@pytest.fixture(scope="session")
def process():
    """The process of the daemon. It runs through all tests, as in real life, and must end with exit status 0."""
    flags = ["--listen", ADDRESS, "--http-listen", "127.0.0.1:0", "--synthetic", "0"]
    with tempfile.TemporaryDirectory() as folder, LOG.open("w+") as log:
        process = subprocess.Popen(
            # Outside of the guest other tests keep the machine busy. A daemon that has begun to measure a busy machine
            # ends late.
            [BINARY, "serve", *flags, "--data-dir", folder, *([] if IS_GUEST else measured(Path(folder)))],
            stdout=log,
            stderr=subprocess.STDOUT,
            env=environment(),
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
    """A client that is connected to the daemon."""
    with grpc.insecure_channel(ADDRESS) as channel:
        grpc.channel_ready_future(channel).result(PATIENCE)
        yield Client(channel)


@pytest.fixture(scope="session")
def http_address(client):
    """Where the daemon serves HTTP."""
    return re.search(r"http at http://([\d.:]+)", LOG.read_text()).group(1)


@pytest.fixture(scope="session")
def sdk(client):
    """A client of the Python package, for tests that need more than the messages of the contract."""
    with firstlight.connect(ADDRESS, timeout=PATIENCE) as connected:
        yield connected


@pytest.fixture(autouse=True)
def everything_is_back():
    """Connects both cameras again and cools the machine after each test."""
    yield
    if not IS_GUEST:
        return
    if not (DRIVER / "vivid.0").exists():
        guest("camera", "bind")
    # The program waits until the kernel has the temperature, which takes an emulated machine a second.
    if ZONE.read_text() != f"{COOL}000\n":
        guest("heat", str(COOL))


def pytest_unconfigure(config):
    """Prints the numbers of passed and failed tests as the last line, both also when they are 0."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None:
        passed = len(reporter.stats.get("passed", []))
        failed = len(reporter.stats.get("failed", [])) + len(reporter.stats.get("error", []))
        print(f"{passed} passed, {failed} failed")
