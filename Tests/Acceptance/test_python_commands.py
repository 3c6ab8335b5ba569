"""The commands of the Python package, as a user types them."""

import functools
import json
import re
import subprocess
import sys

import pytest
from PIL import Image

import shell
from support import SYNTHETIC, TIMEOUT


@pytest.fixture
def firstlight(daemon):
    """Runs `firstlight` against the shared daemon."""

    return functools.partial(shell.run, daemon.address)


def test_devices_are_listed(firstlight):
    listed = firstlight("devices")
    assert listed.returncode == 0, listed.stderr
    for device in SYNTHETIC:
        assert device in listed.stdout


def test_controls_are_listed_set_and_refused(firstlight):
    listed = firstlight("controls", "--device", SYNTHETIC[0])
    assert listed.returncode == 0, listed.stderr
    assert "brightness = 0  [integer, -100 to 100 in steps of 1]" in listed.stdout
    assert "gain = 100  [integer, 100 to 800 in steps of 1] (inactive)" in listed.stdout
    was_set = firstlight("controls", "--device", SYNTHETIC[0], "brightness=0x10", "auto_exposure=Manual Mode")
    assert was_set.stdout.splitlines() == [
        "brightness = 16  [integer, -100 to 100 in steps of 1]",
        "auto_exposure = 1  [menu, 0: Auto Mode, 1: Manual Mode]",
    ]
    refused = firstlight("controls", "--device", SYNTHETIC[0], "brightness=101", "reset_controls=")
    assert refused.returncode == 1
    assert refused.stderr.startswith("firstlight: INVALID_ARGUMENT UNSUPPORTED_VALUE")
    assert "brightness = 0" in refused.stdout, "the button was pressed all the same"


def test_a_photo_is_written_and_its_session_is_gone(firstlight, tmp_path):
    file = tmp_path / "photo.jpg"
    taken = firstlight("photo", str(file), "--device", SYNTHETIC[1])
    assert taken.returncode == 0, taken.stderr
    assert Image.open(file).size == (1920, 1080)
    again = firstlight("photo", str(file), "--device", SYNTHETIC[1])
    assert again.returncode == 0, "the first one must not hold the camera"


def test_D7_watching_ends_with_the_cadence(firstlight):
    watched = firstlight("watch", "--seconds", "2", "--device", SYNTHETIC[1])
    assert watched.returncode == 0, watched.stderr
    *seconds, summary = watched.stdout.splitlines()
    assert seconds
    assert all("fps" in line and "quality 80" in line for line in seconds)
    frames = int(summary.split()[0])
    assert 20 < frames < 80, "for two seconds, at 30 a second"
    assert re.fullmatch(r"\d+ frames, interval p50 [\d.]+ p95 [\d.]+ p99 [\d.]+ ms, jitter [\d.]+ ms, lost .+", summary)


def test_an_error_is_one_line(firstlight):
    failed = firstlight("photo", "/dev/null", "--device", "devices/nowhere")
    assert failed.returncode == 1
    assert failed.stderr.startswith("firstlight: NOT_FOUND DEVICE_NOT_FOUND")
    assert len(failed.stderr.splitlines()) == 1


def test_the_demo_proves_itself(binary, tmp_path):
    command = [sys.executable, "-m", "firstlight.demo", "--daemon", str(binary), "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=2 * TIMEOUT, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads((tmp_path / "demo.json").read_text())
    told = {row["what"] for row in rows}
    assert {"first preview frame", "did_run_deferred_start", "pixels checked", "system pressure"} <= told
    assert Image.open(tmp_path / "photo.jpg").size == Image.open(tmp_path / "first-frame.jpg").size
    assert Image.open(tmp_path / "composition.jpg").size == (1280, 720)
    shown = [row["detail"] for row in rows if row["what"] == "the composition shows"]
    assert [re.match(r"frame \d+ of (\w+), ", each)[1] for each in shown] == ["wide", "close"]
