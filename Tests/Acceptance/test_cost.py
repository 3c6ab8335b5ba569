"""The cost of a configuration: how the daemon computes it, what it refuses, and how a configuration becomes cheaper."""

import itertools
import os
from itertools import pairwise

import numpy as np
import pytest

import conftest
import firstlight
from firstlight.v1 import session_configuration_pb2 as configuration_pb2, session_pb2
from processes import thread_seconds
from support import SYNTHETIC, Collector, changed, refused, take, watching
from sysfs import SysfsTree

#: Seconds to wait for the measurement. It needs 200 ms of a processor that nothing else uses, and on a busy machine
#: this may take long.
PATIENCE = 120
pytestmark = [pytest.mark.alone, pytest.mark.timeout(3 * PATIENCE)]

State = session_pb2.Session.State
Resource = session_pb2.CostComponent.Resource
READOUT = 260_000_000
UHD = (3840, 2160)


def nv12(size, frame_rate=None, **fields):
    return firstlight.configuration(SYNTHETIC[0], pixel_format="NV12", size=size, frame_rate=frame_rate, **fields)


def component(session, resource):
    """The only component of a resource."""
    (found,) = [part for part in session.cost_components if part.resource == resource]
    return found


def readout(session):
    return component(session, Resource.RESOURCE_SENSOR_READOUT)


def rate_of(frames):
    """Frames per second, by the driver's stamps and sequence numbers."""
    first, last = frames[0], frames[-1]
    assert first.stream_id == last.stream_id
    return (last.sequence - first.sequence) / ((last.monotonic_time_ns - first.monotonic_time_ns) / 1e9)


MACHINE = {Resource.RESOURCE_MEMORY_BANDWIDTH, Resource.RESOURCE_ENCODING}


def unknown(cost):
    """The resources whose capacity is unknown in a session or in an event."""
    parts = cost.cost_components
    return {part.resource for part in parts if part.certainty == session_pb2.CostComponent.CERTAINTY_UNKNOWN}


def await_measured(client):
    """Waits until the daemon has measured the machine, for at most PATIENCE seconds."""
    name = client.create_session().name
    client.configure(name, nv12((640, 360)))
    events = watching(client, name)
    told = events.wait_for(
        lambda items: items and (changed(items[-1]) == "cost_changed" or not unknown(items[0].snapshot)), PATIENCE
    )
    assert changed(told[-1]) == "snapshot" or not unknown(told[-1].cost_changed)
    events.close()
    client.delete_session(name)


@pytest.fixture(scope="module")
def daemon(binary, tmp_path_factory):
    """Replaces the shared daemon by one that has measured the machine, so that no cost changes while a test watches."""
    folder = tmp_path_factory.mktemp("measured")
    sysfs = SysfsTree(folder / "sys")
    with conftest.start(binary, folder, sysfs) as daemon:
        sysfs.rest()
        with firstlight.connect(daemon.address, timeout=8) as client:
            await_measured(client)
        yield daemon


def test_C2_no_call_waits_for_the_measurement_and_watchers_hear_of_it(own_daemon, sysfs, tmp_path):
    daemon = own_daemon()
    file = tmp_path / "data/machine.json"
    with firstlight.connect(daemon.address, timeout=8) as client:
        # The processors look busy until this test makes them idle, so a call that waited for the measurement would
        # never return.
        name = client.create_session(configuration=nv12((640, 360)), start=True).name
        with client.preview(name) as preview:
            client.photo(name, of=next(preview))
        before = client.session(name)
        assert before.state == State.STATE_RUNNING
        assert unknown(before) == MACHINE
        for part in before.cost_components:
            assert part.demand > 0
            if part.resource in MACHINE:
                assert (part.capacity, part.cost) == (0, 0)
        assert before.hardware_cost == readout(before).cost
        assert before.system_pressure_cost == 0
        assert client.suggest_lower_cost(name) == []
        with refused("FAILED_PRECONDITION", "HARDWARE_COST_EXCEEDED"):
            client.configure(name, nv12(UHD, 60))
        assert not file.exists()

        events = watching(client, name)
        sysfs.rest()
        told = events.wait_for(lambda items: changed(items[-1]) == "cost_changed", PATIENCE)[-1].cost_changed
        after = client.session(name)
        assert (told.hardware_cost, told.system_pressure_cost) == (after.hardware_cost, after.system_pressure_cost)
        assert told.cost_components == after.cost_components
        assert not unknown(after)
        assert after.system_pressure_cost > 0
        assert (after.etag, after.config_revision, after.state) == (before.etag, before.config_revision, before.state)
        assert [part.demand for part in after.cost_components] == [part.demand for part in before.cost_components]
        assert file.exists()


