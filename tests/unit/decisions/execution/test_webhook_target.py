"""A webhook goes to hosts that the operator allows, at public addresses: not one byte goes anywhere else."""

import http.client
import socket
from collections.abc import Collection

import pytest

from hooks import Hook, hook
from licet.decisions.error import DecisionError
from licet.decisions.execution.webhook import WebhookTerms, deliver, target_of
from licet.decisions.execution.webhook.address import public
from licet.decisions.execution.webhook.resolver import Resolver

SPELLINGS = (
    "127.0.0.1 127.1 127.0.1 0177.0.0.1 0x7f000001 0x7f.1 2130706433 017700000001 0 0.0.0.0 127.0.0.1. localhost"
    " localhost. LOCALHOST 127.0.0.2 [::] [::1] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1]"
    " [::ffff:169.254.169.254] [::ffff:a9fe:a9fe] [64:ff9b::a9fe:a9fe] [64:ff9b:1::a9fe:a9fe] [2002:7f00:1::]"
    " [2002:a9fe:a9fe::] [::169.254.169.254] [fec0::1] [fe80::1] [fe80::1%25lo] [fd00:ec2::254]"
    " [2001:0:4136:e378:8000:63bf:3fff:fdd2] 100.64.0.1 169.254.169.254 198.18.0.1 192.0.0.192 10.0.0.1 172.16.0.1"
    " 192.168.0.1 \uff11\uff12\uff17.0.0.1 ①②⑦.0.0.1 127。0。0。1 user@127.0.0.1"
    " hooks.example.com@127.0.0.1 127.0.0.1%2f 127.0.0.1\\@hooks.example.com 127.0.0.1#hooks.example.com"
).split()
"""Of addresses that are not on the public net, most of them of this machine."""

REACHES = (
    "127.1",
    "0177.0.0.1",
    "0x7f000001",
    "2130706433",
    "localhost",
    "\uff11\uff12\uff17.0.0.1",
    "::ffff:127.0.0.1",
)
"""Those that lead a plain client to this machine: what the table would find."""


def _never(host: str, port: int) -> Collection[str]:
    raise AssertionError(f"{host} was looked up")


@pytest.mark.parametrize("scheme", ["https", "http"])
def test_no_spelling_of_a_private_address_is_sent_a_byte(scheme: str) -> None:
    assert len(SPELLINGS) >= 24
    resolve = Resolver(5.0)
    with hook() as private:
        for spelling in SPELLINGS:
            hosts = frozenset({(spelling, private.port), (spelling.lower(), private.port), (spelling, 443)})
            terms = WebhookTerms(hosts, loopback=private.port + 1 if private.port < 65535 else 1, secret=b"s" * 16)
            with pytest.raises(DecisionError) as refused:
                target_of(f"{scheme}://{spelling}:{private.port}/", terms, resolve)
            assert refused.value.reason == "webhook_not_allowed", spelling
            assert refused.value.status == 422
        assert private.accepted == 0
    resolve.close()


def test_the_harness_sees_a_client_that_follows_such_a_spelling() -> None:
    with hook() as private:
        for spelling in REACHES:
            connection = http.client.HTTPConnection(spelling, private.port, timeout=5)
            connection.request("POST", "/", b"{}")
            connection.getresponse().read()
            connection.close()
        assert len(private.requests) == len(REACHES)


@pytest.mark.parametrize(
    "address",
    "1.1.1.1 8.8.8.8 93.184.216.34 2606:4700:4700::1111 2001:4860:4860::8888 2a00:1450:4001::1".split(),
)
def test_an_address_on_the_public_net_is_public(address: str) -> None:
    assert public(address)


@pytest.mark.parametrize(
    "address",
    (
        "::ffff:8.8.8.8 64:ff9b::808:808 2002:808:808:: 2001::1 2001:db8::1 3fff::1 ff02::1 5f00::1 fe80::1%lo"
        " 2606:4700:4700:0::1111 008.8.8.8 8.8.8 224.0.0.1 240.0.0.1 255.255.255.255 192.88.99.1 x"
    ).split(),
)
def test_an_address_that_leads_elsewhere_or_is_written_otherwise_is_not(address: str) -> None:
    assert not public(address)


def test_one_private_address_among_public_ones_refuses_them_all() -> None:
    terms = WebhookTerms(frozenset({("hooks.example.com", 443)}))
    with pytest.raises(DecisionError, match="public net") as refused:
        target_of("https://hooks.example.com/", terms, lambda host, port: ["1.1.1.1", "10.0.0.7"])
    assert "10.0.0.7" not in str(refused.value)


