"""`buf breaking` against proto/contract.binpb, which `make lint` runs, refuses changes that would break a client."""

import pathlib
import shutil
import subprocess
import sys

import pytest

from contract import REPOSITORY

BUF = pathlib.Path(sys.executable).with_name("buf")


@pytest.fixture
def copy(tmp_path):
    """A copy of the contract and of its settings, which the test may change."""
    shutil.copytree(REPOSITORY / "proto", tmp_path / "proto")
    shutil.copy(REPOSITORY / "buf.yaml", tmp_path)
    return tmp_path


def verdict(folder: pathlib.Path) -> tuple[int, str]:
    run = subprocess.run(
        [BUF, "breaking", "--against", "proto/contract.binpb"], cwd=folder, capture_output=True, text=True, timeout=30
    )
    return run.returncode, run.stdout + run.stderr


def change(folder: pathlib.Path, file: str, old: str, new: str) -> None:
    path = folder / "proto/firstlight" / file
    text = path.read_text()
    assert text.count(old) == 1, f"{old!r} is not in {file} once"
    path.write_text(text.replace(old, new))


def test_the_contract_is_the_one_promised(copy):
    assert verdict(copy) == (0, "")


def test_what_is_added_breaks_nobody(copy):
    change(copy, "v1/types.proto", "  uint32 height = 2;\n", "  uint32 height = 2;\n  uint32 depth = 3;\n")
    assert verdict(copy) == (0, "")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  uint64 omitted = 14;", "  uint64 left_out = 14;"),
        ("  uint64 omitted = 14;", "  uint32 omitted = 14;"),
        ("  uint64 omitted = 14;", "  uint64 omitted = 44;"),
        ("  uint64 omitted = 14;", ""),
        ("  rpc AcknowledgeFrames(AcknowledgeFramesRequest) returns (AcknowledgeFramesResponse);", ""),
        ("  PREVIEW_GRAVITY_RESIZE_ASPECT_FILL = 3;", ""),
    ],
    ids=["renamed", "retyped", "renumbered", "field gone", "RPC gone", "value gone"],
)
def test_what_would_break_clients_is_refused(copy, old, new):
    change(copy, "v1/preview_service.proto", old, new)
    code, said = verdict(copy)
    assert code != 0
    assert "preview_service.proto" in said


def test_faults_and_drills_may_change(copy):
    change(copy, "drill/v1/fault_injection_service.proto", "  UnplugFault unplug = 2;", "  UnplugFault unplug = 22;")
    assert verdict(copy) == (0, "")
