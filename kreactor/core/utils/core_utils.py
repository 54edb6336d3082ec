# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of kafka.utils.CoreUtils of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""Helpers of the broker. Safe for use by any thread."""

from __future__ import annotations

import ipaddress
import logging
from collections.abc import Collection, Mapping
from typing import Callable

from kreactor.common.network.listener_name import ListenerName
from kreactor.common.security.auth.security_protocol import SecurityProtocol
from kreactor.core.cluster.end_point import EndPoint
from kreactor.core.utils.logging import Logging
from kreactor.jdk.exceptions import IllegalArgumentException
from kreactor.server.util.csv import Csv


def require(requirement: bool, message: str) -> None:
    """Raise IllegalArgumentException with ``message`` if the requirement is not met. The text is that of
    Scala's ``require``."""
    if not requirement:
        raise IllegalArgumentException(f"requirement failed: {message}")


def set_text(values: Collection[object]) -> str:
    """Return ``values`` as Scala prints a set. From five elements on, Scala's order is undefined."""
    return f"{'Set' if len(values) <= 4 else 'HashSet'}({', '.join(map(str, values))})"


class CoreUtils:
    """Functions for the whole broker.

    :origin: kafka.utils.CoreUtils
    """

    @staticmethod
    def swallow(action: Callable[[], object], logging_: Logging, log_level: int = logging.WARNING) -> None:
        """Call ``action``; log its exception and continue.

        ``log_level`` is one of Python's levels; below DEBUG is trace.

        :origin: kafka.utils.CoreUtils#swallow
        """
        try:
            action()
        except Exception as e:
            message = str(e)
            if log_level >= logging.ERROR:
                logging_.error(message, exc=e)
            elif log_level >= logging.WARNING:
                logging_.warn(message, exc=e)
            elif log_level >= logging.INFO:
                logging_.info(message, exc=e)
            elif log_level >= logging.DEBUG:
                logging_.debug(message, exc=e)
            else:
                logging_.trace(message, exc=e)

    @staticmethod
    def _check_duplicate_listener_ports(endpoints: list[EndPoint], listeners: str) -> None:
        """
        :origin: kafka.utils.CoreUtils#checkDuplicateListenerPorts
        """
        distinct_ports = {endpoint.port() for endpoint in endpoints}
        require(len(distinct_ports) == len(endpoints),
                f"Each listener must have a different port, listeners: {listeners}")

    @staticmethod
    def listener_list_to_end_points(listeners: str | None,
                                    security_protocol_map: Mapping[ListenerName, SecurityProtocol],
                                    require_distinct_ports: bool = True) -> list[EndPoint]:
        """Parse ``listeners``, a list of ``NAME://host:port``.

        Names must be distinct. Ports other than 0 must be distinct too, except for a pair of an IPv4 and an
        IPv6 address, or without ``require_distinct_ports``. Raises IllegalArgumentException.

        :origin: kafka.utils.CoreUtils#listenerListToEndPoints(String, Map[ListenerName,SecurityProtocol])
        :origin: kafka.utils.CoreUtils#listenerListToEndPoints(String, Map[ListenerName,SecurityProtocol], Boolean)
        """  # noqa: E501
        try:
            end_points = [EndPoint.create_end_point(listener, security_protocol_map)
                          for listener in Csv.parse_csv_list(listeners)]
        except Exception as e:
            raise IllegalArgumentException(f"Error creating broker listeners from '{listeners}': {e}") from e
        _validate(end_points, listeners or "", require_distinct_ports)
        return end_points


def _validate(end_points: list[EndPoint], listeners: str, require_distinct_ports: bool) -> None:
    distinct_listener_names = {end_point.listener_name() for end_point in end_points}
    require(len(distinct_listener_names) == len(end_points),
            f"Each listener must have a different name, listeners: {listeners}")
    if not require_distinct_ports:
        return
    by_port: dict[int, list[EndPoint]] = {}
    for end_point in end_points:
        # Each listener with port 0 gets a different port.
        if end_point.port() != 0:
            by_port.setdefault(end_point.port(), []).append(end_point)
    for port, sharing in by_port.items():
        if len(sharing) == 1:
            continue
        with_ip_hosts = [end_point for end_point in sharing if _ip_version(end_point.host())]
        without_ip_hosts = [end_point for end_point in sharing if not _ip_version(end_point.host())]
        CoreUtils._check_duplicate_listener_ports(without_ip_hosts, listeners)
        if len(with_ip_hosts) == 2:
            error_message = ("If you have two listeners on the same port then one needs to be IPv4 and the "
                             f"other IPv6, listeners: {listeners}, port: {port}")
            require({_ip_version(end_point.host()) for end_point in with_ip_hosts} == {4, 6}, error_message)
            # A third listener, without an address, would bind to both addresses.
            if without_ip_hosts:
                raise IllegalArgumentException(error_message)
        elif with_ip_hosts:
            raise IllegalArgumentException(
                "Each listener must have a different port unless exactly one listener has an IPv4 address "
                f"and the other IPv6 address, listeners: {listeners}, port: {port}")


def _ip_version(host: str | None) -> int:
    """Return 4 or 6 if ``host`` is an address of that version, else 0."""
    if host is None:
        return 0
    try:
        return ipaddress.ip_address(host).version
    except ValueError:
        return 0