DECLARED = """
sessions:
  door:
    inputs:
      - device: devices/synthetic-0
        format: {pixel_format: NV12, width: 320, height: 180}
    preview: {}
"""


def test_C2_what_a_former_run_measured_is_known_before_the_first_session(own_daemon, sysfs, tmp_path):
    first = own_daemon()
    sysfs.rest()
    with firstlight.connect(first.address, timeout=8) as client:
        await_measured(client)
    assert first.stop() == 0
    path = tmp_path / "firstlight.yaml"
    path.write_text(DECLARED)
    with firstlight.connect(own_daemon("--config", str(path)).address, timeout=8) as client:
        assert not unknown(client.session("sessions/door"))
        with client.watch_session("sessions/door") as watch:
            newest = next(watch).event_id
        # An event id ends with the number of the event. Number 0 asks for all events from the very first.
        events = Collector(client.watch_session("sessions/door", after_event_id=newest[: newest.rindex("-") + 1] + "0"))
        told = events.wait_for(lambda items: any(event.event_id == newest for event in items))
        assert "cost_changed" not in [changed(event) for event in told]
        events.close()


def test_E1_cost_rises_with_size_and_rate_and_falls_with_binning(client, session):
    name = session(configure=False)
    costs = {}
    for size, rate in itertools.product([(640, 360), (960, 540), (1280, 720), (1920, 1080), UHD], [15, 30, 60]):
        configured = client.configure(name, nv12(size, rate))
        part = readout(configured)
        assert part.certainty == session_pb2.CostComponent.CERTAINTY_EXACT
        assert part.unit == session_pb2.CostComponent.UNIT_PIXELS_PER_SECOND
        assert (part.demand, part.capacity) == (size[0] * size[1] * rate, READOUT)
        assert part.cost == pytest.approx(part.demand / part.capacity)
        assert configured.hardware_cost == max(part.cost for part in configured.cost_components)
        costs[size, rate] = part.cost
    for size, rate in costs:
        assert costs[size, 15] < costs[size, 30] < costs[size, 60]
        assert costs[(640, 360), rate] < costs[(1280, 720), rate] < costs[(1920, 1080), rate] < costs[UHD, rate]
        assert costs[(960, 540), rate] == pytest.approx(costs[(1920, 1080), rate] / 4), "binned: four pixels are one"


def test_E1_the_machines_part_is_there_with_its_inputs(client, session):
    configured = client.session(session(pixel_format="NV12", size=(1280, 720), frame_rate=30))
    memory = component(configured, Resource.RESOURCE_MEMORY_BANDWIDTH)
    encoding = component(configured, Resource.RESOURCE_ENCODING)
    assert memory.demand == 1280 * 720 * 1.5 * 30
    assert encoding.demand == 1280 * 720 * 30
    assert memory.unit == session_pb2.CostComponent.UNIT_BYTES_PER_SECOND
    assert encoding.unit == session_pb2.CostComponent.UNIT_PIXELS_PER_SECOND
    for part in (memory, encoding):
        assert part.certainty == session_pb2.CostComponent.CERTAINTY_ESTIMATED
        assert part.capacity > part.demand > 0
        assert part.description
    assert 0 < configured.system_pressure_cost < 1


