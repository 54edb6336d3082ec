# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A selector that tells the kernel of a muted channel only when the kernel would report the channel.

*Fact.* A server mutes a channel for each request and unmutes it after the response. Each change of interest
that a select finds costs a system call.

*Consequence.* Where the response takes longer than one select, a request costs two system calls for its mute
and unmute.

*Choice (D103).* The kernel keeps the interest in reads of a channel that no longer wants them. When it
reports such a read for the second time, the selector removes the interest. The first report is often a
request that arrived just after the response, on a channel that is about to be unmuted.

*Cost.* A select that finds only unwanted events waits again.
"""

from __future__ import annotations

from kreactor.jdk.clock import Clock
from kreactor.jdk.floor import Floor
from kreactor.jdk.nio_channels import SocketChannel
from kreactor.jdk.nio_selector import READY_OPS, SelectionKey, Selector

_OP_READ = SocketChannel.OP_READ


class LazyNioSelector(Selector):
    """As the module says. Once changes are applied, a key's registered interest may also have reads."""

    __slots__ = ("_unwanted",)

    def __init__(self, selector: Floor.selectors.BaseSelector) -> None:
        super().__init__(selector)
        # The keys of which the kernel has reported an unwanted event once.
        self._unwanted: set[SelectionKey] = set()

    def changed_keys(self, ops: int) -> list[SelectionKey]:
        """Return the valid keys whose interest changed since the last select and has one of ``ops``.

        The keys are in the order of the changes.
        """
        return [key for key in list(self._changed) if key._interest_ops & ops and key._valid]

    def _apply_interest(self, key: SelectionKey, interest_ops: int) -> None:
        self._unwanted.discard(key)
        # DEVIATION D103: the kernel keeps an interest in reads that the key has no more.
        super()._apply_interest(key, interest_ops | key._registered_ops & _OP_READ)

    def _wait(self, timeout: float | None) -> tuple[list[tuple[Floor.selectors.SelectorKey, int]], bool]:
        deadline = Clock.seconds() + timeout if timeout else None
        while True:
            events, woken = super()._wait(timeout)
            wanted = [event for event in events if self._is_wanted(*event)]
            if wanted or woken or not events or timeout == 0:
                return wanted, woken
            # Only unwanted events ended the wait.
            if deadline is not None:
                timeout = max(0.0, deadline - Clock.seconds())

    def _is_wanted(self, selector_key: Floor.selectors.SelectorKey, mask: int) -> bool:
        key: SelectionKey | None = selector_key.data
        if key is None or not key._valid:
            return True
        interest_ops = key._interest_ops
        if READY_OPS[mask] & interest_ops or interest_ops == key._registered_ops:
            return True
        if key in self._unwanted:
            self._unwanted.remove(key)
            self._register_ops(key, interest_ops)
        else:
            self._unwanted.add(key)
        return False

    def _deregister_cancelled_keys(self) -> None:
        self._unwanted.difference_update(self._cancelled)
        super()._deregister_cancelled_keys()
