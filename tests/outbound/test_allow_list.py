"""Who may be called: names by name, addresses by address, and nobody by default."""

import ipaddress

import pytest

from playground.outbound.allow_list import AllowList, AllowListError, is_public

HOSTS = [
    # name                        list                               host             port   want
    ("nothing listed", [], "example.org", 80, False),
    ("nothing listed, loopback", [], "127.0.0.1", 80, False),
    ("a name", ["example.org"], "example.org", 80, True),
    ("a name in capitals", ["Example.ORG"], "eXample.org", 80, True),
    ("a name with its dot", ["example.org"], "example.org.", 80, True),
    ("a name below it", ["example.org"], "a.example.org", 80, False),
    ("a name that ends like it", ["example.org"], "badexample.org", 80, False),
    ("any port", ["example.org"], "example.org", 8888, True),
    ("its port", ["example.org:8888"], "example.org", 8888, True),
    ("another port", ["example.org:8888"], "example.org", 80, False),
    ("an address", ["10.1.2.3"], "10.1.2.3", 80, True),
    ("an address, another port", ["10.1.2.3:81"], "10.1.2.3", 80, False),
    ("a network", ["10.0.0.0/8"], "10.1.2.3", 80, True),
    ("a network's port", ["10.0.0.0/8:81"], "10.1.2.3", 81, True),
    ("outside the network", ["10.0.0.0/8"], "11.1.2.3", 80, False),
    ("a name is no address", ["example.org"], "93.184.216.34", 80, False),
    ("an address is no name", ["10.0.0.0/8"], "ten.example.org", 80, False),
    ("IPv6", ["::1"], "::1", 80, True),
    ("IPv6 with a port", ["[::1]:81"], "::1", 81, True),
    ("IPv6, another port", ["[::1]:81"], "::1", 80, False),
    ("IPv6 in brackets", ["[fd00::]/8"], "fd00::1", 80, None),
    ("an IPv6 network", ["fd00::/8"], "fd00::1", 80, True),
    ("IPv4 in IPv6's clothes", ["10.1.2.3"], "::ffff:10.1.2.3", 80, True),
    ("listed in them", ["::ffff:10.1.2.3"], "10.1.2.3", 80, True),
    ("localhost", ["localhost:81"], "localhost", 81, True),
    ("localhost stands for its addresses", ["localhost:81"], "127.0.0.1", 81, True),
    ("but not on other ports", ["localhost:81"], "127.0.0.1", 80, False),
    ("a number is no listed name", ["127.0.0.1"], "2130706433", 80, False),
    ("an octal address is no listed name", ["127.0.0.1"], "0177.0.0.1", 80, False),
]
ADDRESSES = [
    # address                 public
    ("93.184.216.34", True),
    ("2606:2800:220:1::1", True),
    ("127.0.0.1", False),
    ("127.255.0.9", False),
    ("10.0.0.1", False),
    ("172.16.0.1", False),
    ("192.168.0.1", False),
    ("169.254.169.254", False),
    ("100.64.0.1", False),
    ("0.0.0.0", False),
    ("224.0.0.1", False),
    ("240.0.0.1", False),
    ("255.255.255.255", False),
    ("198.18.0.1", False),
    ("::", False),
    ("::1", False),
    ("fe80::1", False),
    ("fc00::1", False),
    ("fec0::1", False),
    ("ff02::1", False),
    ("::ffff:127.0.0.1", False),
    ("::ffff:93.184.216.34", True),
    ("::127.0.0.1", False),
    ("64:ff9b::7f00:1", False),
    ("2002:7f00:1::", False),
    ("2001:0:7f00:1::", False),
]
WRONG = [
    *("*", "*.example.org", "", "http://example.org", "example.org/path", "example.org:0", "example.org:99999"),
    *("example.org:http", "10.0.0.1/8", "1.2.3", "a b", "-x.org", "[::1", "user@example.org", "ex\u00e4mple.org"),
]


@pytest.mark.parametrize(("name", "entries", "host", "port", "want"), HOSTS, ids=[case[0] for case in HOSTS])
def test_hosts(name: str, entries: list[str], host: str, port: int, want: bool | None) -> None:
    if want is None:
        with pytest.raises(AllowListError):
            AllowList(entries)
    else:
        assert AllowList(entries).allows_host(host, port) is want


@pytest.mark.parametrize(("address", "public"), ADDRESSES)
def test_public_addresses(address: str, public: bool) -> None:
    assert is_public(ipaddress.ip_address(address)) is public
    # A listed name gives its owner no way to what is not public; an operator who lists the address does.
    assert AllowList(["example.org"]).allows_address(address, 80) is public
    assert AllowList([address if ":" not in address else f"[{address}]:80"]).allows_address(address, 80)


@pytest.mark.parametrize("entry", WRONG)
def test_wrong_entries(entry: str) -> None:
    with pytest.raises(AllowListError, match="EXTENDER_ALLOWED_HOSTS"):
        AllowList([entry])


def test_all_wrong_entries_at_once() -> None:
    with pytest.raises(AllowListError) as refused:
        AllowList(["*", "example.org", "a b"])
    assert "'*'" in str(refused.value)
    assert "'a b'" in str(refused.value)
    assert "'example.org'" not in str(refused.value)