def test_E1_above_1_commits_and_does_not_start(client, session):
    name = session(configure=False)
    assert readout(client.configure(name, nv12(UHD, 60))).cost == pytest.approx(1.914, abs=0.001)
    events = watching(client, name)
    with refused("FAILED_PRECONDITION", "HARDWARE_COST_EXCEEDED") as refusal:
        client.start(name)
    told = refusal.error.metadata
    assert (told["resource"], told["cost"]) == ("SENSOR_READOUT", "1.914")
    assert told["fits"].startswith("NV12 3840x2160@30, NV12 1920x1080@60")
    assert client.session(name).state == State.STATE_STOPPED
    event = events.wait_for(lambda items: changed(items[-1]) == "runtime_error")[-1]
    reported = firstlight.FirstlightError.from_status(event.runtime_error.error)
    assert (reported.reason, reported.metadata) == ("HARDWARE_COST_EXCEEDED", told)

    assert readout(client.configure(name, nv12(UHD, 30))).cost <= 1
    assert client.start(name).state == State.STATE_RUNNING


def test_E1_a_running_session_refuses_it_and_goes_on(client, session):
    name = session(pixel_format="NV12", size=(640, 360), start=True)
    before = client.session(name)
    with client.preview(name) as preview:
        stream = next(preview).stream_id
        with refused("FAILED_PRECONDITION", "HARDWARE_COST_EXCEEDED"):
            client.configure(name, nv12(UHD, 60))
        planned, issues = client.check(name, nv12(UHD, 60))
        assert [issue.reason for issue in issues] == ["HARDWARE_COST_EXCEEDED"]
        assert planned.hardware_cost > 1
        assert client.session(name) == before
        assert take(preview, 3)[-1].stream_id == stream


def test_E2_more_to_encode_presses_more(client, session):
    name = session(configure=False)
    costs = [
        client.configure(name, wanted).system_pressure_cost
        for wanted in (
            nv12((640, 360), 30, preview=False),
            nv12((640, 360), 30),
            nv12((1280, 720), 30),
            nv12((1280, 720), 60),
        )
    ]
    assert costs == sorted(costs)
    assert len(set(costs)) == len(costs)


def test_E2_above_1_starts(own_daemon, sysfs):
    # A processor that is held at a thousandth of its clock has almost no capacity.
    folder = sysfs.root / "devices/system/cpu/cpu0/cpufreq"
    folder.mkdir(parents=True)
    (folder / "cpuinfo_max_freq").write_text("4000000\n")
    (folder / "scaling_max_freq").write_text("4000\n")
    with firstlight.connect(own_daemon().address, timeout=8) as client:
        sysfs.rest()
        await_measured(client)
        name = client.create_session().name
        configured = client.configure(name, nv12((1280, 720), 60))
        assert configured.system_pressure_cost > 1
        assert readout(configured).cost <= 1
        assert client.start(name).state == State.STATE_RUNNING


def test_E2_the_machine_is_measured_once(own_daemon, sysfs, tmp_path):
    capacities = []
    for run in range(2):
        daemon = own_daemon()
        with firstlight.connect(daemon.address, timeout=8) as client:
            # In the second run the processors are never idle, so the daemon can only read its file.
            if run == 0:
                sysfs.rest()
            await_measured(client)
            name = client.create_session().name
            configured = client.configure(name, nv12((640, 360)))
            capacities.append(component(configured, Resource.RESOURCE_ENCODING).capacity)
        assert daemon.stop() == 0
    assert capacities[0] == capacities[1], "the same figure to the last digit is not measured anew"
    assert (tmp_path / "data/machine.json").exists()


