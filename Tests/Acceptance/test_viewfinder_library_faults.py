"""The photo library in the viewfinder page when answers are lost, come late, or are refused."""

from __future__ import annotations

import pathlib

import pytest
from playwright.sync_api import Route

from browser import Serving, Viewfinder
from library_tabs import LARGE, LISTED, ask_for_a_bracket, item, names, picture, plant, text

pytestmark = pytest.mark.timeout(120)

#: The assets of the page's photos.
ASSETS = "firstlight.photos.map((each) => each.asset)"
#: What the large view says.
SAID = "document.querySelector('#photo .words').textContent"


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
    """The page begins another stream."""
    viewfinder.hide(True)
    viewfinder.wait("firstlight.connection === 'hidden'")
    viewfinder.hide(False)
    viewfinder.wait("firstlight.connection === 'live'")


def hold_list(viewfinder: Viewfinder) -> Route:
    """The page connects again, and asks which captures the daemon keeps. Returns the request, which waits."""
    # The first list of the page must be there, or everything else would wait behind it.
    viewfinder.wait("performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/ListCaptures'))")
    held: list[Route] = []
    viewfinder.page.route("**/*/ListCaptures", lambda route: held.append(route))
    connect_again(viewfinder)
    while not held:
        viewfinder.wait_for_next()
    return held[0]


def hold_back(viewfinder: Viewfinder, kind: str) -> None:
    """Keeps the next event of a capture of this kind from the page until `tellHeld` is called. `told` has the kinds of
    the others.
    """
    viewfinder.page.evaluate(
        """(kind) => {
            const { dispatchEvent } = EventTarget.prototype;
            window.told = [];
            EventTarget.prototype.dispatchEvent = function (event) {
                const told = event.type === 'capture' ? event.detail.event.event : '';
                if (told === kind && !window.tellHeld) {
                    window.tellHeld = () => { dispatchEvent.call(this, event); };
                    return true;
                }
                if (told) window.told.push(told);
                return dispatchEvent.call(this, event);
            };
        }""",
        kind,
    )


def test_a_photo_that_could_not_be_saved_is_saved_over_the_same_connection(served, viewfinder):
    viewfinder.page.route("**/*/PerformChanges", lambda route: route.abort(), times=1)
    viewfinder.press()
    viewfinder.wait("firstlight.photos[0].asset")
    assert viewfinder.get(ASSETS) == names(served.client)


def test_a_photo_is_not_saved_again_while_the_first_save_may_be_under_way(served, viewfinder):
    calls = []

    def lose(route: Route) -> None:
        calls.append(route)
        route.abort()

    viewfinder.page.route("**/*/PerformChanges", lose)
    with viewfinder.page.expect_response("**/*/ListAssets"):
        viewfinder.press()
    # The page has looked once, and the save that it gave up comes to its end only now.
    name = served.client.save_capture(viewfinder.get("firstlight.photos[0].capture").removeprefix("captures/")).name
    viewfinder.wait(f"firstlight.photos[0].asset === '{name}'")
    assert len(calls) == 1


def test_a_list_from_before_the_press_does_not_keep_the_photo_from_being_saved(served, viewfinder):
    held = hold_list(viewfinder)
    before = held.fetch()
    hold_back(viewfinder, "didFinishCapture")
    viewfinder.press()
    viewfinder.wait("window.tellHeld")
    with viewfinder.page.expect_response("**/*/ListCaptures"):
        held.fulfill(response=before)
    viewfinder.wait_for_next()
    viewfinder.get("tellHeld()")
    viewfinder.wait("firstlight.photos[0].asset")
    assert viewfinder.get(ASSETS) == names(served.client)


def test_a_photo_of_a_bracket_that_only_the_list_has_is_saved_with_the_others(served, viewfinder):
    held = hold_list(viewfinder)
    hold_back(viewfinder, "didFinishProcessingPhoto")
    viewfinder.page.route("**/*/CapturePhoto", ask_for_a_bracket)
    viewfinder.page.click("#shutter")
    viewfinder.wait("told.includes('didFinishCapture')")
    assert viewfinder.get("firstlight.photos.length") == 2
    held.continue_()
    viewfinder.wait("firstlight.photos.length === 3 && firstlight.photos.every((each) => each.asset)")
    assert sorted(viewfinder.get(ASSETS)) == sorted(names(served.client))


def test_a_file_that_does_not_come_is_not_taken_for_one_that_the_browser_cannot_show(served, viewfinder):
    name = served.client.save_photo(picture(3, size=(640, 360), form="PNG")).name
    page = viewfinder.page
    page.click("#well")
    page.route(f"**/{name}", lambda route: route.abort())
    page.click(f"{item(name)} .play")
    viewfinder.wait(f"{SAID} === 'The daemon does not answer.'")
    page.unroute(f"**/{name}")
    connect_again(viewfinder)
    viewfinder.wait(f"{LARGE}.naturalWidth === 640 && {SAID} === ''")
    page.click("#photo-close")
    served.client.delete_assets(name)
    page.click(f"{item(name)} .play")
    viewfinder.wait(f"{SAID}.includes('{name.removeprefix('assets/')}')")
    assert "This browser" not in viewfinder.get(SAID)


def test_the_tab_says_why_the_library_cannot_be_read_until_it_can(served, viewfinder, tmp_path: pathlib.Path):
    # A file is where the folder of the library should be.
    folder = tmp_path / "data" / "library"
    folder.parent.mkdir(exist_ok=True)
    folder.write_bytes(b"")
    viewfinder.page.click("#well")
    viewfinder.wait("document.querySelector('.library').closest('section').checkVisibility()")
    alert = text(viewfinder, "#alert")
    assert "library" in alert
    assert f"The library cannot be read at the moment. {alert}" in viewfinder.page.inner_text("#page-photos")
    folder.unlink()
    (name,) = plant(served.client, 1)
    connect_again(viewfinder)
    viewfinder.wait(f"{LISTED}.join() === '{name}'")
    assert "cannot be read" not in viewfinder.page.inner_text("#page-photos")
