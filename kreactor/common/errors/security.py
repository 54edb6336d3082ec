# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.errors of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Errors of authentication, authorization and delegation tokens."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from kreactor.common.errors.api import ApiException, RetriableException
from kreactor.jdk.text import java_text


class AuthenticationException(ApiException):
    """The authentication of the peer failed. A retry is useless.

    :origin: common.errors.AuthenticationException
    :origin: common.errors.AuthenticationException#AuthenticationException(String)
    :origin: common.errors.AuthenticationException#AuthenticationException(Throwable)
    :origin: common.errors.AuthenticationException#AuthenticationException(String, Throwable)
    """


class SslAuthenticationException(AuthenticationException):
    """The TLS handshake failed with an error that is not transient.

    :origin: common.errors.SslAuthenticationException
    :origin: common.errors.SslAuthenticationException#SslAuthenticationException(String)
    :origin: common.errors.SslAuthenticationException#SslAuthenticationException(String, Throwable)
    """


class SaslAuthenticationException(AuthenticationException):
    """The SASL exchange failed.

    The message may be sent to the client, so it must not have secrets.

    :origin: common.errors.SaslAuthenticationException
    :origin: common.errors.SaslAuthenticationException#SaslAuthenticationException(String)
    :origin: common.errors.SaslAuthenticationException#SaslAuthenticationException(String, Throwable)
    """


class IllegalSaslStateException(AuthenticationException):
    """A message is not allowed in this state of a SASL exchange.

    :origin: common.errors.IllegalSaslStateException
    :origin: common.errors.IllegalSaslStateException#IllegalSaslStateException(String)
    :origin: common.errors.IllegalSaslStateException#IllegalSaslStateException(String, Throwable)
    """


class UnsupportedSaslMechanismException(AuthenticationException):
    """The broker does not enable the SASL mechanism.

    :origin: common.errors.UnsupportedSaslMechanismException
    :origin: common.errors.UnsupportedSaslMechanismException#UnsupportedSaslMechanismException(String)
    :origin: common.errors.UnsupportedSaslMechanismException#UnsupportedSaslMechanismException(String, Throwable)
    """  # noqa: E501


class AuthorizationException(ApiException):
    """The authenticated peer is not authorized.

    :origin: common.errors.AuthorizationException
    :origin: common.errors.AuthorizationException#AuthorizationException(String)
    :origin: common.errors.AuthorizationException#AuthorizationException(String, Throwable)
    """


class ClusterAuthorizationException(AuthorizationException):
    """The peer is not authorized for the cluster.

    :origin: common.errors.ClusterAuthorizationException
    :origin: common.errors.ClusterAuthorizationException#ClusterAuthorizationException(String)
    :origin: common.errors.ClusterAuthorizationException#ClusterAuthorizationException(String, Throwable)
    """


