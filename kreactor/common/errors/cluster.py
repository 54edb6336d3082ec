# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.errors of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Brokers, controllers, the quorum, configuration and quotas."""

from __future__ import annotations

from kreactor.common.errors.api import ApiException, RetriableException


class BrokerNotAvailableException(ApiException):
    """The broker is not there.

    :origin: common.errors.BrokerNotAvailableException
    :origin: common.errors.BrokerNotAvailableException#BrokerNotAvailableException(String)
    :origin: common.errors.BrokerNotAvailableException#BrokerNotAvailableException(String, Throwable)
    """


class BrokerIdNotRegisteredException(ApiException):
    """The controller knows no broker with that id.

    :origin: common.errors.BrokerIdNotRegisteredException
    :origin: common.errors.BrokerIdNotRegisteredException#BrokerIdNotRegisteredException(String)
    :origin: common.errors.BrokerIdNotRegisteredException#BrokerIdNotRegisteredException(String, Throwable)
    """


class DuplicateBrokerRegistrationException(ApiException):
    """Another broker is registered with that id.

    :origin: common.errors.DuplicateBrokerRegistrationException
    :origin: common.errors.DuplicateBrokerRegistrationException#DuplicateBrokerRegistrationException(String)
    :origin: common.errors.DuplicateBrokerRegistrationException#DuplicateBrokerRegistrationException(String, Throwable)
    """  # noqa: E501


class StaleBrokerEpochException(ApiException):
    """A broker's epoch is older than the controller's.

    :origin: common.errors.StaleBrokerEpochException
    :origin: common.errors.StaleBrokerEpochException#StaleBrokerEpochException(String)
    :origin: common.errors.StaleBrokerEpochException#StaleBrokerEpochException(String, Throwable)
    """


class ControllerMovedException(ApiException):
    """The controller is another one by now.

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
    """There is no controller with that id.

    :origin: common.errors.UnknownControllerIdException
    :origin: common.errors.UnknownControllerIdException#UnknownControllerIdException(String)
    """


class InvalidRegistrationException(ApiException):
    """A registration that cannot be.

    :origin: common.errors.InvalidRegistrationException
    :origin: common.errors.InvalidRegistrationException#InvalidRegistrationException(String)
    """


class InconsistentClusterIdException(ApiException):
    """The cluster's id in the request is not the cluster's.

    :origin: common.errors.InconsistentClusterIdException
    :origin: common.errors.InconsistentClusterIdException#InconsistentClusterIdException(String)
    :origin: common.errors.InconsistentClusterIdException#InconsistentClusterIdException(String, Throwable)
    """


class InconsistentVoterSetException(ApiException):
    """The quorum's voters in the request are not the quorum's.

    :origin: common.errors.InconsistentVoterSetException
    :origin: common.errors.InconsistentVoterSetException#InconsistentVoterSetException(String)
    :origin: common.errors.InconsistentVoterSetException#InconsistentVoterSetException(String, Throwable)
    """


class MismatchedEndpointTypeException(ApiException):
    """A request for brokers went to a controller, or the other way round.

    :origin: common.errors.MismatchedEndpointTypeException
    :origin: common.errors.MismatchedEndpointTypeException#MismatchedEndpointTypeException(String)
    """


class UnsupportedEndpointTypeException(ApiException):
    """A type of end point that the server does not know.

    :origin: common.errors.UnsupportedEndpointTypeException
    :origin: common.errors.UnsupportedEndpointTypeException#UnsupportedEndpointTypeException(String)
    """


class FeatureUpdateFailedException(ApiException):
    """Levels of features were not changed.

    :origin: common.errors.FeatureUpdateFailedException
    :origin: common.errors.FeatureUpdateFailedException#FeatureUpdateFailedException(String)
    :origin: common.errors.FeatureUpdateFailedException#FeatureUpdateFailedException(String, Throwable)
    """


class InvalidConfigurationException(ApiException):
    """A configuration that cannot be.

    :origin: common.errors.InvalidConfigurationException
    :origin: common.errors.InvalidConfigurationException#InvalidConfigurationException(String)
    :origin: common.errors.InvalidConfigurationException#InvalidConfigurationException(String, Throwable)
    """


class PolicyViolationException(ApiException):
    """A policy of the broker forbids it.

    :origin: common.errors.PolicyViolationException
    :origin: common.errors.PolicyViolationException#PolicyViolationException(String)
    :origin: common.errors.PolicyViolationException#PolicyViolationException(String, Throwable)
    """


class DuplicateResourceException(ApiException):
    """A resource is there twice.

    :origin: common.errors.DuplicateResourceException
    """

    def __init__(self, message: str, cause: BaseException | None = None, resource: str | None = None) -> None:
        """Keep all.

        :origin: common.errors.DuplicateResourceException#DuplicateResourceException(String)
        :origin: common.errors.DuplicateResourceException#DuplicateResourceException(String, Throwable)
        :origin: common.errors.DuplicateResourceException#DuplicateResourceException(String, String)
        :origin: common.errors.DuplicateResourceException#DuplicateResourceException(String, String, Throwable)
        """  # noqa: E501
        super().__init__(message, cause)
        self._resource = resource

    def resource(self) -> str | None:
        """Return the resource, or None if it is unknown.

        :origin: common.errors.DuplicateResourceException#resource()
        """
        return self._resource


class ResourceNotFoundException(ApiException):
    """A resource is not there.

    :origin: common.errors.ResourceNotFoundException
    """

    def __init__(self, message: str, cause: BaseException | None = None, resource: str | None = None) -> None:
        """Keep all.

        :origin: common.errors.ResourceNotFoundException#ResourceNotFoundException(String)
        :origin: common.errors.ResourceNotFoundException#ResourceNotFoundException(String, Throwable)
        :origin: common.errors.ResourceNotFoundException#ResourceNotFoundException(String, String)
        :origin: common.errors.ResourceNotFoundException#ResourceNotFoundException(String, String, Throwable)
        """
        super().__init__(message, cause)
        self._resource = resource

    def resource(self) -> str | None:
        """Return the resource, or None if it is unknown.

        :origin: common.errors.ResourceNotFoundException#resource()
        """
        return self._resource


class ThrottlingQuotaExceededException(RetriableException):
    """A quota is used up, for the moment.

    :origin: common.errors.ThrottlingQuotaExceededException
    """

    def __init__(self, message: str, throttle_time_ms: int = 0) -> None:
        """Keep both.

        :origin: common.errors.ThrottlingQuotaExceededException#ThrottlingQuotaExceededException(String)
        :origin: common.errors.ThrottlingQuotaExceededException#ThrottlingQuotaExceededException(int, String)
        """
        super().__init__(message)
        self._throttle_time_ms = throttle_time_ms

    def throttle_time_ms(self) -> int:
        """Return how long the client should hold back.

        :origin: common.errors.ThrottlingQuotaExceededException#throttleTimeMs()
        """
        return self._throttle_time_ms


class UnknownSubscriptionIdException(ApiException):
    """There is no such telemetry subscription.

    :origin: common.errors.UnknownSubscriptionIdException
    :origin: common.errors.UnknownSubscriptionIdException#UnknownSubscriptionIdException(String)
    """


class TelemetryTooLargeException(ApiException):
    """More telemetry at once than the broker takes.

    :origin: common.errors.TelemetryTooLargeException
    :origin: common.errors.TelemetryTooLargeException#TelemetryTooLargeException(String)
    """
