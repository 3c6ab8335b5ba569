"""Recordings that a client requests before deferred start has run: they run it, as captures do."""

from __future__ import annotations

import pytest

import firstlight
from captures import SMALL
from faults import inject, seconds
from firstlight import movie_output, video_data_output
from firstlight.drill.v1 import fault_injection_service_pb2 as fault_pb2
from movies import begin, ended
from support import SYNTHETIC, Collector, changed

WILL, DID = "will_run_deferred_start", "did_run_deferred_start"
INIT_NS = 700_000_000


def waiting_session(client, *, automatic=None) -> tuple[str, Collector]:
    """A session whose movie output waits for deferred start beside another one, and the events of the session."""
    data = video_data_output("other", pixel_format="GREY")
    data.deferred_start_enabled = True
    wanted = firstlight.configuration(
        SYNTHETIC[0], movie=movie_output(), photo=False, video_data=[data], automatic_deferred_start=automatic, **SMALL
    )
    session = client.create_session(configuration=wanted).name
    told = Collector(client.watch_session(session))
    told.wait_for(len)
    client.start(session)
    return session, told


def deferred(told: Collector) -> dict[str, int]:
    """When deferred start began and ended, in the daemon's wall clock, once it has ended."""
    events = told.wait_for(lambda items: any(changed(event) == DID for event in items))
    found = [(changed(event), event.event_time.ToNanoseconds()) for event in events if changed(event) in (WILL, DID)]
    assert [kind for kind, _ in found] == [WILL, DID]
    return dict(found)


@pytest.mark.parametrize("automatic", [False, None])
def test_fault_F10_deferred_start_is_over_and_told_before_the_recording_starts(own_daemon, automatic):
    """Only the other output takes long to prepare, and the recording waits for it. Without readers deferred start would
    run after 10 s by itself.
    """
    daemon = own_daemon("--enable-fault-injection", "--deferred-start-limit", "10")
    with firstlight.connect(daemon.address, timeout=8) as client:
        delay = fault_pb2.OutputInitDelayFault(delay=seconds(INIT_NS / 1e9), output="other")
        inject(client, {"output_init_delay": delay})
        session, told = waiting_session(client, automatic=automatic)
        events, name = begin(client, session)
        client.stop_recording(name)
        at = {event.WhichOneof("kind"): event.event_time.ToNanoseconds() for event in ended(events)}
        times = deferred(told)
        assert times[WILL] + INIT_NS <= times[DID] < at["accepted"] < at["started"]
        launch = client.launch_timeline(session)
        prepared = {output.output: output.init_end_ns for output in launch.outputs}
        assert launch.deferred_start_end_ns >= prepared["movie"] > 0
        # It has run for this commit.
        _, name = begin(client, session)
        client.stop_recording(name)
        deferred(told)


def test_fault_F10_a_writer_that_is_attached_runs_deferred_start(client):
    session, told = waiting_session(client, automatic=False)
    with client.asset_writer(SMALL["size"]) as writer:
        writer.attach(session)
        deferred(told)
        with writer.watch() as states:
            next(state for state in states if state.writer_inputs[0].appended_sample_count > 0)
    client.delete_session(session)
