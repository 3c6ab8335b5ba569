"""systemd ends a daemon that stands still, and starts it again with its recording."""

import contextlib
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import grpc
import pytest
from google.protobuf import duration_pb2

from firstlight.drill.v1 import task_pool_drill_service_pb2 as drill_pb2, task_pool_drill_service_pb2_grpc as drill_grpc
from firstlight.v1 import recording_service_pb2 as recordings_pb2, recording_service_pb2_grpc as recordings_grpc
from machine import BINARY, REPOSITORY

ADDRESS = "127.0.0.1:50067"
CONFIGURATION = """
synthetic: 1
enable-fault-injection: true
sessions:
  door:
    inputs:
      - device: devices/synthetic-0
        format: {pixel_format: NV12, width: 320, height: 180}
        frame_rate_override: {numerator: 30, denominator: 1}
    preview: {}
    record: {segment-duration: 2, max-age: 600}
"""
#: The unit of deploy/, without what a manager lacks that starts nothing else, and without its user.
DROP_IN = f"""
[Unit]
DefaultDependencies=no
After=

[Service]
User=
SupplementaryGroups=
StateDirectory=
RuntimeDirectory=
ExecStart=
ExecStart={BINARY} serve --config /run/watchdog/firstlight.yaml --listen {ADDRESS} --data-dir /run/watchdog/data
StandardError=append:/run/watchdog/log
WatchdogSec=14
ProtectKernelTunables=no
ProtectProc=default
ProtectSystem=no
ProtectHome=no
PrivateTmp=no
ProtectControlGroups=no
ProtectHostname=no
ProtectClock=no
ProtectKernelLogs=no
ProtectKernelModules=no
DevicePolicy=auto
"""
FOLDER = Path("/run/watchdog")
PATIENCE = 120


@pytest.fixture
def systemd():
    """A manager of its own, the first process of a namespace, that runs the daemon's unit and nothing else."""
    units = FOLDER / "units"
    (units / "firstlightd.service.d").mkdir(parents=True)
    shutil.copy(REPOSITORY / "deploy/firstlightd.service", units)
    (units / "firstlightd.service.d/test.conf").write_text(DROP_IN)
    (FOLDER / "firstlight.yaml").write_text(CONFIGURATION)
    if not Path("/sys/fs/cgroup/cgroup.controllers").exists():
        subprocess.run(["mount", "-t", "cgroup2", "cgroup2", "/sys/fs/cgroup"], check=True)
    command = ["unshare", "--pid", "--fork", "--mount-proc", "--mount", "--kill-child"]
    manager = [*command, "/lib/systemd/systemd", "--system", "--unit=firstlightd.service", "--log-target=console"]
    # The variable tells systemd that the machine is not its own.
    environment = {**os.environ, "container": "other", "SYSTEMD_UNIT_PATH": str(units)}
    with (FOLDER / "manager").open("w") as output:
        process = subprocess.Popen(manager, env=environment, stdout=output, stderr=subprocess.STDOUT)
        try:
            yield process
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
            for name in ("manager", "log"):
                with contextlib.suppress(FileNotFoundError):
                    print(f"--- {name}\n" + (FOLDER / name).read_text()[-20_000:])


def recordings(channel) -> list[str]:
    """The names of the recordings, the newest first."""
    answer = recordings_grpc.RecordingServiceStub(channel).ListRecordings(
        recordings_pb2.ListRecordingsRequest(), timeout=PATIENCE, wait_for_ready=True
    )
    return [recording.name for recording in answer.recordings]


def until_logged(line: str, count: int) -> None:
    """Waits until the daemons have logged a line so often."""
    end = time.monotonic() + PATIENCE
    while (FOLDER / "log").read_text().count(line) < count:
        assert time.monotonic() < end, line
        time.sleep(0.5)


def until_recorded(channel, before: list[str]) -> list[str]:
    """Waits for a recording that is not among `before`."""
    end = time.monotonic() + PATIENCE
    while not (new := set(found := recordings(channel)) - set(before)):
        assert time.monotonic() < end, found
        time.sleep(0.5)
    assert new
    return found


@pytest.mark.timeout(400)
def test_fault_F1_systemd_ends_a_daemon_that_stands_still_and_recording_goes_on(systemd):
    with grpc.insecure_channel(ADDRESS) as channel:
        before = until_recorded(channel, [])
        drill_grpc.TaskPoolDrillServiceStub(channel).BlockTaskPool(
            drill_pb2.BlockTaskPoolRequest(duration=duration_pb2.Duration(seconds=300)), timeout=PATIENCE
        )
        # The daemon itself does not end where a manager watches it. So systemd has ended the one that stood still.
        until_logged("The daemon stands still", 1)
        until_logged("The gRPC server listens.", 2)
    with grpc.insecure_channel(ADDRESS) as channel:
        after = until_recorded(channel, before)
    # What the first daemon had recorded is still there.
    assert set(before) <= set(after)
    assert "libc.so.6+0x" in (FOLDER / "log").read_text()
