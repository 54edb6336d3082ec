# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.network.DataPlaneAcceptor of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The acceptor of an ordinary listener, whose number of network threads can change at run time."""

from __future__ import annotations

from typing import Any, Mapping

from kreactor.common.config.config_exception import ConfigException
from kreactor.common.network.listener_name import ListenerName
from kreactor.common.network.listener_reconfigurable import ListenerReconfigurable
from kreactor.core.network.acceptor import Acceptor
from kreactor.core.reconfigurable_configs import DATA_PLANE_ACCEPTOR_LISTENER_RECONFIGURABLE_CONFIGS
from kreactor.server.config.server_configs import ServerConfigs


class DataPlaneAcceptor(Acceptor, ListenerReconfigurable):
    """Accepts the connections of clients and of other brokers.

    :origin: kafka.network.DataPlaneAcceptor
    :origin: kafka.network.DataPlaneAcceptor
    """

    THREAD_PREFIX = "data-plane"
    METRIC_PREFIX = ""
    LISTENER_RECONFIGURABLE_CONFIGS = DATA_PLANE_ACCEPTOR_LISTENER_RECONFIGURABLE_CONFIGS

    def metric_prefix(self) -> str:
        """:origin: kafka.network.DataPlaneAcceptor#metricPrefix"""
        return self.METRIC_PREFIX

    def thread_prefix(self) -> str:
        """:origin: kafka.network.DataPlaneAcceptor#threadPrefix"""
        return self.THREAD_PREFIX

    def listener_name(self) -> ListenerName:
        """:origin: kafka.network.DataPlaneAcceptor#listenerName"""
        return self.end_point.listener_name()

    def reconfigurable_configs(self) -> frozenset[str]:
        """:origin: kafka.network.DataPlaneAcceptor#reconfigurableConfigs"""
        return self.LISTENER_RECONFIGURABLE_CONFIGS

    def validate_reconfiguration(self, configs: Mapping[str, Any]) -> None:
        """Refuse a number of threads below 1, and more than a doubling or a halving, with ConfigException.

        :origin: kafka.network.DataPlaneAcceptor#validateReconfiguration
        """
        for k, v in configs.items():
            if k in self.reconfigurable_configs():
                new_value = int(v)
                old_value = len(self.processors())
                if new_value != old_value:
                    error_msg = f"Dynamic thread count update validation failed for {k}={v}"
                    if new_value <= 0:
                        raise ConfigException(f"{error_msg}, value should be at least 1")
                    if new_value < old_value // 2:
                        raise ConfigException(
                            f"{error_msg}, value should be at least half the current value {old_value}")
                    if new_value > old_value * 2:
                        raise ConfigException(
                            f"{error_msg}, value should not be greater than double the current value "
                            f"{old_value}")

    def reconfigure(self, configs: Mapping[str, Any]) -> None:
        """:origin: kafka.network.DataPlaneAcceptor#reconfigure"""
        new_num_network_threads = int(configs[ServerConfigs.NUM_NETWORK_THREADS_CONFIG])
        num_network_threads = len(self.processors())

        if new_num_network_threads != num_network_threads:
            self.info("resizing the network threads of %s from %d to %d",
                      self.end_point.listener_name(), num_network_threads, new_num_network_threads)
            if new_num_network_threads > num_network_threads:
                self.add_processors(new_num_network_threads - num_network_threads)
            elif new_num_network_threads < num_network_threads:
                self.remove_processors(num_network_threads - new_num_network_threads)

    def configure(self, configs: Mapping[str, Any]) -> None:
        """Make the network threads that the listener starts with.

        :origin: kafka.network.DataPlaneAcceptor#configure
        """
        self.add_processors(int(configs[ServerConfigs.NUM_NETWORK_THREADS_CONFIG]))
