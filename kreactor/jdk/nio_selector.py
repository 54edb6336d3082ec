# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``java.nio.channels.Selector`` and ``SelectionKey`` on the stdlib ``selectors``.

Owner: one thread selects; any thread may ``wakeup``, cancel a key, close a channel or register one.

*Interest is lazy.* The kernel keeps a descriptor's interest until it changes, and a change costs a system
call. ``interest_ops_to`` therefore only notes that a key changed. The next select updates the kernel, and
only where the new interest differs from the kernel's. A channel that is muted for a request and unmuted by
its response between two selects costs no system call.

*No interest is no registration.* A muted channel has no interest. Fact: epoll reports a hang-up or an error
even for an empty mask, at every wait, and ``selectors`` has no empty mask: ``register`` and ``modify`` of
poll and epoll refuse it, and SelectSelector ignores it. Choice, the JDK's: a key without interest is removed
from the kernel's set until it has interest again. Cost: the hang-up of a muted peer is not seen until the
channel is unmuted, as in Kafka.

*A cancelled key stays until the next select*, which removes cancelled keys at its start and at its end. There
a closed channel also closes its descriptor (see ``nio_channels``). The descriptor's number cannot be reused
while the selector has it, because the kernel's set loses it first.

*A select without any interest*, as when all channels are muted, waits for a wakeup without a system call.

*A select may leave ready keys for the next select*: see ``bounded_epoll_selector``.

*Errors wake everything.* A hang-up or an error makes a channel ready for all operations of its interest, so
that the following read or write raises it.

