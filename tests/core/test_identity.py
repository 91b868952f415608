"""What is worked out once for each thing."""

from scheduler_core.identity import ByIdentity


def test_the_same_thing_gives_the_same_answer_and_an_equal_one_its_own() -> None:
    copied = ByIdentity[list[int], list[int]](list, most=2)
    one, other = [1], [1]
    assert copied(one) is copied(one)
    assert copied(one) is not copied(other)


def test_no_more_than_so_many_are_remembered() -> None:
    copied = ByIdentity[list[int], list[int]](list, most=2)
    first, *others = [1], [2], [3]
    before = copied(first)
    for one in others:
        copied(one)
    assert copied(first) is not before