def test_a_name_that_flips_is_asked_once_and_only_the_checked_address_is_dialled() -> None:
    answers = iter([["1.1.1.1"], ["127.0.0.1"], ["127.0.0.1"]])
    dialled: list[tuple[str, int]] = []

    def dial(address: str, port: int, timeout_s: float) -> socket.socket:
        dialled.append((address, port))
        raise OSError("the net is not reached from here")

    with hook() as private:
        name = "flips.example.com"
        terms = WebhookTerms(frozenset({(name, private.port)}), secret=b"s" * 16)
        target = target_of(f"https://{name}:{private.port}/", terms, lambda host, port: next(answers))
        assert deliver(target, b"{}", {}, 2.0, dial=dial) == ("failed", None)
        assert dialled == [("1.1.1.1", private.port)]
        assert private.accepted == 0
    assert next(answers) == ["127.0.0.1"]


def test_the_harness_sees_a_client_that_asks_a_flipping_name_again(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter(["1.1.1.1", "127.0.0.1"])
    real = socket.getaddrinfo

    def flipping(host: str, port: int, *more: int) -> object:
        return real(next(answers), port, *more)

    monkeypatch.setattr(socket, "getaddrinfo", flipping)
    with hook() as private:
        found = socket.getaddrinfo("flips.example.com", private.port)
        assert public(str(found[0][4][0]))
        connection = http.client.HTTPConnection("flips.example.com", private.port, timeout=5)
        connection.request("POST", "/", b"{}")
        connection.getresponse().read()
        connection.close()
        assert len(private.requests) == 1


@pytest.mark.parametrize(
    "url",
    [
        *(
            "http://hooks.example.com/ https://hooks.example.com:8443/ https://other.example.com/ ftp://hooks.example.com/"
            " https://hooks.example.com.evil.com/ https://evil.com/hooks.example.com https://hooks.example.com:443:1/"
            " https:///x //hooks.example.com/ https://hooks.example.com/#x https://a:b@hooks.example.com/ file:///etc/passwd"
            " https://hooks.example.com/\u2028 https://h\u043e\u043eks.example.com/ https://hooks.example.com:99999/"
            " hooks"
        ).split(" "),
        "",
        "https://hooks.example.com/a b",
        "https://hooks.example.com/\r\nX: y",
        "https://hooks.example.com/" + "x" * 4096,
    ],
)
def test_a_url_that_is_not_allowed_is_refused_before_its_name_is_looked_up(url: str) -> None:
    with pytest.raises(DecisionError) as refused:
        target_of(url, WebhookTerms(frozenset({("hooks.example.com", 443)})), _never)
    assert refused.value.reason == "webhook_not_allowed"


def test_an_allowed_host_is_taken_with_its_path_and_in_any_case() -> None:
    terms = WebhookTerms(frozenset({("hooks.example.com", 443)}))
    target = target_of("https://Hooks.Example.com/a/b?c=d&e=%20", terms, lambda host, port: ["1.1.1.1", "1.1.1.1"])
    assert target == ("hooks.example.com", 443, "/a/b?c=d&e=%20", True, ("1.1.1.1",))


def test_a_name_without_an_address_is_a_target_that_nothing_is_sent_to() -> None:
    def nothing(host: str, port: int) -> Collection[str]:
        raise OSError("no such name")

    target = target_of("https://h.example.com/", WebhookTerms(frozenset({("h.example.com", 443)})), nothing)
    assert target.addresses == ()
    assert deliver(target, b"{}", {}, 1.0) == ("failed", None)


def test_plain_http_goes_to_the_one_loopback_port_that_the_operator_named_and_to_none_of_ours() -> None:
    with hook() as named, hook() as other:
        terms = WebhookTerms(loopback=named.port)
        assert deliver(target_of(named.url, terms, _never), b"{}", {}, 5.0) == ("delivered", 200)
        for url in (
            other.url,
            f"http://127.0.0.1/{named.port}",
            f"http://127.1:{named.port}/",
            f"https://127.0.0.1:{named.port}/",
        ):
            with pytest.raises(DecisionError):
                target_of(url, terms, _never)
        with pytest.raises(DecisionError):
            target_of(named.url, terms, _never, own_ports={named.port})
        assert _counts(named, other) == (1, 0)


def _counts(*hooks: Hook) -> tuple[int, ...]:
    return tuple(one.accepted for one in hooks)
