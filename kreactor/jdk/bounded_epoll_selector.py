# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A selector on epoll that hands out a bounded number of keys at a time, as the JDK's does.

The kernel gives as many events as it is asked for, and ``selectors.EpollSelector`` asks for as many as it
has descriptors. When ten thousand connections end together, all are then ready in one select, and what it
takes to close them is held all at once: memory that Python does not give back. The choice, the JDK's: 1024
at a time. No key is passed over for that. An event that was not asked for comes at the next select, before
those that became ready later. A key that stays ready goes to the end of the kernel's list once it was given.

Owner: the thread that selects.
"""

from __future__ import annotations

import select
import selectors
from typing import Any, Mapping

_KEYS_AT_A_TIME = 1024


class BoundedEpollSelector(selectors.BaseSelector):
    """Takes descriptors by their numbers, and each once. Any is where its base class has it."""

    def __init__(self, at_a_time: int = _KEYS_AT_A_TIME) -> None:
        """Hand out ``at_a_time`` keys at the most. Raises OSError if out of descriptors."""
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
        """Watch a descriptor no longer. Raises KeyError."""
        key = self._keys.pop(fileobj)
        try:
            self._epoll.unregister(fileobj)
        except OSError:
            pass  # the kernel has forgotten one that is closed
        return key

    def modify(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        """Watch a descriptor for something else. Raises KeyError, OSError."""
        if events != self._keys[fileobj].events:
            self._epoll.modify(fileobj, _mask(events))
        key = self._keys[fileobj] = selectors.SelectorKey(fileobj, fileobj, events, data)
        return key

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Return ready keys with what they are ready for; wait for one up to ``timeout`` seconds."""
        keys = self._keys
        ready = []
        # Not None for a wait without limit: PyPy takes a number alone.
        for fd, event in self._epoll.poll(-1 if timeout is None else timeout, self._at_a_time):
            key = keys[fd]
            # A hang-up or an error counts as both.
            events = ((selectors.EVENT_READ if event & ~select.EPOLLOUT else 0)
                      | (selectors.EVENT_WRITE if event & ~select.EPOLLIN else 0))
            ready.append((key, events & key.events))
        return ready

    def close(self) -> None:
        """Give the descriptor back."""
        self._epoll.close()
        self._keys.clear()

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        """Return the keys by their descriptors."""
        return self._keys


def _mask(events: int) -> int:
    return ((select.EPOLLIN if events & selectors.EVENT_READ else 0)
            | (select.EPOLLOUT if events & selectors.EVENT_WRITE else 0))
