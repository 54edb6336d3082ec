# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The Java exceptions that the ported floors raise or catch, hung where Python's own would be caught.

``IOException`` is ``OSError`` itself and gets no name here. A subclass of ``IOException`` in Java
subclasses ``OSError``, so that ``except OSError`` catches it; a subclass of ``RuntimeException`` in Java
does not. ``java.util.concurrent.TimeoutException`` is not an ``OSError`` in Java, but Python's
``TimeoutError`` is one: it would be taken for a broken connection, hence a class of our own.
"""


class IllegalArgumentException(ValueError):
    """An argument outside what the callee accepts."""


class IllegalStateException(RuntimeError):
    """A call that the object's present state does not allow."""


class UnsupportedOperationException(RuntimeError):
    """An operation that this implementation does not offer."""


class NoSuchElementException(LookupError):
    """An element was asked for where there is none."""


class TimeoutException(Exception):
    """A wait ended because its time was up."""


class ControlThrowable(BaseException):
    """A throwable that is to end its thread: Scala's loops survive every other one and raise this one on."""


class BufferUnderflowException(RuntimeError):
    """A relative read went past the limit of a buffer."""


class BufferOverflowException(RuntimeError):
    """A relative write went past the limit of a buffer."""


class EOFException(OSError):
    """The end of a stream came before what was expected of it."""


class ClosedChannelException(OSError):
    """An operation on a channel that is closed."""


class NotYetConnectedException(IllegalStateException):
    """A read or write on a socket channel whose connection is not there yet."""


class UnresolvedAddressException(IllegalArgumentException):
    """A connect to an address whose host name has no address."""


class CancelledKeyException(IllegalStateException):
    """A use of a selection key that is no longer valid."""


class ClosedSelectorException(IllegalStateException):
    """A use of a selector that is closed."""
