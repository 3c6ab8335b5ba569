"""The pages of a list hold every item once, even when items come and go between the pages."""

import pytest

import firstlight
from captures import SMALL
from faults import REPLUG, UNPLUG, inject
from firstlight.v1 import (
    device_service_pb2 as device_pb2,
    photo_service_pb2 as photos_pb2,
    session_service_pb2 as sessions_pb2,
)
from support import SYNTHETIC, Stubs, call, refused

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


@pytest.fixture
def farm(own_daemon):
    """A client of a daemon with five cameras that the test can unplug."""
    daemon = own_daemon("--synthetic", "5", "--enable-fault-injection")
    with firstlight.connect(daemon.address, timeout=8) as client:
        yield client


@pytest.mark.parametrize("kind", LISTS)
def test_pages_of_any_size_hold_everything_once_and_in_order(stubs, many, kind):
    whole = pages_of(stubs, kind, many).rest()
    assert len(set(whole)) == len(whole) > 1
    for size in (1, 2, 3, len(whole), len(whole) + 1, 100, 101, HUGE):
        pages = pages_of(stubs, kind, many)
        first = pages.next(size)
        assert len(first) == min(size, len(whole), 100)
        assert bool(pages.token) == (len(first) < len(whole)), "the last page has no token"
        assert first + (pages.rest(size) if pages.token else []) == whole


@pytest.mark.parametrize("kind", LISTS)
def test_pages_may_differ_in_size(stubs, many, kind):
    pages = pages_of(stubs, kind, many)
    assert pages.next(1) + pages.rest(HUGE) == pages_of(stubs, kind, many).rest(0)


@pytest.mark.parametrize("kind", LISTS)
def test_a_page_may_be_read_again(stubs, many, kind):
    pages = pages_of(stubs, kind, many)
    pages.next(1)
    token = pages.token
    second = pages.next(1)
    pages.token = token
    assert pages.next(1) == second


@pytest.mark.parametrize("size", [-1, -(2**31)])
@pytest.mark.parametrize("kind", LISTS)
def test_a_negative_page_size_is_refused(stubs, kind, size):
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT") as refusal:
        Pages(stubs, kind).next(size)
    assert [violation.field for violation in refusal.error.violations] == ["page_size"]


@pytest.mark.parametrize("token", ["0", "1", "-1", "99999999999999999999", "garbage", "AAAA", " ", "ä", "x" * 5000])
@pytest.mark.parametrize("kind", LISTS)
def test_what_is_no_token_is_refused(stubs, kind, token):
    pages = Pages(stubs, kind)
    pages.token = token
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT") as refusal:
        pages.next()
    assert [violation.field for violation in refusal.error.violations] == ["page_token"]


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("kind", LISTS)
def test_a_token_of_another_list_is_refused(stubs, kind):
    for other in set(LISTS) - {kind}:
        pages = Pages(stubs, other)
        pages.next(1)
        here = Pages(stubs, kind)
        here.token = pages.token
        with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT") as refusal:
            here.next(1)
        assert [violation.field for violation in refusal.error.violations] == ["page_token"]


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [
        ("devices", {}, {"device_types": [device_pb2.DEVICE_TYPE_SYNTHETIC]}),
        ("devices", {"device_types": [device_pb2.DEVICE_TYPE_SYNTHETIC]}, {}),
        ("devices", {}, {"media_type": device_pb2.MEDIA_TYPE_VIDEO}),
        ("devices", {}, {"format_query": device_pb2.FormatQuery(pixel_format="NV12")}),
        ("captures", {}, {"state": photos_pb2.Capture.STATE_FINISHED}),
        ("captures", {"state": photos_pb2.Capture.STATE_FINISHED}, {}),
        ("captures", {}, {"session": 0}),
        ("captures", {"session": 0}, {}),
        ("captures", {}, {"start_time": {"seconds": 1}}),
        ("captures", {"start_time": {"seconds": 1}}, {"start_time": {"seconds": 2}}),
    ],
)
def test_a_token_of_other_filters_is_refused(stubs, many, kind, before, after):
    def filters(given):
        return {**given, **({"session": many[given["session"]]} if "session" in given else {})}

    pages = Pages(stubs, kind, **filters(before))
    pages.next(1)
    other = Pages(stubs, kind, **filters(after))
    other.token = pages.token
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT") as refusal:
        other.next(1)
    assert [violation.field for violation in refusal.error.violations] == ["page_token"]
    # With its own filters the token still works.
    pages.next(1)


@pytest.mark.parametrize("removed", [["b"], ["c"], ["d"], ["b", "c"], ["c", "d"], ["b", "c", "d", "e"]])
def test_sessions_that_come_and_go_move_no_others(own_daemon, removed):
    with firstlight.connect(own_daemon().address, timeout=8) as client:
        for letter in "bcdefg":
            client.create_session(letter)
        pages = Pages(Stubs(client.channel), "sessions")
        read = pages.next(2)
        assert read == ["sessions/b", "sessions/c"]
        for letter in removed:
            client.delete_session(f"sessions/{letter}")
        for letter in ("a", "b2", "c2", "f2"):
            client.create_session(letter)
        read += pages.next(2)
        client.create_session("a2")
        read += pages.rest(2)
        assert len(set(read)) == len(read)
        assert {f"sessions/{letter}" for letter in "bcdefg" if letter not in removed} <= set(read)
        assert read == sorted(read)


@pytest.mark.parametrize("removed", [0, 1, 2, 3])
def test_cameras_that_come_and_go_move_no_others(farm, removed):
    stubs = Stubs(farm.channel)
    whole = Pages(stubs, "devices").rest()
    assert len(whole) == 5
    inject(farm, UNPLUG, whole[-1])
    pages = Pages(stubs, "devices")
    read = pages.next(2)
    inject(farm, UNPLUG, whole[removed])
    inject(farm, REPLUG, whole[-1])
    read += pages.rest(2)
    assert len(set(read)) == len(read)
    assert set(whole) - {whole[removed], whole[-1]} <= set(read)


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
