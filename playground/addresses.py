"""Server addresses with their passwords inserted, because a password may need escapes in an address."""

from urllib.parse import quote, urlsplit

# Other schemes are files and sockets of this machine.
WITH_PASSWORDS = ("postgres", "postgresql", "redis", "rediss")


def with_password(url: str, password: str) -> str:
    """Return `url` with this password. Raises ValueError for an address that can't have one."""
    if not password:
        return url
    parts = urlsplit(url)
    if parts.scheme not in WITH_PASSWORDS:
        raise ValueError(f"an address that begins with {parts.scheme}: has no password")
    login, _, server = parts.netloc.rpartition("@")
    user = login.partition(":")[0]
    return parts._replace(netloc=f"{user}:{quote(password, safe='')}@{server}").geturl()
