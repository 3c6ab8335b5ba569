"""The photos that the viewfinder page takes are saved in the photo library, each once, or the page says why not."""

from __future__ import annotations

import urllib.error
import urllib.request

import pytest
from playwright.sync_api import Route

from browser import Serving, Viewfinder, window
from library_tabs import ITEMS, LISTED, OTHERS, WORDS, ask_for_a_bracket, item, names, plant, saved_press, text

pytestmark = pytest.mark.timeout(120)

#: A header by which a proxy says that it speaks for a client elsewhere.
ELSEWHERE = {"X-Forwarded-For": "192.0.2.7"}
REFUSED = (
    "The daemon keeps photos for a minute, this page until it is closed, because this address may not {} the photo "
    "library."
)


@pytest.fixture
def served(serving) -> Serving:
    served = serving()
    served.session(size=(640, 360))
    return served


@pytest.fixture
def viewfinder(served, open_page) -> Viewfinder:
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    return viewfinder


def connect_again(viewfinder: Viewfinder) -> None:
    """The page connects again, and has read what the daemon keeps."""
    with viewfinder.page.expect_response("**/*/ListCaptures"):
        viewfinder.hide(True)
        viewfinder.wait("firstlight.connection === 'hidden'")
        viewfinder.hide(False)
    viewfinder.wait("firstlight.connection === 'live'")


def test_photos_are_saved_once_over_connections_that_break(served, viewfinder):
    calls = []
    viewfinder.page.on("request", lambda request: calls.append(1) if "PerformChanges" in request.url else None)
    saved = [saved_press(viewfinder)[1] for _ in range(2)]
    connect_again(viewfinder)
    saved.append(saved_press(viewfinder)[1])
    assert names(served.client) == saved[::-1]
    assert len(calls) == 3


def test_a_photo_whose_answer_was_lost_is_not_saved_twice(served, viewfinder):
    def lose(route: Route) -> None:
        route.fetch()
        route.abort()

    viewfinder.page.route("**/*/PerformChanges", lose)
    viewfinder.press()
    viewfinder.wait("document.querySelector('#alert').textContent === 'The daemon does not answer.'")
    (name,) = names(served.client)
    viewfinder.page.unroute("**/*/PerformChanges")
    connect_again(viewfinder)
    viewfinder.wait(f"firstlight.photos[0].asset === '{name}'")
    assert names(served.client) == [name]


def test_a_photo_that_could_not_be_saved_is_saved_when_the_daemon_answers_again(served, viewfinder):
    viewfinder.page.route("**/*/PerformChanges", lambda route: route.abort())
    viewfinder.press()
    viewfinder.page.click("#well")
    viewfinder.wait(f"{OTHERS}.length === 1")
    viewfinder.page.unroute("**/*/PerformChanges")
    connect_again(viewfinder)
    viewfinder.wait(f"{ITEMS}.length === 1 && {OTHERS}.length === 0")
    assert viewfinder.get(LISTED) == names(served.client)


def test_the_photos_of_a_bracket_are_saved_by_one_call(served, viewfinder):
    calls = []
    viewfinder.page.on("request", lambda request: calls.append(1) if "PerformChanges" in request.url else None)
    viewfinder.page.route("**/*/CapturePhoto", ask_for_a_bracket)
    viewfinder.page.click("#shutter")
    viewfinder.wait("firstlight.photos.length === 3 && firstlight.photos.every((each) => each.asset)")
    assert len(calls) == 1
    assert sorted(viewfinder.get("firstlight.photos.map((each) => each.asset)")) == sorted(names(served.client))


def test_a_client_without_permission_is_told_why_and_keeps_its_photos_in_the_page(browser, served):
    (planted,) = plant(served.client, 1)
    request = urllib.request.Request(f"{served.address}{planted}", headers=ELSEWHERE)
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(request)
    with window(browser, extra_http_headers=ELSEWHERE) as context:
        viewfinder = Viewfinder(context.new_page()).open(served.address)
        calls = []
        viewfinder.page.on("request", lambda request: calls.append(1) if "PerformChanges" in request.url else None)
        viewfinder.wait_for_picture()
        for count in (1, 2):
            press = viewfinder.press()
            assert press.photo == press.canvas
            viewfinder.wait(f"{OTHERS}.length === {count}")
        assert len(calls) == 1
        viewfinder.page.click("#well")
        viewfinder.wait("document.querySelectorAll('[data-capture] img').length === 2")
        said = viewfinder.page.inner_text("#page-photos")
        assert (said.count(REFUSED.format("use")), said.count("for a minute")) == (1, 1)
        assert viewfinder.get("document.querySelector('#alert').textContent") == ""
        assert viewfinder.get(LISTED) == []
        assert viewfinder.violations() == []
        assert viewfinder.errors == []
    assert names(served.client) == [planted]


@pytest.mark.parametrize(
    ("permission", "words"),
    [
        ("library.read", REFUSED.format("add to")),
        (
            "library.add",
            "Photos that are taken on this page are saved. They are listed until the page is closed, because this "
            "address may not see the photo library.",
        ),
    ],
)
def test_each_permission_is_used(browser, serving, permission, words):
    served = serving("--network-library-permissions", permission)
    served.session()
    (planted,) = plant(served.client, 1)
    with window(browser, extra_http_headers=ELSEWHERE) as context:
        viewfinder = Viewfinder(context.new_page()).open(served.address)
        viewfinder.wait_for_picture()
        viewfinder.page.click("#well")
        viewfinder.press()
        viewfinder.wait(f"{OTHERS}.length === 1")
        viewfinder.wait(f"document.querySelector('{WORDS}').textContent === '{words}'")
        if permission == "library.add":
            assert len(names(served.client)) == 2
            assert viewfinder.get(LISTED) == []
        else:
            assert viewfinder.get(LISTED) == names(served.client) == [planted]
            viewfinder.page.click(f"{item(planted)} .delete")
            viewfinder.page.get_by_role("button", name="Delete", exact=True).click()
            viewfinder.wait("document.querySelector('#alert').textContent.includes('network-library-permissions')")
            assert viewfinder.get(LISTED) == [planted]


def test_a_library_that_is_not_available_is_said(serving, open_page, tmp_path):
    folder = tmp_path / "data" / "library"
    folder.mkdir(parents=True)
    (folder / "library.sqlite").write_bytes(b"no database" * 1000)
    served = serving()
    served.session()
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    viewfinder.press()
    viewfinder.page.click("#well")
    viewfinder.wait("document.querySelectorAll('[data-capture] img').length === 1")
    said = text(viewfinder, WORDS)
    assert said.startswith("The daemon keeps photos for a minute, this page until it is closed, because the photo ")
    assert "put back a copy of the folder" in said


def test_a_full_library_is_said_and_the_photo_stays_in_the_page(serving, open_page):
    served = serving("--library-quota", "1000")
    served.session()
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    viewfinder.page.click("#well")
    viewfinder.press()
    viewfinder.wait(f"{OTHERS}.length === 1")
    assert "library" in text(viewfinder, "#alert")
    assert viewfinder.get(f"document.querySelector('{WORDS}').hidden")
    assert names(served.client) == []
