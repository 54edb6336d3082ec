# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.errors of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Authentication and authorization, delegation tokens among them."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from kreactor.common.errors.api import ApiException, RetriableException
from kreactor.jdk.text import java_text


class AuthenticationException(ApiException):
    """The peer is not who it says, or does not say it in the right way. Never worth a retry.

    :origin: common.errors.AuthenticationException
    :origin: common.errors.AuthenticationException#AuthenticationException(String)
    :origin: common.errors.AuthenticationException#AuthenticationException(Throwable)
    :origin: common.errors.AuthenticationException#AuthenticationException(String, Throwable)
    """


class SslAuthenticationException(AuthenticationException):
    """The TLS handshake failed for a reason that a retry would not mend.

    :origin: common.errors.SslAuthenticationException
    :origin: common.errors.SslAuthenticationException#SslAuthenticationException(String)
    :origin: common.errors.SslAuthenticationException#SslAuthenticationException(String, Throwable)
    """


class SaslAuthenticationException(AuthenticationException):
    """The SASL exchange failed; the message may be sent to the client, and must not tell secrets.

    :origin: common.errors.SaslAuthenticationException
    :origin: common.errors.SaslAuthenticationException#SaslAuthenticationException(String)
    :origin: common.errors.SaslAuthenticationException#SaslAuthenticationException(String, Throwable)
    """


class IllegalSaslStateException(AuthenticationException):
    """Something came that has no place at this point of a SASL exchange.

    :origin: common.errors.IllegalSaslStateException
    :origin: common.errors.IllegalSaslStateException#IllegalSaslStateException(String)
    :origin: common.errors.IllegalSaslStateException#IllegalSaslStateException(String, Throwable)
    """


class UnsupportedSaslMechanismException(AuthenticationException):
    """A SASL mechanism that the broker does not offer.

    :origin: common.errors.UnsupportedSaslMechanismException
    :origin: common.errors.UnsupportedSaslMechanismException#UnsupportedSaslMechanismException(String)
    :origin: common.errors.UnsupportedSaslMechanismException#UnsupportedSaslMechanismException(String, Throwable)
    """  # noqa: E501


class AuthorizationException(ApiException):
    """The peer is known, and may not do that.

    :origin: common.errors.AuthorizationException
    :origin: common.errors.AuthorizationException#AuthorizationException(String)
    :origin: common.errors.AuthorizationException#AuthorizationException(String, Throwable)
    """


class ClusterAuthorizationException(AuthorizationException):
    """Not allowed on the cluster as a whole.

    :origin: common.errors.ClusterAuthorizationException
    :origin: common.errors.ClusterAuthorizationException#ClusterAuthorizationException(String)
    :origin: common.errors.ClusterAuthorizationException#ClusterAuthorizationException(String, Throwable)
    """


class TopicAuthorizationException(AuthorizationException):
    """Not allowed on some topics.

    :origin: common.errors.TopicAuthorizationException
    """

    def __init__(self, message: str | None = None,
                 unauthorized_topics: AbstractSet[str] | None = None) -> None:
        """Without a message the topics make one.

        :origin: common.errors.TopicAuthorizationException#TopicAuthorizationException(String, Set<String>)
        :origin: common.errors.TopicAuthorizationException#TopicAuthorizationException(Set<String>)
        :origin: common.errors.TopicAuthorizationException#TopicAuthorizationException(String)
        """
        if unauthorized_topics is None:
            unauthorized_topics = frozenset()
        elif message is None:
            message = f"Not authorized to access topics: {java_text(unauthorized_topics)}"
        super().__init__(message)
        self._unauthorized_topics = unauthorized_topics

    def unauthorized_topics(self) -> AbstractSet[str]:
        """Return the topics, none if they are unknown.

        :origin: common.errors.TopicAuthorizationException#unauthorizedTopics()
        """
        return self._unauthorized_topics


class GroupAuthorizationException(AuthorizationException):
    """Not allowed on a group.

    :origin: common.errors.GroupAuthorizationException
    """

    def __init__(self, message: str, group_id: str | None = None) -> None:
        """Keep both.

        :origin: common.errors.GroupAuthorizationException#GroupAuthorizationException(String, String)
        :origin: common.errors.GroupAuthorizationException#GroupAuthorizationException(String)
        """
        super().__init__(message)
        self._group_id = group_id

    def group_id(self) -> str | None:
        """Return the group, or None if it is unknown.

        :origin: common.errors.GroupAuthorizationException#groupId()
        """
        return self._group_id

    @staticmethod
    def for_group_id(group_id: str) -> GroupAuthorizationException:
        """Return the error for ``group_id``, with the usual message.

        :origin: common.errors.GroupAuthorizationException#forGroupId(String)
        """
        return GroupAuthorizationException(f"Not authorized to access group: {group_id}", group_id)


