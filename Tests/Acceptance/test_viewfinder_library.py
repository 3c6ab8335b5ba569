"""The photo library in the viewfinder page: its list, the large view, the download, and deleting."""

from __future__ import annotations

import pathlib

import pytest

from browser import PHONE, Serving, Viewfinder, board, window
from firstlight import Encoding
from firstlight.v1 import photo_library_service_pb2 as library_pb2, photo_service_pb2 as photos_pb2
from library_tabs import ITEMS, LARGE, LISTED, OTHERS, item, names, open_large, picture, plant, saved_press, text

pytestmark = pytest.mark.timeout(120)


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


def test_a_photo_outlives_the_page_and_has_the_frame_that_was_on_the_screen(viewfinder):
    press, name = saved_press(viewfinder)
    viewfinder.page.reload()
    viewfinder.wait_for_picture()
    viewfinder.page.click("#well")
    viewfinder.wait(f"{LISTED}.join() === '{name}' && document.querySelector('.library img').naturalWidth === 320")
    # The daemon still keeps the capture, and the photo is shown once.
    viewfinder.wait(f"firstlight.photos.length === 1 && {OTHERS}.length === 0")
    open_large(viewfinder, name)
    shown = viewfinder.get(f"""{{
        const canvas = document.createElement('canvas');
        [canvas.width, canvas.height] = [{LARGE}.naturalWidth, {LARGE}.naturalHeight];
        canvas.getContext('2d').drawImage({LARGE}, 0, 0);
        return canvas.toDataURL();
    }}""")
    assert board(shown) == press.canvas == press.photo


def test_the_list_is_read_in_pages_with_their_thumbnails_when_the_tab_is_shown(served, viewfinder):
    planted = plant(served.client, 30)
    asked = []
    viewfinder.page.on("request", lambda request: asked.append(request) if "ListAssets" in request.url else None)
    viewfinder.wait_for_next()
    assert not asked
    viewfinder.page.keyboard.press("p")
    viewfinder.wait(f"{ITEMS}.length === 12 && [...document.querySelectorAll('.library img')].every((i) => i.complete)")
    assert viewfinder.get(LISTED) == planted[:12]
    (request,) = (library_pb2.ListAssetsRequest.FromString(each.post_data_buffer) for each in asked)
    assert (request.page_size, request.include_thumbnails) == (12, True)
    # A photo that comes meanwhile moves no older one.
    new = served.client.save_photo(picture(99)).name
    for count in (24, 30):
        viewfinder.page.click("#more-photos")
        viewfinder.wait(f"{ITEMS}.length === {count}")
        assert viewfinder.get(LISTED) == planted[:count]
        focused = "[...document.querySelectorAll('.library li')].indexOf(document.activeElement.closest('li'))"
        assert viewfinder.get(focused) == (count - 1) // 12 * 12
    assert len(asked) == 3
    assert viewfinder.get("document.querySelector('#more-photos').hidden")
    viewfinder.page.keyboard.press("p")
    served.client.delete_assets(planted[3])
    viewfinder.page.keyboard.press("p")
    viewfinder.wait(f"{LISTED}[0] === '{new}'")
    assert viewfinder.get(LISTED) == [new, *(name for name in planted if name != planted[3])]


def test_a_list_that_was_left_far_behind_begins_anew(served, viewfinder):
    plant(served.client, 14)
    viewfinder.page.keyboard.press("p")
    viewfinder.wait(f"{ITEMS}.length === 12")
    viewfinder.page.click("#more-photos")
    viewfinder.wait(f"{ITEMS}.length === 14")
    newer = plant(served.client, 13)
    for _ in range(2):
        viewfinder.page.keyboard.press("p")
    viewfinder.wait(f"{LISTED}.join() === '{','.join(newer[:12])}'")


