"""Small things that the daemon told or did wrongly (F11)."""

from __future__ import annotations

import pathlib
import re

import pytest

import firstlight
from captures import SMALL
from movies import recording_session
from support import SYNTHETIC, wait_until

REPOSITORY = pathlib.Path(__file__).parents[2]


def test_fault_F11_a_recording_whose_file_is_gone_is_not_playable(own_daemon, tmp_path):
    folder = tmp_path / "movies"
    with firstlight.connect(own_daemon("--recordings-dir", str(folder)).address, timeout=20) as client:
        session = recording_session(client, SYNTHETIC[0], **SMALL)
        events = client.start_recording(session, "gone", fragment_seconds=0.2)
        name = next(each for each in events if each.HasField("started")).recording.name
        wait_until(lambda: client.recording(name).playable)
        (folder / "gone.mp4").unlink()
        assert not client.recording(name).playable
        assert [each.playable for each in client.recordings()] == [False]
        assert not client.stop_recording(name).playable
        assert not client.recording(name).playable


def examples() -> list[tuple[str, str]]:
    """The examples in YAML of README.md and the pages that are a configuration file of the daemon: others are files of
    other programs, whose first keys are these.
    """
    others = ("streams:", "cameras:", "paths:", "scrape_configs:")
    found = []
    for page in [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md"))]:
        for block in re.findall(r"^```ya?ml\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE):
            if not block.startswith(others):
                found.append((page.name, block))
    return found


@pytest.mark.parametrize(("page", "text"), examples(), ids=lambda value: value if value.endswith(".md") else "")
def test_fault_F11_every_example_of_the_pages_starts(own_daemon, tmp_path, page, text):
    # The folders of the examples belong to root on a user's machine.
    path = tmp_path / "firstlight.yaml"
    path.write_text(text.replace("/srv/video", str(tmp_path / "video")).replace("20000000000", "0"))
    with firstlight.connect(own_daemon("--config", str(path), "--synthetic-microphones", "1").address) as client:
        assert client.server_info().version
        for name in re.findall(r"^  ([a-z]+):$", text, re.MULTILINE) if text.startswith("sessions:") else []:
            assert client.session(f"sessions/{name}").name == f"sessions/{name}"