class TransactionalIdAuthorizationException(AuthorizationException):
    """Not allowed to use a transactional id.

    :origin: common.errors.TransactionalIdAuthorizationException
    :origin: common.errors.TransactionalIdAuthorizationException#TransactionalIdAuthorizationException(String)
    """


class DelegationTokenAuthorizationException(AuthorizationException):
    """Not allowed on a delegation token.

    :origin: common.errors.DelegationTokenAuthorizationException
    :origin: common.errors.DelegationTokenAuthorizationException#DelegationTokenAuthorizationException(String)
    :origin: common.errors.DelegationTokenAuthorizationException#DelegationTokenAuthorizationException(String, Throwable)
    """  # noqa: E501


class DelegationTokenDisabledException(ApiException):
    """The broker has no delegation tokens.

    :origin: common.errors.DelegationTokenDisabledException
    :origin: common.errors.DelegationTokenDisabledException#DelegationTokenDisabledException(String)
    :origin: common.errors.DelegationTokenDisabledException#DelegationTokenDisabledException(String, Throwable)
    """  # noqa: E501


class DelegationTokenExpiredException(ApiException):
    """The delegation token is past its time.

    :origin: common.errors.DelegationTokenExpiredException
    :origin: common.errors.DelegationTokenExpiredException#DelegationTokenExpiredException(String)
    :origin: common.errors.DelegationTokenExpiredException#DelegationTokenExpiredException(String, Throwable)
    """


class DelegationTokenNotFoundException(ApiException):
    """There is no such delegation token.

    :origin: common.errors.DelegationTokenNotFoundException
    :origin: common.errors.DelegationTokenNotFoundException#DelegationTokenNotFoundException(String)
    :origin: common.errors.DelegationTokenNotFoundException#DelegationTokenNotFoundException(String, Throwable)
    """  # noqa: E501


class DelegationTokenOwnerMismatchException(ApiException):
    """The delegation token belongs to somebody else.

    :origin: common.errors.DelegationTokenOwnerMismatchException
    :origin: common.errors.DelegationTokenOwnerMismatchException#DelegationTokenOwnerMismatchException(String)
    :origin: common.errors.DelegationTokenOwnerMismatchException#DelegationTokenOwnerMismatchException(String, Throwable)
    """  # noqa: E501


class InvalidPrincipalTypeException(ApiException):
    """A principal of a type that cannot be used there.

    :origin: common.errors.InvalidPrincipalTypeException
    :origin: common.errors.InvalidPrincipalTypeException#InvalidPrincipalTypeException(String)
    :origin: common.errors.InvalidPrincipalTypeException#InvalidPrincipalTypeException(String, Throwable)
    """


class PrincipalDeserializationException(ApiException):
    """A forwarded request names a principal that cannot be read.

    :origin: common.errors.PrincipalDeserializationException
    :origin: common.errors.PrincipalDeserializationException#PrincipalDeserializationException(String)
    :origin: common.errors.PrincipalDeserializationException#PrincipalDeserializationException(String, Throwable)
    """  # noqa: E501


class SecurityDisabledException(ApiException):
    """The broker has no authorizer.

    :origin: common.errors.SecurityDisabledException
    :origin: common.errors.SecurityDisabledException#SecurityDisabledException(String)
    :origin: common.errors.SecurityDisabledException#SecurityDisabledException(String, Throwable)
    """


class UnacceptableCredentialException(ApiException):
    """A credential that breaks the rules for credentials.

    :origin: common.errors.UnacceptableCredentialException
    :origin: common.errors.UnacceptableCredentialException#UnacceptableCredentialException(String)
    :origin: common.errors.UnacceptableCredentialException#UnacceptableCredentialException(String, Throwable)
    """


class UnsupportedByAuthenticationException(ApiException):
    """A request that makes no sense for a connection authenticated in this way.

    :origin: common.errors.UnsupportedByAuthenticationException
    :origin: common.errors.UnsupportedByAuthenticationException#UnsupportedByAuthenticationException(String)
    :origin: common.errors.UnsupportedByAuthenticationException#UnsupportedByAuthenticationException(String, Throwable)
    """  # noqa: E501


class AuthorizerNotReadyException(RetriableException):
    """The authorizer is still loading its rules.

    :origin: common.errors.AuthorizerNotReadyException
    :origin: common.errors.AuthorizerNotReadyException#AuthorizerNotReadyException()
    """
