# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Reads and changes settings of the target's brokers by requests."""

from __future__ import annotations

from dataclasses import dataclass

from kreactor.conformance.cases import Trial, granted, only
from kreactor.conformance.codec import Malformed
from kreactor.conformance.connection import Connection, NotTestable
from kreactor.conformance.schemas import apis

_BROKER = 4
_SET, _DELETE = 0, 1
# The source of a dynamic setting of all brokers.
DYNAMIC_DEFAULT_BROKER = 3


@dataclass(frozen=True)
class Setting:
    """The value of a setting, and its source in DescribeConfigs."""

    value: str
    source: int


def broker_config(trial: Trial, connection: Connection, name: str) -> Setting:
    """Return a setting of the connected broker, or of another broker of its cluster.

    Raises NotTestable if the target does not return it.
    """
    brokers = trial.ask(connection, apis()["Metadata"], {"topics": []})["brokers"]
    if not brokers:
        raise Malformed("no brokers in Metadata")
    broker = brokers[0]
    asked = {"resourceType": _BROKER, "resourceName": str(broker["nodeId"]), "configurationKeys": [name]}
    results = trial.ask(connection, apis()["DescribeConfigs"], {"resources": [asked]})["results"]
    result = only(results, "results of DescribeConfigs")
    granted("DescribeConfigs of the broker", result["errorCode"])
    for config in result["configs"]:
        if config["name"] == name and config["value"] is not None:
            return Setting(config["value"], config.get("configSource", -1))
    raise NotTestable(f"DescribeConfigs does not return the target's {name}")


def set_broker_config(trial: Trial, connection: Connection, name: str, value: str | None) -> int:
    """Set or remove a setting of all brokers; return the response's error code."""
    config = {"name": name, "configOperation": _DELETE if value is None else _SET, "value": value}
    resource = {"resourceType": _BROKER, "resourceName": "", "configs": [config]}
    api = apis()["IncrementalAlterConfigs"]
    answers = trial.ask(connection, api, {"resources": [resource]})["responses"]
    error: int = only(answers, "responses of IncrementalAlterConfigs")["errorCode"]
    return error
