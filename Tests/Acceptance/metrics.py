"""The metrics of a daemon, read as a monitoring system reads them."""

from __future__ import annotations

import contextlib
import http.client
import re
import socket

from prometheus_client import parser

from support import TIMEOUT


class Page:
    """One scrape: the values by metric name and labels."""

    def __init__(self, text: str) -> None:
        self.families = {family.name: family for family in parser.text_string_to_metric_families(text)}
        samples = [sample for family in self.families.values() for sample in family.samples]
        self._values = {(sample.name, frozenset(sample.labels.items())): sample.value for sample in samples}
        assert len(self._values) == len(samples), "no series twice"

    def __call__(self, name: str, **labels: str) -> float:
        """The value of one series."""
        return self._values[(name, frozenset(labels.items()))]

    def names(self) -> set[str]:
        """The names of all metrics that have at least one value."""
        return {name for name, _ in self._values}


class Endpoint:
    """The HTTP endpoint where a daemon serves its metrics."""

    def __init__(self, daemon, folder) -> None:
        self.daemon = daemon
        (found,) = re.findall(
            r"metrics at http://(127\.0\.0\.1):(\d+)/metrics", (folder / "firstlightd.log").read_text()
        )
        self.host, self.port = found[0], int(found[1])

    def ask(self, path: str = "/metrics", method: str = "GET") -> tuple[http.client.HTTPResponse, bytes]:
        """The answer to one request, on a connection of its own."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=TIMEOUT)
        with contextlib.closing(connection):
            connection.request(method, path)
            response = connection.getresponse()
            return response, response.read()

    def scrape(self) -> Page:
        """The metrics as they are now."""
        response, body = self.ask()
        assert (response.status, response.headers["Content-Type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
        return Page(body.decode())

    def connect(self) -> socket.socket:
        """A connection on which the client has sent nothing yet."""
        return socket.create_connection((self.host, self.port), TIMEOUT)
