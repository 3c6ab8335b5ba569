import pytest

from firstlight.addresses import is_local

LOCAL = [
    "127.0.0.1:50051",
    "127.0.0.1",
    "127.8.9.1:1",
    "0.0.0.0:50051",
    "[::1]:50051",
    "::1",
    "[::]:50051",
    "[::ffff:127.0.0.1]:50051",
    "169.254.10.2:50051",
    "[fe80::1%eth0]:50051",
    "[fe80::1%25eth0]:50051",
    "localhost:50051",
    "LocalHost.:50051",
    "camera.localhost:50051",
    "dns:localhost:50051",
    "dns:///127.0.0.1:50051",
    "dns://192.0.2.1/localhost:50051",
    "ipv4:127.0.0.1:50051",
    "ipv4:127.0.0.1:1,127.0.0.2:1",
    "ipv6:[::1]:50051",
    "ipv6:%5B::1%5D:50051",
    "unix:/run/firstlight.sock",
    "unix:relative.sock",
    "unix:///run/firstlight.sock",
    "unix-abstract:firstlight",
    "vsock:2:50051",
]
REMOTE = [
    "192.0.2.1:50051",
    "10.0.0.1:50051",
    "192.168.1.2",
    "[2001:db8::1]:50051",
    "[fd00::1]:50051",
    "[::ffff:192.0.2.1]:50051",
    "camera:50051",
    "camera.lan",
    "localhost.example:50051",
    "notlocalhost:50051",
    "127.0.0.1.example:50051",
    "dns:///camera:50051",
    "ipv4:127.0.0.1:1,192.0.2.1:1",
    "",
    ":50051",
]


@pytest.mark.parametrize("address", LOCAL)
def test_no_proxy_can_reach(address):
    assert is_local(address)


@pytest.mark.parametrize("address", REMOTE)
def test_a_proxy_can_reach(address):
    assert not is_local(address)
