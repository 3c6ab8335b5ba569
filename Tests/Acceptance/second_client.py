"""A client that asks the daemon for little, again and again, and notes how long the answers take.

Run as a program: `second_client.py ADDRESS`. It asks until its standard input ends, and then prints the number of its
calls and the longest time of one in seconds. A call that is not answered within LIMIT seconds ends it with an error.
"""

from __future__ import annotations

import itertools
import sys
import threading
import time

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from firstlight.v1 import server_service_pb2 as server_pb2, server_service_pb2_grpc as server_grpc

LIMIT = 10.0
PAUSE = 0.02


def ask(address: str) -> tuple[int, float]:
    """Asks until the standard input ends."""
    over = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), over.set()), daemon=True).start()
    longest = 0.0
    with grpc.insecure_channel(address) as channel:
        health, server = health_pb2_grpc.HealthStub(channel), server_grpc.ServerServiceStub(channel)
        for count in itertools.count():
            if over.wait(PAUSE):
                return count, longest
            start = time.monotonic()
            if count % 2:
                health.Check(health_pb2.HealthCheckRequest(), timeout=LIMIT)
            else:
                server.GetServerInfo(server_pb2.GetServerInfoRequest(), timeout=LIMIT)
            longest = max(longest, time.monotonic() - start)
    raise AssertionError


if __name__ == "__main__":
    print(*ask(sys.argv[1]))
