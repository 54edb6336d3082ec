# Licensed under the Apache License, Version 2.0; see LICENSE.
from __future__ import annotations

import csv
import logging
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from kreactor.core.utils.log4j_controller import Log4jController, kafka_name
from kreactor.testing import Broker

ROOT = Path(__file__).parents[3]
SELECTOR = "org.apache.kafka.common.network.Selector"
PROCESSOR = "kafka.network.Processor"


@pytest.fixture(scope="module", autouse=True)
def loggers() -> Iterator[None]:
    """Have a broker make its loggers, and restore their levels."""
    with Broker():
        pass
    levels = {name: logger.level for name, logger in logging.root.manager.loggerDict.items()
              if isinstance(logger, logging.Logger)}
    yield
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


@pytest.mark.parametrize("name, expected", [
    ("kreactor.core.network.processor.Processor", PROCESSOR),
    ("kreactor.editions.v2_2.core.network.socket_server.Processor", PROCESSOR),
    ("kreactor.common.network.selector.Selector", SELECTOR),
    ("kreactor.core.log.log_cleaner.LogCleaner.CleanerThread", "kafka.log.LogCleaner$CleanerThread"),
    ("kreactor.coordinator.group.group_metadata_manager",
     "org.apache.kafka.coordinator.group.GroupMetadataManager"),
    ("kreactor.core", None),
    ("kreactor.jdk.executors", None),
    ("kreactor.corevalues.a.B", None),
    ("kreactor.core.Class", None),
    ("kafka.conn", None),
])
def test_names(name: str, expected: str | None) -> None:
    assert kafka_name(name) == expected


def types_of_kafka() -> set[tuple[str, str]]:
    """Return the package and the name of each type of Kafka, that of a nested one after that of the outer."""
    with open(ROOT / "tools" / "checks" / "kafka-3.8.0" / "members.tsv", encoding="utf-8") as file:
        rows = csv.reader((line for line in file if not line.startswith("#")), delimiter="\t")
        next(rows)
        return {(row[1].rpartition("/")[0].partition("/main/")[2].partition("/")[2].replace("/", "."),
                 "$".join(filter(None, (*row[4].split("."), row[5])))) for row in rows}


# A process of its own: tests make loggers, too.
TELLS_NAMES = """
import logging
from kreactor.testing import Broker
with Broker():
    print(*(name for name, logger in logging.root.manager.loggerDict.items()
            if isinstance(logger, logging.Logger)))
"""


def test_the_names_are_those_of_kafkas_types() -> None:
    known = types_of_kafka()
    told = subprocess.run([sys.executable, "-c", TELLS_NAMES], stdout=subprocess.PIPE, text=True, check=True,
                          cwd=ROOT).stdout
    names = [name for each in told.split() if (name := kafka_name(each))]
    assert len(names) > 80
    unknown = {name for name in names
               if (name.rpartition(".")[0], name.rpartition(".")[2]) not in known}
    # Classes of ours, without an origin.
    assert unknown == {"kafka.server.TxnMarkerAppender", "kafka.coordinator.group.ConsumerGroupCoordinator",
                       "org.apache.kafka.storage.internals.log.LogFile"}


def test_loggers_are_listed_by_their_names_in_kafka() -> None:
    listed = Log4jController.loggers()
    assert {"root", "kafka", "org.apache.kafka", PROCESSOR, SELECTOR, "kafka.request.logger",
            "kreactor.embedded.broker_server.BrokerServer"} <= set(listed)
    assert not [name for name in listed if kafka_name(name)]
    assert "kreactor.core" not in listed
    assert set(listed.values()) <= {"FATAL", "ERROR", "WARN", "INFO", "DEBUG", "TRACE"}


@pytest.mark.parametrize("name", [PROCESSOR, "kreactor.core.network.processor.Processor"])
def test_a_logger_by_its_name_in_kafka_and_in_python(name: str) -> None:
    logger = logging.getLogger("kreactor.core.network.processor.Processor")
    assert Log4jController.logger_exists(name)
    assert Log4jController.log_level(name, "TRACE") and logger.level == 5
    assert Log4jController.loggers()[PROCESSOR] == "TRACE"
    assert Log4jController.unset_log_level(name) and logger.level == logging.NOTSET


@pytest.mark.parametrize("name", ["kafka.network.NoSuchClass", "kafka.network", "kafka.", ""])
def test_loggers_that_do_not_exist(name: str) -> None:
    assert not Log4jController.logger_exists(name)
    assert not Log4jController.log_level(name, "DEBUG") and not Log4jController.unset_log_level(name)


def test_the_ancestors_are_separate() -> None:
    assert Log4jController.log_level("kafka", "ERROR")
    assert Log4jController.log_level("org.apache.kafka", "TRACE")
    listed = Log4jController.loggers()
    assert (listed["kafka"], listed[PROCESSOR]) == ("ERROR", "ERROR")
    assert (listed["org.apache.kafka"], listed[SELECTOR]) == ("TRACE", "TRACE")
    assert Log4jController.log_level(SELECTOR, "FATAL")
    assert Log4jController.log_level("org.apache.kafka", "DEBUG")
    assert Log4jController.loggers()[SELECTOR] == "FATAL"
    assert Log4jController.unset_log_level(SELECTOR) and Log4jController.loggers()[SELECTOR] == "DEBUG"
    assert Log4jController.unset_log_level("kafka") and Log4jController.unset_log_level("org.apache.kafka")
    listed = Log4jController.loggers()
    assert listed["kafka"] == listed["org.apache.kafka"] == listed["root"]


def test_the_ancestors_of_an_older_edition() -> None:
    names = ("core.network.socket_server.SocketServer", "common.network.selector.Selector")
    made = [logging.getLogger(f"kreactor.editions.v2_2.{name}") for name in names]
    import_module("kreactor.editions.v2_2.core.network.socket_server")
    assert Log4jController.log_level("kafka", "TRACE")
    assert [logger.getEffectiveLevel() == 5 for logger in made] == [True, False]
    assert Log4jController.log_level("org.apache.kafka", "TRACE")
    assert [logger.getEffectiveLevel() for logger in made] == [5, 5]
    assert Log4jController.unset_log_level("kafka") and Log4jController.unset_log_level("org.apache.kafka")


def test_a_subclass_of_ours_logs_as_the_class_in_kafka() -> None:
    from kreactor.core.network.processor import Processor
    from kreactor.testing.instrumented_server import InstrumentedProcessor

    class Foreign(Processor):
        pass

    name = "kreactor.core.network.processor.Processor"
    assert issubclass(InstrumentedProcessor, Processor)
    for cls, expected in ((Processor, name), (InstrumentedProcessor, name),
                          (Foreign, f"{__name__}.{Foreign.__qualname__}")):
        assert cls._logger_name(object.__new__(cls)) == expected