def test_thumbnails_leave_the_memory_with_their_photos(served, open_page, context):
    context.add_init_script("""{
        const { createObjectURL, revokeObjectURL } = URL;
        window.kept = new Set();
        URL.createObjectURL = (each) => { const url = createObjectURL(each); kept.add(url); return url; };
        URL.revokeObjectURL = (url) => { kept.delete(url); revokeObjectURL(url); };
    }""")
    viewfinder = open_page(served.address)
    viewfinder.wait_for_picture()
    for _ in range(3):
        saved_press(viewfinder)
    viewfinder.page.click("#well")
    # Three thumbnails, and the newest photo in the well.
    viewfinder.wait(f"{ITEMS}.length === 3 && kept.size === 4")
    open_large(viewfinder, names(served.client)[0])
    viewfinder.wait("kept.size === 5")
    viewfinder.page.keyboard.press("Escape")
    viewfinder.wait("kept.size === 4 && document.querySelector('#photo').children.length === 0")
    served.client.delete_assets(*names(served.client)[1:])
    for _ in range(2):
        viewfinder.page.keyboard.press("p")
    viewfinder.wait(f"{ITEMS}.length === 1 && kept.size === 2")


@pytest.mark.parametrize(
    ("size", "photo", "pixels"),
    [({}, (4000, 2250), 1280), (PHONE, (4000, 2250), 780), ({}, (2250, 4000), 450)],
    ids=["desk", "phone", "upright"],
)
def test_the_large_view_has_the_thumbnail_at_once_and_then_as_many_pixels_as_it_can_show(
    browser, served, size, photo, pixels
):
    name = served.client.save_photo(picture(7, size=photo)).name
    with window(browser, **size) as context:
        viewfinder = Viewfinder(context.new_page()).open(served.address)
        viewfinder.wait_for_picture()
        viewfinder.page.click("#well")
        held = []
        viewfinder.page.route("**/*/RequestImage", lambda route: held.append(route))
        viewfinder.page.click(f"{item(name)} .play")
        viewfinder.wait(f"{LARGE}.complete && {LARGE}.naturalWidth <= 320")
        place = f"(({{ x, y, width, height }}) => [x, y, width, height])({LARGE}.getBoundingClientRect())"
        before = viewfinder.get(place)
        while not held:
            viewfinder.wait_for_next()
        held[0].continue_()
        viewfinder.wait(f"{LARGE}.naturalWidth === {pixels}")
        # The sides of pictures are whole numbers, so their shapes differ a little.
        assert viewfinder.get(place) == pytest.approx(before, abs=1)
        assert 0 < before[1] < before[1] + before[3] < viewfinder.get("innerHeight")
        assert viewfinder.violations() == []
        viewfinder.page.click("#photo-close")
        assert viewfinder.get("document.activeElement.closest('li').dataset.asset") == name


def test_a_photo_is_shown_large_when_the_daemon_answers_again(served, viewfinder):
    name = served.client.save_photo(picture(7, size=(640, 360))).name
    viewfinder.page.click("#well")
    viewfinder.page.route("**/*/RequestImage", lambda route: route.abort())
    viewfinder.page.click(f"{item(name)} .play")
    viewfinder.wait("document.querySelector('#photo .words').textContent === 'The daemon does not answer.'")
    viewfinder.page.unroute("**/*/RequestImage")
    viewfinder.hide(True)
    viewfinder.hide(False)
    viewfinder.wait(f"{LARGE}.naturalWidth === 640 && document.querySelector('#photo .words').textContent === ''")


def test_formats_without_a_thumbnail_say_so(served, viewfinder, unique_id):
    png = served.client.save_photo(picture(3, size=(640, 360), form="PNG")).name
    served.client.photo("sessions/default", encoding=Encoding.HEIC, unique_id=unique_id)
    heic = served.client.save_capture(unique_id).name
    viewfinder.page.click("#well")
    viewfinder.wait(f"{ITEMS}.length === 2")
    assert text(viewfinder, f"{item(heic)} .picture") == "There is no small picture of a HEIC photo"
    open_large(viewfinder, png)
    viewfinder.page.keyboard.press("Escape")
    viewfinder.page.click(f"{item(heic)} .play")
    viewfinder.wait("document.activeElement.id === 'photo-download'")
    words = "This browser does not show HEIC. Download the photo, and open it with another program."
    assert text(viewfinder, "#photo .words") == words


