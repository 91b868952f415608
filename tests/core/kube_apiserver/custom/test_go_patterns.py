"""Patterns that are none, in Go's words: measured from Go 1.27's regexp."""

import pytest

from kube_apiserver.custom.go_patterns import wrong

_START = "error parsing regexp: "
# pattern, what Go says of it after its first words; "" for one that it compiles
CASES = [
    ("(", "missing closing ): `(`"),
    (")", "unexpected ): `)`"),
    ("a)", "unexpected ): `a)`"),
    ("[a", "missing closing ]: `[a`"),
    ("a[b-a]", "invalid character class range: `b-a`"),
    ("*a", "missing argument to repetition operator: `*`"),
    ("a**", "invalid nested repetition operator: `**`"),
    ("a+*", "invalid nested repetition operator: `+*`"),
    ("a|*", "missing argument to repetition operator: `*`"),
    ("(*)", "missing argument to repetition operator: `*`"),
    ("(?=x)", "invalid or unsupported Perl syntax: `(?=`"),
    ("(?!x)", "invalid or unsupported Perl syntax: `(?!`"),
    ("(?<=x)", "invalid named capture: `(?<=x)`"),
    ("(?<n>x)", ""),
    ("(?P<n>x)", ""),
    ("(?P=n)", "invalid or unsupported Perl syntax: `(?P`"),
    ("(?i)x", ""),
    ("(?i:x)", ""),
    ("(?z)", "invalid or unsupported Perl syntax: `(?z`"),
    ("\\Z", "invalid escape sequence: `\\Z`"),
    ("\\8", "invalid escape sequence: `\\8`"),
    ("a\\", "trailing backslash at end of expression: ``"),
    ("a{2,1}", "invalid repeat count: `{2,1}`"),
    ("a{1001}", "invalid repeat count: `{1001}`"),
    ("a{2}{3}", "invalid nested repetition operator: `{2}{3}`"),
    ("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", ""),
    ("[[:alpha:]]", ""),
    ("[]a]", ""),
    ("[^]a]", ""),
    ("[\\d-z]", ""),
    ("a??", ""),
    ("a???", "invalid nested repetition operator: `???`"),
    ("x{,3}", ""),
    ("{2}", "missing argument to repetition operator: `{2}`"),
    ("\\d+\\.\\w{2,}", ""),
    ("(a|b", "missing closing ): `(a|b`"),
    ("((a)", "missing closing ): `((a)`"),
    ("\\pL", ""),
    ("\\x41", ""),
    ("\\Q*\\E", ""),
    ("^*", ""),
    ("(?:a", "missing closing ): `(?:a`"),
    ("(?", "invalid or unsupported Perl syntax: `(?`"),
    ("\\y", "invalid escape sequence: `\\y`"),
    ("a{3}*", "invalid nested repetition operator: `{3}*`"),
]


@pytest.mark.parametrize(("pattern", "want"), CASES)
def test_go_says_of_a_pattern(pattern: str, want: str) -> None:
    assert wrong(pattern).removeprefix(_START) == want
