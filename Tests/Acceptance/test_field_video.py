"""What people report of the live video of other camera servers must not happen here. The ids in the names are those of
`docs/field-log.md`.
"""

import contextlib
import pathlib
import re
import subprocess
import time
from collections.abc import Iterator

import pytest

import firstlight
from firstlight import Encoding
from http_rpc import HTTPEndpoint
from support import SYNTHETIC, take

HEADERS = re.compile(r"(time_scale|num_units_in_tick|fixed_frame_rate_flag) +[01]+ = (\d+)")


@pytest.fixture
def served(own_daemon, tmp_path) -> Iterator[tuple[HTTPEndpoint, firstlight.Client]]:
    """A daemon whose only session is `front`: the HTTP endpoint and a client."""
    (tmp_path / "firstlight.yaml").write_text("sessions: {}\n")
    daemon = own_daemon("--http-listen", "127.0.0.1:0", "--config", str(tmp_path / "firstlight.yaml"))
    with firstlight.connect(daemon.address, timeout=8) as client:
        client.create_session("front")
        yield HTTPEndpoint.of(tmp_path / "firstlightd.log"), client


def set_rate(client: firstlight.Client, rate: int) -> None:
    camera = firstlight.configuration(SYNTHETIC[0], pixel_format="NV12", size=(320, 180), frame_rate=rate)
    client.configure("sessions/front", camera)


def store(endpoint: HTTPEndpoint, query: str, file: pathlib.Path, seconds: float) -> None:
    """Writes what comes of `/stream.ts` in this time into a file."""
    with contextlib.closing(endpoint.connection()) as connection, file.open("wb") as target:
        connection.request("GET", f"/stream.ts?{query}")
        with connection.getresponse() as response:
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                target.write(response.read1())


def run(*command: str, folder: pathlib.Path) -> subprocess.CompletedProcess:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, timeout=30)


def timing(folder: pathlib.Path) -> dict[str, int]:
    """What the first parameter set of live.ts says of times."""
    trace = ("-c", "copy", "-bsf:v", "trace_headers", "-frames:v", "1", "-f", "null", "-")
    found = HEADERS.findall(run("ffmpeg", "-v", "trace", "-i", "live.ts", *trace, folder=folder).stderr)
    return {name: int(value) for name, value in found}


def packets(folder: pathlib.Path, name: str) -> int:
    """The number of pictures of a file."""
    shown = ("-select_streams", "v", "-count_packets", "-show_entries", "stream=nb_read_packets", "-of", "csv=p=0")
    return int(run("ffprobe", "-v", "error", *shown, name, folder=folder).stdout.split()[0].strip(","))


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("rate", "query", "named"), [(60, "", 60), (15, "", 15), (60, "fps=20", 20)])
def test_field_B5_a_stream_names_the_rate_that_it_has(served, tmp_path, rate, query, named):
    endpoint, client = served
    set_rate(client, rate)
    client.start("sessions/front")
    store(endpoint, query, tmp_path / "live.ts", seconds=3)
    told = timing(tmp_path)
    assert told["fixed_frame_rate_flag"] == 0, "a camera does not keep even times"
    assert told["time_scale"] == 2 * named * told["num_units_in_tick"]
    # FFmpeg drops pictures of a stream that has more of them than it says. It repeats one where one is missing.
    make = ("-c:v", "libx264", "-preset", "ultrafast", "live.mp4")
    run("ffmpeg", "-v", "error", "-i", "live.ts", *make, folder=tmp_path)
    assert packets(tmp_path, "live.mp4") >= packets(tmp_path, "live.ts")


@pytest.mark.timeout(60)
def test_field_B5_a_stream_after_a_commit_names_the_new_rate(served, tmp_path):
    endpoint, client = served
    set_rate(client, 15)
    client.start("sessions/front")
    with client.preview("sessions/front", encoding=Encoding.H264) as preview:
        take(preview, 5)
        # The reader, and with it the encoder, stays.
        set_rate(client, 60)
        take(preview, 5)
        store(endpoint, "", tmp_path / "live.ts", seconds=1)
        told = timing(tmp_path)
        assert told["time_scale"] == 2 * 60 * told["num_units_in_tick"]
