# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A selector on epoll that returns a bounded number of keys per select, as the JDK's does.

Fact: ``selectors.EpollSelector`` asks the kernel for as many events as it has descriptors. Consequence: when
ten thousand connections end together, one select returns all of them. The memory for closing all of them is
then held at once, and Python does not return it to the system. Choice, the JDK's: at most 1024 events per
select. Cost: none for the keys, because the kernel returns the remaining events at the next select, before
later ones. A key that stays ready goes to the end of the kernel's list after each select that returns it.

Owner: the thread that selects.
"""

from __future__ import annotations

import select
import selectors
from typing import TYPE_CHECKING, Any

from kreactor.jdk.floor import Floor

if TYPE_CHECKING or hasattr(selectors, "EpollSelector"):
    _EpollSelector = selectors.EpollSelector
else:
    _EpollSelector = selectors.DefaultSelector  # the class below is not used on such a host

_KEYS_AT_A_TIME = 1024


class BoundedEpollSelector(_EpollSelector):
    """``selectors.EpollSelector`` with a bound on the keys that one ``select`` returns."""

    # Private names of the base class: its epoll object, and its keys by their descriptors.
    _selector: Any
    _fd_to_key: dict[int, selectors.SelectorKey]

    def __init__(self, at_a_time: int = _KEYS_AT_A_TIME) -> None:
        """Return at most ``at_a_time`` keys per select. Raises OSError if out of descriptors."""
        super().__init__()
        self._at_a_time = at_a_time

    @staticmethod
    def is_available() -> bool:
        """Return whether the host has epoll, and no other world stands below the floor."""
        return Floor.selectors is selectors and hasattr(selectors, "EpollSelector")

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Return ready keys with their events; wait up to ``timeout`` seconds for the first."""
        # DEVIATION D519: the base class has no other way to give the bound than to use its private names.
        keys = self._fd_to_key
        ready = []
        # A wait without limit is -1, not None, because PyPy accepts only a number.
        for fd, event in self._selector.poll(-1 if timeout is None else timeout, self._at_a_time):
            key = keys[fd]
            # A hang-up or an error counts as readable and writable.
            events = ((selectors.EVENT_READ if event & ~select.EPOLLOUT else 0)
                      | (selectors.EVENT_WRITE if event & ~select.EPOLLIN else 0))
            ready.append((key, events & key.events))
        return ready
