# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tests of Kafka's AbstractIteratorTest, and of the other iterators with has_next."""

from __future__ import annotations

import pytest

from kreactor.common.utils.abstract_iterator import AbstractIterator
from kreactor.common.utils.closeable_iterator import CloseableIterator
from kreactor.jdk.exceptions import IllegalStateException, NoSuchElementException


class ListIterator(AbstractIterator):
    def __init__(self, elements: list) -> None:
        super().__init__()
        self.elements = elements
        self.position = 0

    def make_next(self):
        if self.position < len(self.elements):
            self.position += 1
            return self.elements[self.position - 1]
        return self.all_done()


def test_iterator() -> None:
    iterator = ListIterator(list(range(10)))
    for i in range(10):
        assert iterator.peek() == i
        assert iterator.has_next()
        assert iterator.next() == i
    assert not iterator.has_next()


def test_empty_iterator() -> None:
    iterator = ListIterator([])
    with pytest.raises(NoSuchElementException):
        iterator.next()
    with pytest.raises(NoSuchElementException):
        iterator.peek()


# -- ours ----------------------------------------------------------------------------------------------------


def test_loops_and_calls_can_be_mixed() -> None:
    iterator = ListIterator([1, 2, 3])
    assert iterator.has_next() and next(iterator) == 1
    assert iterator.peek() == 2 and list(iterator) == [2, 3]
    assert list(iterator) == [] and not iterator.has_next()


def test_none_is_no_element() -> None:
    for use in (ListIterator.next, ListIterator.__next__, ListIterator.peek):
        with pytest.raises(IllegalStateException, match="Expected item but none found."):
            use(ListIterator([None]))


@pytest.mark.parametrize("first_use", [AbstractIterator.has_next, AbstractIterator.__next__])
def test_a_failure_stays(first_use) -> None:
    class Failing(ListIterator):
        def make_next(self):
            if not self.position:
                self.position = 1
                raise ValueError
            return super().make_next()

    iterator = Failing([1, 2])
    with pytest.raises(ValueError):
        first_use(iterator)
    for use in (iterator.has_next, iterator.next, lambda: next(iterator), iterator.peek):
        with pytest.raises(IllegalStateException, match="Iterator is in failed state"):
            use()


def test_wrap() -> None:
    with CloseableIterator.wrap(iter([None, 1])) as iterator:
        assert iterator.has_next() and iterator.has_next()
        assert iterator.next() is None
        assert list(iterator) == [1]
        assert not iterator.has_next()
        with pytest.raises(NoSuchElementException):
            iterator.next()