class TopicAuthorizationException(AuthorizationException):
    """The peer is not authorized for some topics.

    :origin: common.errors.TopicAuthorizationException
    """

    def __init__(self, message: str | None = None,
                 unauthorized_topics: AbstractSet[str] | None = None) -> None:
        """The default message lists the topics.

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
        """Return the topics, empty if unknown.

        :origin: common.errors.TopicAuthorizationException#unauthorizedTopics()
        """
        return self._unauthorized_topics


class GroupAuthorizationException(AuthorizationException):
    """The peer is not authorized for a group.

    :origin: common.errors.GroupAuthorizationException
    """

    def __init__(self, message: str, group_id: str | None = None) -> None:
        """Keep the message and the group.

        :origin: common.errors.GroupAuthorizationException#GroupAuthorizationException(String, String)
        :origin: common.errors.GroupAuthorizationException#GroupAuthorizationException(String)
        """
        super().__init__(message)
        self._group_id = group_id

    def group_id(self) -> str | None:
        """Return the group, or None.

        :origin: common.errors.GroupAuthorizationException#groupId()
        """
        return self._group_id

    @staticmethod
    def for_group_id(group_id: str) -> GroupAuthorizationException:
        """Return the exception for ``group_id`` with the default message.

        :origin: common.errors.GroupAuthorizationException#forGroupId(String)
        """
        return GroupAuthorizationException(f"Not authorized to access group: {group_id}", group_id)


class TransactionalIdAuthorizationException(AuthorizationException):
    """The peer is not authorized for a transactional id.

    :origin: common.errors.TransactionalIdAuthorizationException
    :origin: common.errors.TransactionalIdAuthorizationException#TransactionalIdAuthorizationException(String)
    """


class DelegationTokenAuthorizationException(AuthorizationException):
    """The peer is not authorized for a delegation token.

    :origin: common.errors.DelegationTokenAuthorizationException
    :origin: common.errors.DelegationTokenAuthorizationException#DelegationTokenAuthorizationException(String)
    :origin: common.errors.DelegationTokenAuthorizationException#DelegationTokenAuthorizationException(String, Throwable)
    """  # noqa: E501


class DelegationTokenDisabledException(ApiException):
    """Delegation tokens are disabled in the broker.

    :origin: common.errors.DelegationTokenDisabledException
    :origin: common.errors.DelegationTokenDisabledException#DelegationTokenDisabledException(String)
    :origin: common.errors.DelegationTokenDisabledException#DelegationTokenDisabledException(String, Throwable)
    """  # noqa: E501


class DelegationTokenExpiredException(ApiException):
    """The delegation token has expired.

    :origin: common.errors.DelegationTokenExpiredException
    :origin: common.errors.DelegationTokenExpiredException#DelegationTokenExpiredException(String)
    :origin: common.errors.DelegationTokenExpiredException#DelegationTokenExpiredException(String, Throwable)
    """


class DelegationTokenNotFoundException(ApiException):
    """The delegation token does not exist.

    :origin: common.errors.DelegationTokenNotFoundException
    :origin: common.errors.DelegationTokenNotFoundException#DelegationTokenNotFoundException(String)
    :origin: common.errors.DelegationTokenNotFoundException#DelegationTokenNotFoundException(String, Throwable)
    """  # noqa: E501


class DelegationTokenOwnerMismatchException(ApiException):
    """The delegation token has another owner.

    :origin: common.errors.DelegationTokenOwnerMismatchException
    :origin: common.errors.DelegationTokenOwnerMismatchException#DelegationTokenOwnerMismatchException(String)
    :origin: common.errors.DelegationTokenOwnerMismatchException#DelegationTokenOwnerMismatchException(String, Throwable)
    """  # noqa: E501


class InvalidPrincipalTypeException(ApiException):
    """The type of the principal is not allowed here.

    :origin: common.errors.InvalidPrincipalTypeException
    :origin: common.errors.InvalidPrincipalTypeException#InvalidPrincipalTypeException(String)
    :origin: common.errors.InvalidPrincipalTypeException#InvalidPrincipalTypeException(String, Throwable)
    """


class PrincipalDeserializationException(ApiException):
    """The principal of a forwarded request cannot be deserialized.

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
    """A credential violates the rules for credentials.

    :origin: common.errors.UnacceptableCredentialException
    :origin: common.errors.UnacceptableCredentialException#UnacceptableCredentialException(String)
    :origin: common.errors.UnacceptableCredentialException#UnacceptableCredentialException(String, Throwable)
    """


class UnsupportedByAuthenticationException(ApiException):
    """The connection's authentication does not allow the request.

    :origin: common.errors.UnsupportedByAuthenticationException
    :origin: common.errors.UnsupportedByAuthenticationException#UnsupportedByAuthenticationException(String)
    :origin: common.errors.UnsupportedByAuthenticationException#UnsupportedByAuthenticationException(String, Throwable)
    """  # noqa: E501


class AuthorizerNotReadyException(RetriableException):
    """The authorizer is still loading its metadata.

    :origin: common.errors.AuthorizerNotReadyException
    :origin: common.errors.AuthorizerNotReadyException#AuthorizerNotReadyException()
    """
