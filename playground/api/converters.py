"""Parts of addresses."""


class Number:
    """A number that fits every column: a longer one is no address of ours."""

    regex = "[0-9]{1,18}"

    def to_python(self, value: str) -> int:
        return int(value)

    def to_url(self, value: int) -> str:
        return str(value)


class Name:
    """A kind, a namespace or a name. Some kinds allow nearly everything in a name, but no slash."""

    regex = r"[^/\x00]{1,253}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


class Key(Name):
    """An object's key: namespace/name, or a name alone."""

    regex = rf"{Name.regex}(?:/{Name.regex})?"
