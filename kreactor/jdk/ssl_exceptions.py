# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The exceptions of ``javax.net.ssl``, each an ``OSError`` as each is an IOException in Java.

The exceptions have their own module, so that code which only catches them does not load OpenSSL.
"""


class SSLException(OSError):
    """TLS failed."""


class SSLHandshakeException(SSLException):
    """The handshake failed: no common parameters, or a refused certificate."""


class SSLProtocolException(SSLException):
    """The peer's bytes break the protocol."""


class SSLKeyException(SSLException):
    """A key is not usable."""


class SSLPeerUnverifiedException(SSLException):
    """The peer has not sent a certificate."""
