# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Settings of the target's brokers, as its own answers tell and change them."""

from __future__ import annotations

from dataclasses import dataclass

from kreactor.conformance.cases import NotTestable, Trial, precondition
from kreactor.conformance.connection import Connection
from kreactor.conformance.errors import name_of
from kreactor.conformance.schemas import apis

_BROKER = 4
_SET, _DELETE = 0, 1
# The source of a setting that holds for all brokers and can change while they run.
DYNAMIC_DEFAULT_BROKER = 3


@dataclass(frozen=True)
class Setting:
    """The value of a setting, and where DescribeConfigs says that it comes from."""

    value: str
    source: int


def broker_config(trial: Trial, connection: Connection, name: str) -> Setting:
    """Return a setting of the broker that ``connection`` leads to, or of another of its cluster.

    Raises NotTestable if the target does not tell it.
    """
    with precondition(f"the target's {name}"):
        (broker, *_) = trial.ask(connection, apis()["Metadata"], {"topics": []})["brokers"] or [None]
        if broker is None:
            raise NotTestable("the target names no broker in Metadata")
        asked = {"resourceType": _BROKER, "resourceName": str(broker["nodeId"]), "configurationKeys": [name]}
        (result,) = trial.ask(connection, apis()["DescribeConfigs"], {"resources": [asked]})["results"]
    if result["errorCode"]:
        raise NotTestable(f"DescribeConfigs of the broker is answered with {name_of(result['errorCode'])}")
    for config in result["configs"]:
        if config["name"] == name and config["value"] is not None:
            return Setting(config["value"], config.get("configSource", -1))
    raise NotTestable(f"the target does not tell its {name}")


def set_broker_config(trial: Trial, connection: Connection, name: str, value: str | None) -> int:
    """Set a setting of all brokers, or take it away; return the error code of the answer."""
    config = {"name": name, "configOperation": _DELETE if value is None else _SET, "value": value}
    resource = {"resourceType": _BROKER, "resourceName": "", "configs": [config]}
    api = apis()["IncrementalAlterConfigs"]
    (answer,) = trial.ask(connection, api, {"resources": [resource]})["responses"]
    error: int = answer["errorCode"]
    return error
