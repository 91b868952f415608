"""Guessing is slowed down: for a name, and for all names, from one address."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from playground import limits

SLOW = b"Too many wrong passwords"


@pytest.fixture(autouse=True)
def nothing_counted(web: None) -> None:
    cache.clear()


def log_in(name: str, password: str, address: str = "192.0.2.1") -> Any:
    return Client(REMOTE_ADDR=address).post("/accounts/login/", {"username": name, "password": password})


def test_one_name(make_user: Callable[[str], Any]) -> None:
    make_user("ada")
    for _ in range(limits.FAILED_LOGINS):
        assert SLOW not in log_in("ada", "wrong").content
    assert SLOW in log_in("ada", "ada-password").content
    # Others are not locked out by it, at whatever address.
    assert log_in("ada", "ada-password", "192.0.2.2").status_code == 302


def test_one_password_for_many_names(make_user: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "FAILED_LOGINS_PER_ADDRESS", 20)
    make_user("ada")
    for number in range(20):
        assert SLOW not in log_in(f"name-{number}", "password1").content
    assert SLOW in log_in("ada", "ada-password").content
    assert log_in("ada", "ada-password", "192.0.2.2").status_code == 302
