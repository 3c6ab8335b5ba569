"""What people report of the live video of other camera servers must not happen here. The ids in the names are those of
`docs/field-log.md`.
"""

import contextlib
import re
import subprocess
import time

import pytest

import firstlight
from http_rpc import HTTPEndpoint
from support import SYNTHETIC

HEADERS = re.compile(r"(time_scale|num_units_in_tick|fixed_frame_rate_flag) +[01]+ = (\d+)")


def run(*command: str, folder) -> subprocess.CompletedProcess:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, timeout=30)


def packets(folder, name: str) -> int:
    """The number of pictures of a file."""
    shown = ("-select_streams", "v", "-count_packets", "-show_entries", "stream=nb_read_packets", "-of", "csv=p=0")
    return int(run("ffprobe", "-v", "error", *shown, name, folder=folder).stdout.split()[0].strip(","))


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("rate", "query", "named"), [(60, "", 60), (15, "", 15), (60, "fps=20", 20)])
def test_field_B5_a_stream_names_the_rate_that_it_has(own_daemon, tmp_path, rate, query, named):
    (tmp_path / "firstlight.yaml").write_text("sessions: {}\n")
    daemon = own_daemon("--http-listen", "127.0.0.1:0", "--config", str(tmp_path / "firstlight.yaml"))
    endpoint = HTTPEndpoint.of(tmp_path / "firstlightd.log")
    with (
        firstlight.connect(daemon.address, timeout=8) as client,
        contextlib.closing(endpoint.connection()) as connection,
        (tmp_path / "live.ts").open("wb") as file,
    ):
        client.create_session("front")
        camera = firstlight.configuration(SYNTHETIC[0], pixel_format="NV12", size=(320, 180), frame_rate=rate)
        client.configure("sessions/front", camera)
        client.start("sessions/front")
        connection.request("GET", f"/stream.ts?{query}")
        with connection.getresponse() as response:
            end = time.monotonic() + 3
            while time.monotonic() < end:
                file.write(response.read1())
    trace = ("-c", "copy", "-bsf:v", "trace_headers", "-frames:v", "1", "-f", "null", "-")
    told = dict(HEADERS.findall(run("ffmpeg", "-v", "trace", "-i", "live.ts", *trace, folder=tmp_path).stderr))
    assert told["fixed_frame_rate_flag"] == "0", "a camera does not keep even times"
    assert int(told["time_scale"]) == 2 * named * int(told["num_units_in_tick"])
    # FFmpeg drops pictures of a stream that has more of them than it says. It repeats one where one is missing.
    run(
        "ffmpeg", "-v", "error", "-i", "live.ts", "-c:v", "libx264", "-preset", "ultrafast", "live.mp4", folder=tmp_path
    )
    assert packets(tmp_path, "live.mp4") >= packets(tmp_path, "live.ts")
