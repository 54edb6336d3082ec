# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.security.authorizer.AuthorizerUtils of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Making an authorizer, and what it must know of names."""

from __future__ import annotations

from kreactor.common.resource.resource import Resource
from kreactor.common.utils.utils import Utils
from kreactor.server.authorizer.authorizer import Authorizer


class AuthorizerUtils:
    """:origin: security.authorizer.AuthorizerUtils"""

    @staticmethod
    def create_authorizer(class_name: str) -> Authorizer:
        """Return a new authorizer of that class. Raises as ``Utils.new_instance_klass``.

        :origin: security.authorizer.AuthorizerUtils#createAuthorizer(String)
        """
        return Utils.new_instance_klass(class_name, Authorizer)  # type: ignore[type-abstract]

    @staticmethod
    def is_cluster_resource(name: str) -> bool:
        """Return whether that is the name of the cluster.

        :origin: security.authorizer.AuthorizerUtils#isClusterResource(String)
        """
        return name == Resource.CLUSTER_NAME