``key._registered_ops`` is the interest that the kernel has for the key, 0 if the kernel does not have the
key. Once the changes are applied, it is the key's interest. The two queues are deques: ``append`` and
``popleft`` are atomic with and without a GIL.
"""

from __future__ import annotations

import selectors
from collections import deque
from typing import Any, KeysView, Self

from kreactor.jdk.bounded_epoll_selector import BoundedEpollSelector
from kreactor.jdk.exceptions import (
    CancelledKeyException,
    ClosedSelectorException,
    IllegalArgumentException,
    IllegalStateException,
)
from kreactor.jdk.floor import Floor
from kreactor.jdk.forks import owned_by_process
from kreactor.jdk.nio_channels import SelectableChannel, ServerSocketChannel, SocketChannel
from kreactor.jdk.threads import Thread, selector_opens
from kreactor.jdk.wakeup import Wakeup

_OP_READ = SocketChannel.OP_READ
_IN_OPS = _OP_READ | ServerSocketChannel.OP_ACCEPT
_OUT_OPS = SocketChannel.OP_WRITE | SocketChannel.OP_CONNECT

# The kernel's time-out is a C int; the JDK truncates longer times, too.
_LONGEST_WAIT_MS = 2**31 - 1

# The event mask of `selectors` for each set of operations, and the ready operations for each mask.
_EVENTS = tuple(
    (selectors.EVENT_READ if ops & _IN_OPS else 0) | (selectors.EVENT_WRITE if ops & _OUT_OPS else 0)
    for ops in range(32)
)
READY_OPS = tuple(
    (_IN_OPS if events & selectors.EVENT_READ else 0) | (_OUT_OPS if events & selectors.EVENT_WRITE else 0)
    for events in range(4)
)


class SelectionKey:
    """The registration of a channel with a selector. Keys are equal by identity."""

    __slots__ = ("_channel", "_selector", "_interest_ops", "_ready_ops", "_registered_ops", "_valid",
                 "_attachment", "_valid_ops", "_is_changed", "_is_interested")

    OP_READ = SocketChannel.OP_READ
    OP_WRITE = SocketChannel.OP_WRITE
    OP_CONNECT = SocketChannel.OP_CONNECT
    OP_ACCEPT = ServerSocketChannel.OP_ACCEPT

    def __init__(self, channel: SelectableChannel, selector: Selector, attachment: object) -> None:
        """Made by ``SelectableChannel.register``."""
        self._channel = channel
        self._selector = selector
        self._interest_ops = 0
        self._ready_ops = 0
        self._registered_ops = 0
        self._valid = True
        self._attachment: Any = attachment
        self._valid_ops = channel.valid_ops()
        # Whether the key is queued for the next select. The select clears this flag before it reads the key,
        # so a change in between queues the key again.
        self._is_changed = False
        # Whether the key had any interest when the selector last read it.
        self._is_interested = False

    # The caller knows the type, as with Java's cast.
    def channel(self) -> Any:
        """Return the channel, also after the key is cancelled."""
        return self._channel

    def selector(self) -> Selector:
        """Return the selector."""
        return self._selector

    def is_valid(self) -> bool:
        """Return whether the key is valid: it is not cancelled, and its channel and selector are open."""
        return self._valid

    def cancel(self) -> None:
        """Make the key invalid; the next select removes it. A second call does nothing."""
        if self._valid:
            self._valid = False
            self._selector._cancelled.append(self)

    def interest_ops(self) -> int:
        """Return the operations of the key's interest. Raises CancelledKeyException."""
        if not self._valid:
            raise CancelledKeyException()
        return self._interest_ops

    def interest_ops_to(self, ops: int) -> SelectionKey:
        """Watch for ``ops`` from the next select on.

        Raises CancelledKeyException, or IllegalArgumentException for operations that the channel lacks.
        """
        if self._valid:
            self._check_ops(ops)
        self.interest_ops_and(ops)
        self.interest_ops_or(ops)
        return self

    def interest_ops_or(self, ops: int) -> int:
        """Add ``ops`` to the interest; return the previous interest. Raises as ``interest_ops_to``."""
        if not self._valid:
            raise CancelledKeyException()
        old = self._interest_ops
        new = old | ops
        if new != old:
            if new & ~self._valid_ops:
                self._check_ops(new)
            self._interest_ops = new
            if not self._is_changed:
                self._is_changed = True
                self._selector._changed.append(self)
        return old

    def interest_ops_and(self, ops: int) -> int:
        """Remove all but ``ops`` from the interest; return the previous interest.

        Raises CancelledKeyException.
        """
        if not self._valid:
            raise CancelledKeyException()
        old = self._interest_ops
        new = old & ops
        if new != old:
            self._interest_ops = new
            if not self._is_changed:
                self._is_changed = True
                self._selector._changed.append(self)
        return old

    def ready_ops(self) -> int:
        """Return the ready operations, as found by the select that added the key to the selected keys."""
        if not self._valid:
            raise CancelledKeyException()
        return self._ready_ops

    def is_readable(self) -> bool:
        """Return whether the channel is ready for a read. Raises CancelledKeyException."""
        if not self._valid:
            raise CancelledKeyException()
        return self._ready_ops & SocketChannel.OP_READ != 0

    def is_writable(self) -> bool:
        """Return whether the channel is ready for a write. Raises CancelledKeyException."""
        if not self._valid:
            raise CancelledKeyException()
        return self._ready_ops & SocketChannel.OP_WRITE != 0

    def is_connectable(self) -> bool:
        """Return whether a pending connect has succeeded or failed. Raises CancelledKeyException."""
        if not self._valid:
            raise CancelledKeyException()
        return self._ready_ops & SocketChannel.OP_CONNECT != 0

    def is_acceptable(self) -> bool:
        """Return whether a connection waits to be accepted. Raises CancelledKeyException."""
        if not self._valid:
            raise CancelledKeyException()
        return self._ready_ops & ServerSocketChannel.OP_ACCEPT != 0

    def attach(self, attachment: object) -> object:
        """Set the key's attachment; return the previous one."""
        previous, self._attachment = self._attachment, attachment
        return previous

    # The caller knows the type, as with Java's cast.
    def attachment(self) -> Any:
        """Return the key's attachment."""
        return self._attachment

    def _check_ops(self, ops: int) -> None:
        if ops & ~self._valid_ops:
            raise IllegalArgumentException(f"operations {ops} are not among {self._valid_ops}")

    def __repr__(self) -> str:
        state = (f"interestOps={_ops_text(self._interest_ops)}, readyOps={_ops_text(self._ready_ops)}"
                 if self._valid else "invalid")
        return f"SelectionKey[channel={self._channel}, {state}]"


