"""Waits until a daemon has measured its machine, so that the measurement takes no processor time from a benchmark."""

from __future__ import annotations

import threading

import firstlight
from firstlight.v1 import session_pb2

_UNKNOWN = session_pb2.CostComponent.CERTAINTY_UNKNOWN


def await_measured(client: firstlight.Client, session: str, *, patience: float | None = None) -> None:
    """Returns when the daemon knows what its machine can do. The daemon reports this in the cost of a committed
    `session`.

    While other programs keep the machine busy, the daemon postpones the measurement. With `patience` this function
    waits at most so many seconds.
    """
    with client.watch_session(session) as events:
        if patience is not None:
            timer = threading.Timer(patience, events.close)
            timer.daemon = True
            timer.start()
        for event in events:
            costs = {"snapshot": event.snapshot, "cost_changed": event.cost_changed}.get(event.WhichOneof("event"))
            if costs is not None and not any(part.certainty == _UNKNOWN for part in costs.cost_components):
                return
    if patience is None:
        raise RuntimeError("the daemon ended before it had measured the machine")
