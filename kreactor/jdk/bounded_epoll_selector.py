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
from typing import Any, Mapping

_KEYS_AT_A_TIME = 1024


class BoundedEpollSelector(selectors.BaseSelector):
    """Takes descriptors as numbers, each once. Other members are those of the base class."""

    def __init__(self, at_a_time: int = _KEYS_AT_A_TIME) -> None:
        """Return at most ``at_a_time`` keys per select. Raises OSError if out of descriptors."""
        self._epoll = select.epoll()
        self._keys: dict[Any, selectors.SelectorKey] = {}
        self._at_a_time = at_a_time

    @staticmethod
    def is_available() -> bool:
        """Return whether the host has epoll."""
        return hasattr(select, "epoll")

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        """Watch a descriptor. Raises OSError."""
        self._epoll.register(fileobj, _mask(events))
        key = self._keys[fileobj] = selectors.SelectorKey(fileobj, fileobj, events, data)
        return key

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        """Stop watching a descriptor. Raises KeyError."""
        key = self._keys.pop(fileobj)
        try:
            self._epoll.unregister(fileobj)
        except OSError:
            pass  # the kernel has removed a closed descriptor already
        return key

    def modify(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        """Watch a descriptor for other events. Raises KeyError, OSError."""
        if events != self._keys[fileobj].events:
            self._epoll.modify(fileobj, _mask(events))
        key = self._keys[fileobj] = selectors.SelectorKey(fileobj, fileobj, events, data)
        return key

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Return ready keys with their events; wait up to ``timeout`` seconds for the first."""
        keys = self._keys
        ready = []
        # A wait without limit is -1, not None, because PyPy accepts only a number.
        for fd, event in self._epoll.poll(-1 if timeout is None else timeout, self._at_a_time):
            key = keys[fd]
            # A hang-up or an error counts as readable and writable.
            events = ((selectors.EVENT_READ if event & ~select.EPOLLOUT else 0)
                      | (selectors.EVENT_WRITE if event & ~select.EPOLLIN else 0))
            ready.append((key, events & key.events))
        return ready

    def close(self) -> None:
        """Close the epoll descriptor."""
        self._epoll.close()
        self._keys.clear()

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        """Return the keys by their descriptors."""
        return self._keys


def _mask(events: int) -> int:
    return ((select.EPOLLIN if events & selectors.EVENT_READ else 0)
            | (select.EPOLLOUT if events & selectors.EVENT_WRITE else 0))