def _ops_text(ops: int) -> str:
    names = {SelectionKey.OP_READ: "READ", SelectionKey.OP_WRITE: "WRITE",
             SelectionKey.OP_CONNECT: "CONNECT", SelectionKey.OP_ACCEPT: "ACCEPT"}
    return "|".join(name for op, name in names.items() if ops & op) or "none"


class Selector:
    """Watches channels and reports the ready ones."""

    __slots__ = ("_selector", "_wakeup", "_keys", "_selected_keys", "_changed", "_cancelled", "_interested",
                 "_open", "__weakref__")

    def __init__(self, selector: selectors.BaseSelector) -> None:
        """Own ``selector``, which must be empty. Prefer ``open``."""
        self._selector = selector
        try:
            self._wakeup = Wakeup()
        except OSError:
            selector.close()
            raise
        self._selector.register(self._wakeup.fileno(), selectors.EVENT_READ, None)
        self._keys: dict[SelectionKey, None] = {}
        self._selected_keys: dict[SelectionKey, None] = {}
        self._changed: deque[SelectionKey] = deque()
        self._cancelled: deque[SelectionKey] = deque()
        # The number of keys with any interest.
        self._interested = 0
        self._open = True
        owned_by_process(self)
        selector_opens(self)

    def forget_in_child(self) -> None:
        """Close the descriptors in a forked child.

        No key is removed from the kernel's set, which is the parent's.
        """
        self._open = False
        for key in self._keys:
            key._valid = False
        self._selector.close()
        self._wakeup.forget_in_child()

    @classmethod
    def open(cls) -> Self:
        """Return a selector with the host's best mechanism. Raises OSError if out of descriptors."""
        if BoundedEpollSelector.is_available():
            return cls(BoundedEpollSelector())
        return cls(Floor.selectors.DefaultSelector())

    def is_open(self) -> bool:
        """Return whether ``close`` has not been called."""
        return self._open

    def keys(self) -> KeysView[SelectionKey]:
        """Return a view of the keys of all registered channels. Raises ClosedSelectorException."""
        self._check_open()
        return self._keys.keys()

    def selected_keys(self) -> dict[SelectionKey, None]:
        """Return the set of ready keys, as a dict in the order they became ready.

        The caller empties it. A key that stays in it keeps its old ready operations, and is counted again
        only when more operations become ready. Raises ClosedSelectorException.
        """
        if not self._open:
            self._check_open()
        return self._selected_keys

    def select(self, timeout_ms: int = 0) -> int:
        """Wait until a channel is ready, ``wakeup`` is called, or ``timeout_ms`` have passed.

        0 waits without limit; other waits end after 24 days at the latest. An interrupted thread does not
        wait, and stays interrupted. Returns the number of keys that
        became ready for further operations. Raises ClosedSelectorException, IllegalArgumentException if
        ``timeout_ms`` is negative, or OSError.
        """
        if timeout_ms < 0:
            raise IllegalArgumentException("Negative timeout")
        return self._select(min(timeout_ms, _LONGEST_WAIT_MS) / 1000 if timeout_ms else None)

    def select_now(self) -> int:
        """As ``select``, but without waiting."""
        return self._select(0)

    def wakeup(self) -> Selector:
        """End the current select, or else the next one at once. Called by any thread."""
        wakeup = self._wakeup
        if not wakeup._owed:
            wakeup.wakeup()
        return self

    def close(self) -> None:
        """Deregister all channels, and complete the close of closed ones. A second call does nothing.

        Called by the selecting thread, or when no thread selects any more.
        """
        if not self._open:
            return
        self._open = False
        for key in list(self._keys):
            key.cancel()
        self._deregister_cancelled_keys()
        self._selected_keys.clear()
        self._selector.close()
        self._wakeup.close()

    def _register(self, channel: SelectableChannel, ops: int, attachment: object) -> SelectionKey:
        self._check_open()
        key = channel._key
        if key is None:
            key = SelectionKey(channel, self, attachment)
            channel._key = key
            self._keys[key] = None
        elif key._selector is not self:
            raise IllegalStateException("the channel is registered with another selector")
        else:
            key.attach(attachment)
        return key.interest_ops_to(ops)

    def _select(self, timeout: float | None) -> int:
        if not self._open:
            self._check_open()
        if self._changed:
            self._apply_interest_changes()
        if self._cancelled:
            self._deregister_cancelled_keys()
        if timeout != 0 and Thread.INTERRUPTED and Thread.current_thread() in Thread.INTERRUPTED:
            timeout = 0
        if not self._interested and timeout != 0:
            # The kernel has no event to report, and a wait without a system call is cheaper.
            self._wakeup.sleep(timeout)
            if self._cancelled:
                self._deregister_cancelled_keys()
            return 0
        updated = 0
        selected_keys = self._selected_keys
        for selector_key, mask in self._wait(timeout)[0]:
            key: SelectionKey | None = selector_key.data
            if key is None or not key._valid:
                continue
            ready_ops = READY_OPS[mask] & key._interest_ops
            if key not in selected_keys:
                if ready_ops:
                    key._ready_ops = ready_ops
                    selected_keys[key] = None
                    updated += 1
            elif ready_ops & ~key._ready_ops:
                key._ready_ops |= ready_ops
                updated += 1
        return updated

    def _wait(self, timeout: float | None) -> tuple[list[tuple[selectors.SelectorKey, int]], bool]:
        """Return the kernel's events, and whether a wakeup was owed. Waits up to ``timeout`` seconds."""
        if timeout != 0 and not self._wakeup.prepare_to_sleep():
            timeout = 0
        woken = False
        try:
            events = self._selector.select(timeout)
        finally:
            woken = self._wakeup.end_wait()
        if self._cancelled:
            self._deregister_cancelled_keys()
        return events, woken

    def _apply_interest_changes(self) -> None:
        changed = self._changed
        while changed:
            key = changed.popleft()
            key._is_changed = False
            if not key._valid:
                continue
            interest_ops = key._interest_ops
            if (not interest_ops) is key._is_interested:
                key._is_interested = not key._is_interested
                self._interested += 1 if key._is_interested else -1
            self._apply_interest(key, interest_ops)

    def _apply_interest(self, key: SelectionKey, interest_ops: int) -> None:
        """Tell the kernel a key's interest, if the kernel has another."""
        if interest_ops != key._registered_ops:
            self._register_ops(key, interest_ops)

    def _register_ops(self, key: SelectionKey, ops: int) -> None:
        """Set the kernel's interest to ``ops``."""
        events = _EVENTS[ops]
        registered = _EVENTS[key._registered_ops]
        if events != registered:
            if not registered:
                self._selector.register(key._channel.fileno(), events, key)
            elif events:
                self._selector.modify(key._channel.fileno(), events, key)
            else:
                self._selector.unregister(key._channel.fileno())
        key._registered_ops = ops

    def _deregister_cancelled_keys(self) -> None:
        cancelled = self._cancelled
        while cancelled:
            key = cancelled.popleft()
            if key._is_interested:
                key._is_interested = False
                self._interested -= 1
            if key._registered_ops:
                self._selector.unregister(key._channel.fileno())
                key._registered_ops = 0
            self._keys.pop(key, None)
            self._selected_keys.pop(key, None)
            key._channel._deregistered()

    def _check_open(self) -> None:
        if not self._open:
            raise ClosedSelectorException("the selector is closed")
