# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The exceptions of ``javax.net.ssl``, each an ``OSError`` as each is an IOException in Java.

They stand apart from the engine so that who only catches them does not load OpenSSL.
"""


class SSLException(OSError):
    """TLS went wrong."""


class SSLHandshakeException(SSLException):
    """The two could not agree, or one did not believe the other."""


class SSLProtocolException(SSLException):
    """The peer sent bytes that the protocol does not have there."""


class SSLKeyException(SSLException):
    """A key is no good."""


class SSLPeerUnverifiedException(SSLException):
    """The peer was asked for a certificate, and has not shown one."""
