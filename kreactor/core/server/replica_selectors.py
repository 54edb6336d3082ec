# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Which class ``replica.selector.class`` names. Not a port: in Kafka, the class loader knows."""

from __future__ import annotations

import importlib

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.replica.rack_aware_replica_selector import RackAwareReplicaSelector
from kreactor.common.replica.replica_selector import ReplicaSelector

NAME = "replica.selector.class"
_OF_KAFKA = {"org.apache.kafka.common.replica.RackAwareReplicaSelector": RackAwareReplicaSelector}


def new_replica_selector(class_name: str) -> ReplicaSelector:
    """Return a selector of Kafka's name, or of a class of Python by its module and name.

    Raises ConfigException if there is no such class, or it is no ReplicaSelector.
    """
    found: object = _OF_KAFKA.get(class_name)
    if found is None:
        module, _, name = class_name.rpartition(".")
        try:
            found = getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError, ValueError) as e:
            raise ConfigException(NAME, class_name, f"Class {class_name} cannot be found: {e}") from None
    if not isinstance(found, type) or not issubclass(found, ReplicaSelector):
        raise ConfigException(NAME, class_name, f"{class_name} is not a ReplicaSelector")
    return found()
