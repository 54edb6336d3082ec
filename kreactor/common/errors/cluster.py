# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.errors of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Errors of brokers, controllers, the quorum, settings and quotas."""

from __future__ import annotations

from kreactor.common.errors.api import ApiException, RetriableException


class BrokerNotAvailableException(ApiException):
    """The broker is not available.

    :origin: common.errors.BrokerNotAvailableException
    :origin: common.errors.BrokerNotAvailableException#BrokerNotAvailableException(String)
    :origin: common.errors.BrokerNotAvailableException#BrokerNotAvailableException(String, Throwable)
    """


class BrokerIdNotRegisteredException(ApiException):
    """No broker with this id is registered at the controller.

    :origin: common.errors.BrokerIdNotRegisteredException
    :origin: common.errors.BrokerIdNotRegisteredException#BrokerIdNotRegisteredException(String)
    :origin: common.errors.BrokerIdNotRegisteredException#BrokerIdNotRegisteredException(String, Throwable)
    """


class DuplicateBrokerRegistrationException(ApiException):
    """Another broker is registered with this id.

    :origin: common.errors.DuplicateBrokerRegistrationException
    :origin: common.errors.DuplicateBrokerRegistrationException#DuplicateBrokerRegistrationException(String)
    :origin: common.errors.DuplicateBrokerRegistrationException#DuplicateBrokerRegistrationException(String, Throwable)
    """  # noqa: E501


class StaleBrokerEpochException(ApiException):
    """The broker epoch in the request is older than the controller's.

    :origin: common.errors.StaleBrokerEpochException
    :origin: common.errors.StaleBrokerEpochException#StaleBrokerEpochException(String)
    :origin: common.errors.StaleBrokerEpochException#StaleBrokerEpochException(String, Throwable)
    """


class ControllerMovedException(ApiException):
    """The controller has changed.

    :origin: common.errors.ControllerMovedException
    :origin: common.errors.ControllerMovedException#ControllerMovedException(String)
    :origin: common.errors.ControllerMovedException#ControllerMovedException(String, Throwable)
    """


class NotControllerException(RetriableException):
    """The broker is not the controller.

    :origin: common.errors.NotControllerException
    :origin: common.errors.NotControllerException#NotControllerException(String)
    :origin: common.errors.NotControllerException#NotControllerException(String, Throwable)
    """


class UnknownControllerIdException(ApiException):
    """No controller has this id.

    :origin: common.errors.UnknownControllerIdException
    :origin: common.errors.UnknownControllerIdException#UnknownControllerIdException(String)
    """


class InvalidRegistrationException(ApiException):
    """A registration is invalid.

    :origin: common.errors.InvalidRegistrationException
    :origin: common.errors.InvalidRegistrationException#InvalidRegistrationException(String)
    """


class InconsistentClusterIdException(ApiException):
    """The cluster id in the request differs from the cluster's.

    :origin: common.errors.InconsistentClusterIdException
    :origin: common.errors.InconsistentClusterIdException#InconsistentClusterIdException(String)
    :origin: common.errors.InconsistentClusterIdException#InconsistentClusterIdException(String, Throwable)
    """


class InconsistentVoterSetException(ApiException):
    """The voters in the request differ from the quorum's.

    :origin: common.errors.InconsistentVoterSetException
    :origin: common.errors.InconsistentVoterSetException#InconsistentVoterSetException(String)
    :origin: common.errors.InconsistentVoterSetException#InconsistentVoterSetException(String, Throwable)
    """


class MismatchedEndpointTypeException(ApiException):
    """A request for brokers was sent to a controller, or a request for controllers to a broker.

    :origin: common.errors.MismatchedEndpointTypeException
    :origin: common.errors.MismatchedEndpointTypeException#MismatchedEndpointTypeException(String)
    """


class UnsupportedEndpointTypeException(ApiException):
    """The server does not know the endpoint type.

    :origin: common.errors.UnsupportedEndpointTypeException
    :origin: common.errors.UnsupportedEndpointTypeException#UnsupportedEndpointTypeException(String)
    """


