"""What the model of costs says of the processor, held against what the daemon's threads take of it."""

import contextlib
import os
import pathlib

import numpy as np

import firstlight
from firstlight.v1 import session_pb2
from support import take
from test_cost import component

Resource = session_pb2.CostComponent.Resource


def processor_seconds(daemon, thread=""):
    """What the threads whose names begin so have had of the processor."""
    taken = 0
    for task in pathlib.Path(f"/proc/{daemon.process.pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if (task / "comm").read_text().startswith(thread):
                taken += int((task / "schedstat").read_text().split()[0])
    return taken / 1e9


def load(daemon, frames, thread):
    """Processor time that threads of a name, and all of the daemon, take for a second of a camera's frames."""
    begin = take(frames, 5)[-1]
    before = processor_seconds(daemon, thread), processor_seconds(daemon)
    end = take(frames, 24)[-1]
    after = processor_seconds(daemon, thread), processor_seconds(daemon)
    seconds = (end.monotonic_time_ns - begin.monotonic_time_ns) / 1e9
    return [(b - a) / seconds for a, b in zip(before, after, strict=True)]


def cores(told, resource):
    """Seconds of one core that the model expects in a second."""
    part = component(told, resource)
    return part.demand / part.capacity


def test_E1_the_modelled_processor_time_is_what_the_daemon_takes(client, daemon, session):
    """Within a factor: the model was measured with another picture, and caches are shared with what else runs."""
    modes = [((1280, 720), 15), ((1280, 720), 30), ((1280, 720), 60), ((1920, 1080), 60)]
    modelled, encoding, pressing, everything = [], [], [], []
    for size, rate in modes:
        name = session(pixel_format="NV12", size=size, frame_rate=rate, photo=False)
        told = client.session(name)
        client.start(name)
        with client.preview(name) as preview:
            threads, whole = load(daemon, preview, "preview-")
        client.delete_session(name)
        modelled.append(cores(told, Resource.RESOURCE_ENCODING))
        encoding.append(threads)
        pressing.append(told.system_pressure_cost * os.cpu_count())
        everything.append(whole)
    for of_model, of_threads in ((modelled, encoding), (pressing, everything)):
        ratios = np.divide(of_threads, of_model)
        assert (ratios > 0.4).all(), ratios
        assert (ratios < 2.5).all(), ratios
        assert sorted(of_model) == of_model
        assert sorted(of_threads) == of_threads, "what costs more takes more"


def test_E1_the_modelled_conversion_is_what_the_daemon_takes(client, daemon, session):
    output = firstlight.video_data_output("data", pixel_format="BGR4")
    name = session(preview=False, photo=False, video_data=[output], pixel_format="NV12", size=(1280, 720))
    told = client.session(name)
    client.start(name)
    with client.video_data(name) as data:
        converting, _ = load(daemon, data, "data-")
    # The thread that converts sends too, 3.7 MB a frame, which the model leaves to the network.
    assert 0.4 < converting / cores(told, Resource.RESOURCE_CONVERSION) < 6
