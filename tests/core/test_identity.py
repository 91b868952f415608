"""What is worked out once for each thing."""

from kube_objects.identity import IdentityCache


def test_the_same_thing_gives_the_same_answer_and_an_equal_one_its_own() -> None:
    known = IdentityCache(most=2)
    one, other = [1], [1]
    assert known.once(tuple, one) is known.once(tuple, one)
    assert known.once(list, one) is not known.once(list, other)


def test_each_that_works_something_out_has_its_own_answers() -> None:
    known = IdentityCache(most=2)
    one = [3, 1]
    assert (known.once(len, one), known.once(sorted, one), known.once(len, one)) == (2, [1, 3], 2)


def test_no_more_than_so_many_are_remembered() -> None:
    known = IdentityCache(most=2)
    first, *others = [1], [2], [3]
    before = known.once(list, first)
    for one in others:
        known.once(list, one)
    assert known.once(list, first) is not before