def test_E6_applying_the_suggestions_reaches_1(client, session):
    name = session(configure=False)
    # The session has no preview, so nothing depends on how fast this machine encodes.
    before = client.configure(name, nv12(UHD, 60, preview=False))
    reductions = client.suggest_lower_cost(name)
    assert client.session(name) == before, "asking changes nothing"
    assert [reduction.description for reduction in reductions] == [
        "NV12 3840x2160@60 to NV12 3840x2160@50",
        "NV12 3840x2160@50 to NV12 3840x2160@30",
    ]
    for reduction in reductions:
        assert reduction.field == "configuration.inputs[0].frame_rate_override"
        assert reduction.configuration.HasField("photo"), "outputs stay"
        applied = client.configure(name, reduction.configuration)
        assert applied.hardware_cost == reduction.hardware_cost
        assert applied.system_pressure_cost == reduction.system_pressure_cost
    assert reductions[-1].hardware_cost <= 1 < reductions[-2].hardware_cost
    assert client.start(name).state == State.STATE_RUNNING
    assert client.suggest_lower_cost(name) == []


def test_E6_another_configuration_may_be_asked_about(client, session):
    name = session(pixel_format="NV12", size=(320, 180))
    assert client.suggest_lower_cost(name) == []
    preset = configuration_pb2.SESSION_PRESET_HD_4K
    fast = firstlight.configuration(SYNTHETIC[0], preset=preset, frame_rate=60, preview=False)
    reductions = client.suggest_lower_cost(name, fast)
    assert [step.configuration.inputs[0].frame_rate_override.numerator for step in reductions] == [50, 30]
    assert all(step.configuration.preset == preset for step in reductions)
    with refused("NOT_FOUND", "DEVICE_NOT_FOUND"):
        client.suggest_lower_cost(name, firstlight.configuration("devices/nowhere"))


def test_B3_an_override_lowers_the_cost_and_the_rate(client, session):
    name = session(configure=False)
    costs = {}
    for rate in (60, 30):
        configured = client.configure(name, nv12((320, 180), rate))
        costs[rate] = readout(configured).cost
        client.start(name)
        with client.preview(name, pixel_format="NV12") as preview:
            assert rate_of(take(preview, 12)) == pytest.approx(rate, rel=0.02)
        client.stop(name)
    assert costs[30] == pytest.approx(costs[60] / 2)
    unset = client.configure(name, nv12((320, 180)))
    assert unset.resolved_configuration.inputs[0].frame_rate_override.numerator == 30
    assert readout(unset).cost == costs[30], "configured anew without an override, nothing of it is left"


def test_B3_an_active_frame_rate_lowers_the_rate_and_not_the_cost(client, session):
    name = session(pixel_format="NV12", size=(320, 180), frame_rate=60, start=True)
    before = client.session(name)
    with client.preview(name, pixel_format="NV12") as preview:
        next(preview)
        client.set_controls(SYNTHETIC[0], session=name, active_frame_rate=30)
        frames = take(preview, 16)[4:]
    assert rate_of(frames) == pytest.approx(60, rel=0.02), "the camera goes on as it was"
    assert min(after.sequence - before.sequence for before, after in pairwise(frames)) == 2, "every second frame comes"
    after = client.session(name)
    assert after.hardware_cost == before.hardware_cost
    assert after.cost_components == before.cost_components


def load(daemon, frames, thread):
    """The processor time in seconds that the threads with this name prefix, and the whole daemon, take for one second
    of frames.
    """
    begin = take(frames, 5)[-1]
    before = thread_seconds(daemon.process.pid, thread), thread_seconds(daemon.process.pid)
    end = take(frames, 24)[-1]
    after = thread_seconds(daemon.process.pid, thread), thread_seconds(daemon.process.pid)
    seconds = (end.monotonic_time_ns - begin.monotonic_time_ns) / 1e9
    return [(b - a) / seconds for a, b in zip(before, after, strict=True)]


def cores(told, resource):
    """The seconds of one core that the model expects per second."""
    part = component(told, resource)
    return part.demand / part.capacity


def test_E1_the_modelled_processor_time_is_what_the_daemon_takes(client, daemon, session):
    """The two must agree within a factor: the model was measured with another picture, and other programs share the
    caches.
    """
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
    # The converting thread also sends 3.7 MB per frame. The model counts this for the network, so the upper bound is
    # higher.
    assert 0.4 < converting / cores(told, Resource.RESOURCE_CONVERSION) < 6
