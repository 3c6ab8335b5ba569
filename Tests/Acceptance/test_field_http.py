"""What people report of other camera servers about clients and proxies that nobody can configure must not happen here.
The ids in the names are those of `docs/field-log.md`.
"""

import contextlib
import itertools
import socket
import subprocess

import pytest

import firstlight
from captures import SMALL
from conftest import start
from http_rpc import HTTPEndpoint
from motion_jpeg import parts, snapshot, watching
from movies import begin, recording_session
from support import SYNTHETIC, TIMEOUT, wait_until
from sysfs import SysfsTree

#: nginx as its manual has it, with the daemon below a path. It buffers answers, as it does by default.
NGINX = """
daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/log;
events {{}}
http {{
  access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port};
    location /cameras/door/ {{
      proxy_pass http://{host}:{target}/;
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
    }}
  }}
}}
"""


#: What health checks send as the name of the server. HTTP/1.1 must have one.
HOSTS = ["", "Host: balancer.example\r\n", "Host:\r\n", "Host: a\r\nHost: b\r\n"]


@pytest.fixture(scope="module")
def served(binary, tmp_path_factory):
    """A daemon whose only session `front` runs: the HTTP endpoint and a client."""
    folder = tmp_path_factory.mktemp("field")
    (folder / "firstlight.yaml").write_text("sessions: {}\n")
    flags = ("--http-listen", "127.0.0.1:0", "--config", str(folder / "firstlight.yaml"))
    with (
        start(binary, folder, SysfsTree(folder / "sys"), *flags) as daemon,
        firstlight.connect(daemon.address, timeout=8) as client,
    ):
        client.create_session("front")
        client.configure("sessions/front", firstlight.configuration(SYNTHETIC[0], **SMALL))
        client.start("sessions/front")
        yield HTTPEndpoint.of(folder / "firstlightd.log"), client


@pytest.fixture
def proxied(tmp_path):
    """Puts nginx in front of a daemon, below `/cameras/door/`: the HTTP endpoint of nginx."""
    with contextlib.ExitStack() as stack:

        def start_nginx(endpoint: HTTPEndpoint) -> HTTPEndpoint:
            with socket.create_server(("127.0.0.1", 0)) as free:
                port = free.getsockname()[1]
            file = tmp_path / "nginx.conf"
            file.write_text(NGINX.format(folder=tmp_path, port=port, host=endpoint.host, target=endpoint.port))
            nginx = stack.enter_context(subprocess.Popen(["/usr/sbin/nginx", "-c", str(file), "-e", f"{tmp_path}/log"]))
            stack.callback(nginx.terminate)
            proxy = HTTPEndpoint(endpoint.host, port)
            wait_until(lambda: (tmp_path / "pid").exists())
            return proxy

        yield start_nginx


def exchange(endpoint: HTTPEndpoint, text: str) -> str:
    """Sends a request as it is, and returns the head of the answer."""
    with socket.create_connection((endpoint.host, endpoint.port), TIMEOUT) as connection:
        connection.sendall(text.encode())
        head = b""
        while b"\r\n\r\n" not in head and (piece := connection.recv(4096)):
            head += piece
    return head.partition(b"\r\n\r\n")[0].decode()


@pytest.mark.parametrize(
    "query", ["1699999999999", "cacheBust=1", "_=1&_=2", "fps=5&%22%0d%0aX-Evil:%201=2", "extra_headers=1&key="]
)
def test_field_B4_what_a_page_adds_against_caches_is_ignored_and_said(served, query):
    endpoint, _ = served
    names = [part.partition("=")[0] for part in query.split("&") if not part.startswith("fps")]
    for page in ("/snapshot.jpg", "/stream.mjpg", "/stream.ts", "/healthz", "/recordings/nothing"):
        response, _ = endpoint.ask("HEAD", f"{page}?{query}")
        assert response.status == (404 if "recordings" in page else 200)
        said = response.headers["X-Ignored-Parameters"].split(", ")
        assert said == (["fps", *names] if "fps" in query and page not in PICTURES else names)
        assert "X-Evil" not in response.headers
    picture = snapshot(endpoint, query)
    picture.check()
    assert picture.fields["X-Ignored-Parameters"] == ", ".join(names)


#: The pages that know the parameters of pictures.
PICTURES = ("/snapshot.jpg", "/stream.mjpg", "/stream.ts")


def test_field_B4_many_and_long_parameters_make_no_long_head(served):
    endpoint, _ = served
    response, _ = endpoint.ask("HEAD", "/snapshot.jpg?" + "&".join(f"{number}{'x' * 300}" for number in range(20)))
    assert response.status == 200
    assert len(response.headers["X-Ignored-Parameters"]) < 400


@pytest.mark.parametrize("query", ["fps=x", "fps=5&fps=6", "width=1"])
def test_field_B4_wrong_values_of_known_parameters_stay_errors(served, query):
    endpoint, _ = served
    assert endpoint.ask("GET", f"/snapshot.jpg?{query}&_=1")[0].status == 400


@pytest.mark.parametrize(
    "address",
    ["/snapshot", "/?action=snapshot", "/?action=snapshot_0", "/?action=snapshot&1699999999999", "//snapshot.jpg"],
)
def test_field_B4_the_addresses_of_other_servers_have_a_picture(served, address):
    endpoint, _ = served
    response, body = endpoint.ask("GET", address)
    assert (response.status, response.headers["Content-Type"]) == (200, "image/jpeg")
    assert body[:2] == b"\xff\xd8"


