"""Which addresses of a daemon never lie behind a proxy."""

from __future__ import annotations

import contextlib
import ipaddress
import re
import urllib.parse

# The schemes of https://github.com/grpc/grpc/blob/master/doc/naming.md. An address without one is a DNS name.
_NAME = re.compile(r"(?:(?P<scheme>dns|ipv4|ipv6|unix|unix-abstract|vsock):)?(?://[^/]*/)?(?P<rest>.*)", re.DOTALL)


def is_local(address: str) -> bool:
    """Whether gRPC's name `address` is of this machine or of its own link, so that no proxy can reach it.

    Such are loopback and link-local addresses, the addresses that mean "any" address, `localhost` with the names below
    it, and sockets that are no addresses of a network. Nothing is looked up.
    """
    name = _NAME.fullmatch(address)
    scheme, rest = (name["scheme"], name["rest"]) if name else (None, address)
    if scheme in ("unix", "unix-abstract", "vsock"):
        return True
    # ipv4: and ipv6: take several addresses, and connect to one of them.
    return all(_is_local_host(_host(urllib.parse.unquote(each))) for each in rest.split(","))


def _host(address: str) -> str:
    """The host of an address with or without a port."""
    if address.startswith("["):
        return address[1:].partition("]")[0]
    # An address of IPv6 without brackets has more than one colon, and no port.
    return address if address.count(":") > 1 else address.partition(":")[0]


def _is_local_host(host: str) -> bool:
    with contextlib.suppress(ValueError):
        # The part behind % names the interface.
        number = ipaddress.ip_address(host.partition("%")[0])
        number = getattr(number, "ipv4_mapped", None) or number
        return number.is_loopback or number.is_link_local or number.is_unspecified
    name = host.lower().removesuffix(".")
    return name == "localhost" or name.endswith(".localhost")