def test_a_photo_is_downloaded_and_deleted_after_a_question(served, viewfinder, tmp_path: pathlib.Path):
    photos = [saved_press(viewfinder)[1] for _ in range(2)]
    page = viewfinder.page
    page.click("#well")
    with page.expect_download() as saving:
        page.click(f"{item(photos[1])} a")
    saving.value.save_as(tmp_path / "photo.jpg")
    assert saving.value.suggested_filename.endswith(".jpg")
    request = photos_pb2.DownloadCaptureRequest(name=viewfinder.get("firstlight.photos[0].capture"))
    kept = b"".join(chunk.data for chunk in served.stubs.photos.DownloadCapture(request))
    assert (tmp_path / "photo.jpg").read_bytes() == kept
    page.click(f"{item(photos[1])} .delete")
    page.get_by_role("button", name="Keep it").click()
    page.click(f"{item(photos[1])} .delete")
    assert names(served.client) == photos[::-1]
    page.get_by_role("button", name="Delete", exact=True).click()
    viewfinder.wait(f"{LISTED}.join() === '{photos[0]}' && {ITEMS}[0].contains(document.activeElement)")
    assert names(served.client) == photos[:1]
    # The daemon still keeps the capture, and the person does not want it.
    with page.expect_response("**/*/ListAssets"), page.expect_response("**/*/ListCaptures"):
        viewfinder.hide(True)
        viewfinder.wait("firstlight.connection === 'hidden'")
        viewfinder.hide(False)
    viewfinder.wait("document.querySelector('#well-label').textContent === 'Photos: 1'")
    assert viewfinder.get(OTHERS) == []
    # Somebody else has been faster.
    served.client.delete_assets(photos[0])
    page.click(f"{item(photos[0])} .delete")
    page.get_by_role("button", name="Delete", exact=True).click()
    viewfinder.wait(f"{ITEMS}.length === 0 && document.activeElement.id === 'library-title'")


def test_the_keyboard_reaches_everything(served, viewfinder):
    planted = plant(served.client, 13)
    keys = viewfinder.page.keyboard
    keys.press("p")
    viewfinder.wait(f"{ITEMS}.length === 12 && document.activeElement.id === 'tab-photos'")
    viewfinder.focus("#more-photos")
    keys.press("Enter")
    viewfinder.wait(f"{ITEMS}.length === 13 && {ITEMS}[12].contains(document.activeElement)")
    keys.press("Enter")
    viewfinder.wait("document.querySelector('#photo').open && document.activeElement.id === 'photo-close'")
    viewfinder.focus("#photo-download")
    keys.press("Escape")
    viewfinder.wait(f"!document.querySelector('#photo').open && {ITEMS}[12].contains(document.activeElement)")
    viewfinder.focus(f"{item(planted[12])} a")
    viewfinder.focus(f"{item(planted[12])} .delete")
    keys.press("Enter")
    viewfinder.wait("document.querySelector('#question').open")
    keys.press("Tab")
    keys.press("Enter")
    viewfinder.wait(f"{ITEMS}.length === 12 && {ITEMS}[11].contains(document.activeElement)")


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("size", [{}, PHONE], ids=["desk", "phone"])
def test_axe_finds_nothing_that_keeps_people_out(browser, served, theme, size):
    plant(served.client, 13)
    served.client.photo("sessions/default")
    with window(browser, **size) as context:
        context.add_init_script(f"localStorage.setItem('firstlight-theme', '{theme}')")
        viewfinder = Viewfinder(context.new_page()).open(served.address)
        viewfinder.wait_for_picture()
        viewfinder.page.click("#well")
        viewfinder.wait(f"{ITEMS}.length === 12 && {OTHERS}.length === 1")
        assert viewfinder.violations() == []
        viewfinder.page.click(".library .play")
        viewfinder.wait("document.querySelector('#photo').open")
        assert viewfinder.violations() == []
        assert viewfinder.errors == []


def test_a_photo_of_another_client_is_above_until_it_is_saved(served, viewfinder, unique_id):
    viewfinder.page.click("#well")
    served.client.photo("sessions/default", unique_id=unique_id)
    viewfinder.wait(f"{OTHERS}.join() === 'captures/{unique_id}' && firstlight.photos[0].isLoaded")
    viewfinder.wait("document.querySelector('[data-capture] img')?.naturalWidth === 640")
    name = served.client.save_capture(unique_id).name
    # The page reads the list when its own photo is saved.
    _, own = saved_press(viewfinder)
    viewfinder.wait(f"{LISTED}.join() === '{own},{name}' && {OTHERS}.length === 0")