@pytest.mark.parametrize("address", ["/stream", "/?action=stream", "/?action=stream_0&width=160", "/stream?key=1"])
def test_field_B4_the_addresses_of_other_servers_have_the_stream(served, address):
    endpoint, _ = served
    with contextlib.closing(endpoint.connection()) as connection:
        connection.request("GET", address)
        with connection.getresponse() as response:
            pictures = parts(response)
            for _ in range(2):
                next(pictures).check()


def test_field_B4_the_page_stays_at_its_address(served):
    endpoint, _ = served
    for address in ("/", "/?session=front", "/?action=other", "/?1699999999999"):
        response, body = endpoint.ask("GET", address)
        assert (response.status, body[:15].lower()) == (200, b"<!doctype html>")


@pytest.mark.parametrize("page", ["/healthz", "/readyz"])
@pytest.mark.parametrize(
    "request_head",
    [
        *(f"{verb} {{}} HTTP/1.0\r\n{host}" for verb in ("GET", "HEAD") for host in HOSTS),
        *(f"GET {{}} HTTP/1.1\r\n{host}" for host in HOSTS if host.count("Host") == 1),
    ],
)
def test_field_B8_health_checks_are_answered_whatever_their_host(served, request_head, page):
    endpoint, _ = served
    assert exchange(endpoint, f"{request_head.format(page)}\r\n").split()[1] == "200"


def test_field_B8_who_calls_by_another_name_learns_no_names(own_daemon, tmp_path):
    declared = "sessions: {kids-room: {inputs: [{device: devices/absent}], preview: {}}}\n"
    (tmp_path / "firstlight.yaml").write_text(declared)
    own_daemon("--http-listen", "127.0.0.1:0", "--config", str(tmp_path / "firstlight.yaml"))
    endpoint = HTTPEndpoint.of(tmp_path / "firstlightd.log")
    response, body = endpoint.ask("GET", "/readyz")
    assert response.status == 503
    assert b"kids-room" in body
    for host in ("evil.example", ""):
        response, body = endpoint.ask("GET", "/readyz", host=host)
        assert response.status == 503
        assert b"kids-room" not in body
        assert body.endswith(b".\n")


def test_field_B8_a_client_of_http_1_0_may_lack_the_host_and_a_browser_may_not(served):
    endpoint, _ = served
    assert exchange(endpoint, "GET /snapshot.jpg HTTP/1.0\r\n\r\n").split()[1] == "200"
    assert exchange(endpoint, "GET /snapshot.jpg HTTP/1.1\r\n\r\n").split()[1] == "400"
    assert exchange(endpoint, "GET /snapshot.jpg HTTP/1.0\r\nHost: evil.example\r\n\r\n").split()[1] == "421"


@pytest.mark.timeout(60)
def test_field_B15_the_page_works_below_a_path_of_a_proxy(proxied, serving, open_page):
    served = serving()
    served.session()
    proxy = proxied(served.endpoint)
    viewfinder = open_page(f"{proxy.origin}/cameras/door/")
    viewfinder.wait_for_picture()
    assert viewfinder.press().photo is not None
    paths = viewfinder.get("performance.getEntriesByType('resource').map((entry) => new URL(entry.name).pathname)")
    assert paths
    assert all(path.startswith("/cameras/door/") for path in paths)


@pytest.mark.timeout(30)
def test_field_B15_a_recording_is_redirected_below_a_path_of_a_proxy(proxied, recorder):
    served = recorder()
    name = recording_session(served.client, SYNTHETIC[0], **SMALL)
    _, recording = begin(served.client, name, fragment_seconds=0.3)
    wait_until(lambda: served.client.recording(recording).recorded_file_size > 0)
    proxy = proxied(served.endpoint)
    address = f"/cameras/door/{recording}"
    response, body = proxy.ask("GET", proxy.redirection(address), range="bytes=0-")
    assert (response.status, body[4:8]) == (206, b"ftyp")


@pytest.mark.timeout(30)
def test_field_B16_a_proxy_hands_a_picture_on_before_the_next_one_is_captured(proxied, served):
    endpoint, client = served
    client.create_session("slow")
    client.configure("sessions/slow", firstlight.configuration(SYNTHETIC[1], **{**SMALL, "frame_rate": 5}))
    client.start("sessions/slow")
    proxy = proxied(endpoint)
    with watching(proxy, "session=slow", below="/cameras/door") as pictures:
        # A busy machine may be late now and then. A proxy that waits for the next picture is late each time.
        fresh = [picture.age_ns < 0.2e9 for picture in itertools.islice(pictures, 12)]
    client.delete_session("sessions/slow")
    assert sum(fresh) >= 3


def test_field_B16_endless_answers_ask_proxies_to_hand_on_what_they_have(served):
    endpoint, _ = served
    for page in ("/stream.mjpg", "/stream.ts", "/stream.mp4"):
        assert endpoint.ask("HEAD", page)[0].headers["X-Accel-Buffering"] == "no"
    for page in ("/snapshot.jpg", "/healthz"):
        assert "X-Accel-Buffering" not in endpoint.ask("GET", page)[0].headers