class FeatureUpdateFailedException(ApiException):
    """The update of feature levels failed.

    :origin: common.errors.FeatureUpdateFailedException
    :origin: common.errors.FeatureUpdateFailedException#FeatureUpdateFailedException(String)
    :origin: common.errors.FeatureUpdateFailedException#FeatureUpdateFailedException(String, Throwable)
    """


class InvalidConfigurationException(ApiException):
    """A configuration is invalid.

    :origin: common.errors.InvalidConfigurationException
    :origin: common.errors.InvalidConfigurationException#InvalidConfigurationException(String)
    :origin: common.errors.InvalidConfigurationException#InvalidConfigurationException(String, Throwable)
    """


class PolicyViolationException(ApiException):
    """The request violates a policy of the broker.

    :origin: common.errors.PolicyViolationException
    :origin: common.errors.PolicyViolationException#PolicyViolationException(String)
    :origin: common.errors.PolicyViolationException#PolicyViolationException(String, Throwable)
    """


class DuplicateResourceException(ApiException):
    """A resource exists twice.

    :origin: common.errors.DuplicateResourceException
    """

    def __init__(self, message: str, cause: BaseException | None = None, resource: str | None = None) -> None:
        """Keep resource, message and cause.

        :origin: common.errors.DuplicateResourceException#DuplicateResourceException(String)
        :origin: common.errors.DuplicateResourceException#DuplicateResourceException(String, Throwable)
        :origin: common.errors.DuplicateResourceException#DuplicateResourceException(String, String)
        :origin: common.errors.DuplicateResourceException#DuplicateResourceException(String, String, Throwable)
        """  # noqa: E501
        super().__init__(message, cause)
        self._resource = resource

    def resource(self) -> str | None:
        """Return the resource, or None.

        :origin: common.errors.DuplicateResourceException#resource()
        """
        return self._resource


class ResourceNotFoundException(ApiException):
    """A resource does not exist.

    :origin: common.errors.ResourceNotFoundException
    """

    def __init__(self, message: str, cause: BaseException | None = None, resource: str | None = None) -> None:
        """Keep resource, message and cause.

        :origin: common.errors.ResourceNotFoundException#ResourceNotFoundException(String)
        :origin: common.errors.ResourceNotFoundException#ResourceNotFoundException(String, Throwable)
        :origin: common.errors.ResourceNotFoundException#ResourceNotFoundException(String, String)
        :origin: common.errors.ResourceNotFoundException#ResourceNotFoundException(String, String, Throwable)
        """
        super().__init__(message, cause)
        self._resource = resource

    def resource(self) -> str | None:
        """Return the resource, or None.

        :origin: common.errors.ResourceNotFoundException#resource()
        """
        return self._resource


class ThrottlingQuotaExceededException(RetriableException):
    """A quota is currently exceeded.

    :origin: common.errors.ThrottlingQuotaExceededException
    """

    def __init__(self, message: str, throttle_time_ms: int = 0) -> None:
        """Keep the throttle time in milliseconds and the message.

        :origin: common.errors.ThrottlingQuotaExceededException#ThrottlingQuotaExceededException(String)
        :origin: common.errors.ThrottlingQuotaExceededException#ThrottlingQuotaExceededException(int, String)
        """
        super().__init__(message)
        self._throttle_time_ms = throttle_time_ms

    def throttle_time_ms(self) -> int:
        """Return the time that the client should wait, in milliseconds.

        :origin: common.errors.ThrottlingQuotaExceededException#throttleTimeMs()
        """
        return self._throttle_time_ms


class UnknownSubscriptionIdException(ApiException):
    """The telemetry subscription does not exist.

    :origin: common.errors.UnknownSubscriptionIdException
    :origin: common.errors.UnknownSubscriptionIdException#UnknownSubscriptionIdException(String)
    """


class TelemetryTooLargeException(ApiException):
    """The telemetry is larger than the broker accepts.

    :origin: common.errors.TelemetryTooLargeException
    :origin: common.errors.TelemetryTooLargeException#TelemetryTooLargeException(String)
    """
