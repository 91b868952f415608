"""Addresses of servers, with their passwords put in: a password may hold any character, an address may not."""

from urllib.parse import quote, urlsplit

# Others are files and sockets of this machine.
WITH_PASSWORDS = ("postgres", "postgresql", "redis", "rediss")


def with_password(url: str, password: str) -> str:
    """`url` with this password in place of its own. Raises ValueError for an address that has no place for one."""
    if not password:
        return url
    parts = urlsplit(url)
    if parts.scheme not in WITH_PASSWORDS:
        raise ValueError(f"an address that begins with {parts.scheme}: has no password")
    login, _, server = parts.netloc.rpartition("@")
    user = login.partition(":")[0]
    return parts._replace(netloc=f"{user}:{quote(password, safe='')}@{server}").geturl()
