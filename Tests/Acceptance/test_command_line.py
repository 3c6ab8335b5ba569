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


@pytest.fixture
def configured(binary, tmp_path, monkeypatch):
    """Starts a daemon with a configuration file and an environment, and counts its synthetic cameras."""

    def cameras(*flags, file="", **environment):
        path = tmp_path / "firstlight.yaml"
        path.write_text(f"data-dir: {tmp_path}\n{file}")
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        with (
            Daemon(binary, "--config", str(path), *flags, log=tmp_path / "log") as daemon,
            firstlight.connect(daemon.address, timeout=8) as client,
        ):
            return sum(device.driver == "synthetic" for device in client.devices())

    return cameras


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
        (("serve", "--no-such-flag"), {}, "no-such-flag"),
        (("serve", "--synthetic", "-1"), {}, "synthetic"),
        (("serve", "--synthetic", "many"), {}, "synthetic"),
        (("serve", "--log-level", "loud"), {}, "log-level"),
        (("serve", "--pressure-thresholds", "cpu-thermal=80/70"), {}, "cpu-thermal=80/70"),
        (("serve", "--config", "/nowhere/firstlight.yaml"), {}, "/nowhere/firstlight.yaml"),
        (("serve",), {"FIRSTLIGHT_SYNTHETIC": "99"}, "synthetic"),
    ],
)
def test_what_cannot_be_used_is_named(run, arguments, environment, named):
    refused = run(*arguments, **environment)
    assert refused.returncode not in (0, -6, -11), refused
    assert named in refused.stderr


def test_a_flag_wins_over_a_variable_and_a_variable_over_the_file(configured):
    assert configured(file="synthetic: 1\n") == 1
    assert configured(file="synthetic: 1\n", FIRSTLIGHT_SYNTHETIC="2") == 2
    assert configured("--synthetic", "3", file="synthetic: 1\n", FIRSTLIGHT_SYNTHETIC="2") == 3


@pytest.mark.parametrize("value", ["{a: 1}", "[{a: 1}]", "[[127.0.0.1:0]]"])
def test_a_setting_that_lies_deeper_than_it_is_looked_for_is_refused(binary, tmp_path, value):
    path = tmp_path / "firstlight.yaml"
    path.write_text(f"listen: {value}\n")
    ended = subprocess.run([binary, "serve", "--config", path], capture_output=True, text=True, timeout=20, check=False)
    assert ended.returncode != 0
    assert "listen in " in ended.stderr
    assert "plain value" in ended.stderr


def test_it_listens_on_a_unix_socket_too(binary, tmp_path):
    socket = tmp_path / "socket"
    flags = ("--listen", f"unix:{socket}", "--synthetic", "1", "--data-dir", str(tmp_path))
    with (
        Daemon(binary, *flags, log=tmp_path / "log"),
        firstlight.connect(f"unix:{socket}", timeout=8) as client,
    ):
        assert len(client.devices()) >= 1
