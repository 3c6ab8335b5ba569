import os
import pathlib
import re
import subprocess

import pytest

import firstlight
from conftest import REPOSITORY
from firstlight.daemon import Daemon
from support import TIMEOUT


@pytest.fixture
def run(binary):
    """Runs a command of the daemon's binary until it ends."""

    def command(*arguments, **environment):
        return subprocess.run(
            [str(binary), *arguments],
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
            env={**os.environ, **environment},
        )

    return command


def test_the_version_is_the_repositorys(run, client):
    source = (REPOSITORY / "Sources/Daemon/firstlightd/Firstlightd.swift").read_text()
    (version,) = re.findall(r'static let version = "(.+)"', source)
    assert run("version").stdout == f"firstlightd {version}\n"
    assert client.server_info().version == version


def test_healthcheck_tells_by_its_exit_code(run, daemon, tmp_path):
    assert run("healthcheck", "--address", daemon.address).returncode == 0
    absent = run("healthcheck", "--address", f"unix:{tmp_path}/nobody", "--timeout", "1")
    assert absent.returncode == 1
    assert "not serving" in absent.stdout


def test_healthcheck_goes_past_a_proxy(run, daemon):
    assert run("healthcheck", "--address", daemon.address, http_proxy="http://127.0.0.1:1").returncode == 0


def test_devices_needs_no_daemon(run):
    listed = run("devices")
    assert listed.returncode == 0
    # Some /dev/video* nodes are no cameras, so only a machine without such nodes certainly has no camera.
    if not list(pathlib.Path("/dev").glob("video*")):
        assert listed.stdout.startswith("No camera found.")


@pytest.mark.parametrize(
    ("arguments", "environment", "named"),
    [
        (("serve", "--synthetic", "many"), {}, "synthetic"),
        (("serve", "--log-level", "loud"), {}, "log-level"),
        (("serve",), {"FIRSTLIGHT_SYNTHETIC": "99"}, "synthetic"),
    ],
)
def test_what_cannot_be_used_is_named(run, arguments, environment, named):
    refused = run(*arguments, **environment)
    assert refused.returncode not in (0, -6, -11), refused
    assert named in refused.stderr


def test_it_listens_on_a_unix_socket_too(binary, tmp_path):
    socket = tmp_path / "socket"
    flags = ("--listen", f"unix:{socket}", "--synthetic", "1", "--data-dir", str(tmp_path))
    with (
        Daemon(binary, *flags, log=tmp_path / "log"),
        firstlight.connect(f"unix:{socket}", timeout=8) as client,
    ):
        assert len(client.devices()) >= 1
