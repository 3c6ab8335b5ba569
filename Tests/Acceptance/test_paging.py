"""The pages of a list hold every item once, even when items come and go between the pages."""

import pytest

import firstlight
from captures import SMALL
from firstlight.v1 import (
    device_service_pb2 as device_pb2,
    photo_service_pb2 as photos_pb2,
    session_service_pb2 as sessions_pb2,
)
from support import SYNTHETIC, Stubs, call

LISTS = {
    "devices": ("devices", "ListDevices", device_pb2.ListDevicesRequest, "devices"),
    "sessions": ("sessions", "ListSessions", sessions_pb2.ListSessionsRequest, "sessions"),
    "captures": ("photos", "ListCaptures", photos_pb2.ListCapturesRequest, "captures"),
}
HUGE = 2**31 - 1


class Pages:
    """Reads a list page by page."""

    def __init__(self, stubs, kind, **filters):
        service, method, self._request, self._items = LISTS[kind]
        self._call = getattr(getattr(stubs, service), method)
        self._filters = filters
        #: The token of the next page, or empty for the first page and after the last one.
        self.token = ""

    def next(self, size=0):
        """The names on the next page."""
        answer = call(self._call, self._request(page_size=size, page_token=self.token, **self._filters))
        self.token = answer.next_page_token
        return [item.name for item in getattr(answer, self._items)]

    def rest(self, size=0):
        """The names on all further pages."""
        names = self.next(size)
        while self.token:
            page = self.next(size)
            assert page, "a page that was promised is empty"
            assert size == 0 or len(page) <= size
            names += page
        return names


@pytest.fixture
def many(client, session):
    """Creates some sessions, and some captures of the first session. Returns the names of the sessions."""
    names = [session(start=True, **SMALL), *(session(configure=False) for _ in range(4))]
    for _ in range(5):
        client.photo(names[0])
    return names


def pages_of(stubs, kind, many):
    """Reads only what this test made, because captures of other tests may disappear during the reading."""
    return Pages(stubs, kind, **({"session": many[0]} if kind == "captures" else {}))


@pytest.mark.parametrize("kind", LISTS)
def test_pages_may_differ_in_size(stubs, many, kind):
    pages = pages_of(stubs, kind, many)
    assert pages.next(1) + pages.rest(HUGE) == pages_of(stubs, kind, many).rest(0)


def test_captures_that_come_and_go_move_no_others(own_daemon):
    with firstlight.connect(own_daemon().address, timeout=8) as client:
        name = client.create_session(configuration=firstlight.configuration(SYNTHETIC[0], **SMALL), start=True).name
        taken = [f"captures/{client.photo(name).unique_id}" for _ in range(10)]
        pages = Pages(Stubs(client.channel), "captures")
        read = pages.next(4)
        assert read == taken[:4]
        # The test takes so many photos that the daemon forgets the first six.
        kept = client.server_info().limits.max_kept_captures
        taken += [f"captures/{client.photo(name).unique_id}" for _ in range(kept - 4)]
        left = client.captures().captures
        assert [capture.name for capture in left] == taken[-kept:]
        read += pages.rest(7)
        assert len(set(read)) == len(read)
        assert read[4:] == taken[-kept:]
