"""Path converters of URLs."""


class NumberConverter:
    """A number that fits every database column."""

    regex = "[0-9]{1,18}"

    def to_python(self, value: str) -> int:
        return int(value)

    def to_url(self, value: int) -> str:
        return str(value)


class NameConverter:
    """A kind, a namespace or a name. Some kinds allow nearly any character except a slash."""

    regex = r"[^/\x00]{1,253}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


class KeyConverter(NameConverter):
    """An object's key: namespace/name, or only a name."""

    regex = rf"{NameConverter.regex}(?:/{NameConverter.regex})?"
