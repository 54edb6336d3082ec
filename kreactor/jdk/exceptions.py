# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The Java exceptions that the ported packages raise or catch, as subclasses of Python's exceptions.

``IOException`` is ``OSError`` itself, without a name here. A subclass of ``IOException`` in Java subclasses
``OSError``, so that ``except OSError`` catches it; a subclass of ``RuntimeException`` in Java does not.
``java.util.concurrent.TimeoutException`` is not an ``OSError`` in Java, but Python's ``TimeoutError`` is one:
callers would treat it as a broken connection. Hence this module has a class of its own.
"""


class IllegalArgumentException(ValueError):
    """An argument is not acceptable."""


class IllegalStateException(RuntimeError):
    """The object's present state does not allow the call."""


class UnsupportedOperationException(RuntimeError):
    """The implementation does not support the operation."""


class NoSuchElementException(LookupError):
    """The requested element does not exist."""


class TimeoutException(Exception):
    """The time limit of a wait has passed."""


class IllegalMonitorStateException(RuntimeError):
    """A thread released a lock that it does not have."""


class InterruptedException(Exception):
    """Another thread has interrupted a wait of this thread. The thread's flag is clear then."""


class ControlThrowable(BaseException):
    """A throwable that ends its thread: Scala's loops catch every other exception and re-raise this one."""


class BufferUnderflowException(RuntimeError):
    """A relative read went past the limit of a buffer."""


class BufferOverflowException(RuntimeError):
    """A relative write went past the limit of a buffer."""


class EOFException(OSError):
    """A stream ended too early."""


class ClosedChannelException(OSError):
    """The channel is closed."""


class NotYetConnectedException(IllegalStateException):
    """A socket channel was read or written before its connection was established."""


class UnresolvedAddressException(IllegalArgumentException):
    """The host name of an address has no IP address."""


class CancelledKeyException(IllegalStateException):
    """A selection key was used after it became invalid."""


class ClosedSelectorException(IllegalStateException):
    """A selector was used after its close."""
