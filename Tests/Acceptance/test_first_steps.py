"""The mistakes of a first set-up: a data folder that cannot be written, a configuration file that does not exist, the
usual port of HTTP in use.
"""

import contextlib
import os
import socket
import subprocess

import pytest

import firstlight
from firstlight.daemon import Daemon
from support import SYNTHETIC, TIMEOUT


def devices_of(binary, tmp_path, data, *flags):
    """Starts a daemon with a data folder, and returns the names of its cameras and its log."""
    log = tmp_path / "log"
    with (
        Daemon(binary, "--synthetic", "1", "--data-dir", str(data), *flags, log=log) as daemon,
        firstlight.connect(daemon.address, timeout=8) as client,
    ):
        client.configure(client.create_session().name, firstlight.configuration(SYNTHETIC[0]))
        names = [device.name for device in client.devices()]
    return names, log.read_text()


def warnings_about(folder, log):
    return [line for line in log.splitlines() if str(folder) in line and "listening" not in line]


def assert_plain(text):
    for noise in ("NSError", "NSCocoa", "Error Domain", "UserInfo", "NSFilePath", "errno", "Foundation."):
        assert noise not in text


@pytest.mark.parametrize("below", ["", "data"])
def test_C2_a_data_folder_that_cannot_be_written_is_one_plain_warning(binary, tmp_path, below):
    file = tmp_path / "file"
    file.write_text("not a folder")
    folder = file / below
    names, log = devices_of(binary, tmp_path, folder)
    assert names == ["devices/synthetic-0"], "everything works, for this run"
    (warning,) = warnings_about(file, log)
    assert "warning" in warning
    assert f"The data folder {folder} cannot be written (Not a directory)" in warning
    assert "data-dir" in warning
    assert_plain(log)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become another user")
def test_C2_the_warning_names_the_command_that_mends_it(binary):
    user = 65534
    # The folder is not one of pytest's, because other users cannot enter a folder of pytest's and would get another
    # error.
    serve = [binary, "serve", "--listen", "127.0.0.1:0", "--synthetic", "1", "--data-dir", "/etc"]
    process = subprocess.Popen(
        ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *serve],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        line = process.stdout.readline()
        assert "listening on" in line
    finally:
        process.terminate()
        _, log = process.communicate(timeout=TIMEOUT)
    (warning,) = warnings_about("/etc", log)
    assert "Permission denied" in warning
    assert f"sudo install -d -o {user} /etc" in warning


def test_C2_a_data_folder_that_is_not_there_is_made(binary, tmp_path):
    folder = tmp_path / "new" / "data"
    _, log = devices_of(binary, tmp_path, folder)
    assert folder.is_dir()
    assert not warnings_about(folder, log)


@pytest.mark.parametrize("command", ["serve", "devices"])
def test_C2_a_configuration_file_that_is_not_there_is_one_plain_error(binary, tmp_path, command):
    path = tmp_path / "firstlight.yaml"
    ended = subprocess.run(
        [binary, command, "--config", path], capture_output=True, text=True, timeout=TIMEOUT, check=False
    )
    assert ended.returncode not in (0, -6, -11)
    assert f"Error: There is no configuration file {path}; " in ended.stderr
    assert ended.stderr.count(str(path)) == 1
    assert_plain(ended.stderr)


USUAL_HTTP = ("127.0.0.1", 8080)


@pytest.fixture
def usual_port_in_use():
    """The usual port of HTTP is in use while the test runs: by the test, or by whatever program has it already."""
    with socket.socket() as listener:
        # Connections of earlier tests may not be forgotten yet.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with contextlib.suppress(OSError):
            listener.bind(USUAL_HTTP)
            listener.listen()
        yield


@pytest.fixture
def unset_http(monkeypatch):
    """Daemons get no setting of HTTP, as those of an operator who knows nothing of it."""
    monkeypatch.delenv("FIRSTLIGHT_HTTP_LISTEN")


def serving(binary, tmp_path, *flags):
    """The command line of a daemon with one synthetic camera and the usual address of HTTP, unless flags say more."""
    always = ("--listen", "127.0.0.1:0", "--synthetic", "1", "--data-dir", str(tmp_path / "data"))
    return [str(binary), "serve", *always, *flags]


@pytest.mark.usefixtures("usual_port_in_use", "unset_http")
def test_a_usual_port_that_is_in_use_is_one_plain_warning(binary, tmp_path):
    log = tmp_path / "log"
    with (
        log.open("w") as errors,
        subprocess.Popen(serving(binary, tmp_path), stdout=subprocess.PIPE, stderr=errors, text=True) as process,
    ):
        try:
            line = next(line for line in process.stdout if "listening on" in line or "http at" in line)
            with firstlight.connect(line.split("listening on ")[1].strip(), timeout=TIMEOUT) as client:
                assert [device.name for device in client.devices()] == [SYNTHETIC[0]], "gRPC works as ever"
        finally:
            process.terminate()
            assert process.wait(TIMEOUT) == 0
    (warning,) = (line for line in log.read_text().splitlines() if "8080" in line)
    assert " warning " in warning
    assert "cannot listen at 127.0.0.1:8080" in warning
    assert warning.endswith("The daemon goes on without HTTP; set http-listen to another address, or to none.")


@pytest.mark.usefixtures("usual_port_in_use", "unset_http")
def test_a_port_that_the_operator_chose_must_be_free(binary, tmp_path):
    chosen = ":".join(map(str, USUAL_HTTP))
    ended = subprocess.run(
        serving(binary, tmp_path, "--http-listen", chosen), capture_output=True, text=True, timeout=TIMEOUT, check=False
    )
    assert ended.returncode not in (0, -6, -11), ended
    assert f"cannot listen at {chosen}" in ended.stderr
    assert "goes on" not in ended.stderr
