# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The topics: names, ids, numbers of partitions, settings.

The file ``topics.json`` is replaced as a whole, and is durable before any thread sees a change. A new topic
or partition enters the file before its folders are made. A deleted topic leaves the file before its folders
are deleted. After a crash, the next start completes the change: it makes missing folders, and deletes the
folders of deleted topics.

Locks: ``_lock`` admits one change at a time, and is held while folders are made or renamed. Readers see a
table that is replaced, never changed, and take no lock.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from kreactor.common.errors import (
    ApiException,
    InvalidPartitionsException,
    InvalidTopicException,
    KafkaStorageException,
    TopicExistsException,
    UnknownTopicOrPartitionException,
)
from kreactor.common.internals.topic import Topic as TopicNames
from kreactor.common.topic_partition import TopicPartition
from kreactor.common.utils.log_context import LogContext
from kreactor.common.uuid import Uuid
from kreactor.embedded.json_file import EVERYBODY, JsonFile
from kreactor.jdk.locks import Lock
from kreactor.metadata.node_storage import NewTopic, Topic

FILE_NAME = "topics.json"

log = LogContext().logger(f"{__name__}.TopicRegistry")


class TopicRegistry:
    """The topics of a data folder. For use by any thread."""

    __slots__ = ("_file", "_has_folders", "_lock", "_topics", "_topics_by_id", "_deleting", "_changes")

    def __init__(self, path: str, has_folders: Callable[[Topic], bool]) -> None:
        """Read the file, if it exists. Raises KafkaException if it cannot be read.

        ``has_folders`` returns whether a topic still has a folder under its own name.
        """
        self._file = JsonFile(path, "the topics", EVERYBODY)
        self._has_folders = has_folders
        self._lock = Lock()
        # Replaced under the lock, read by any thread.
        self._topics: Mapping[str, Topic] = {}
        self._topics_by_id: Mapping[Uuid, Topic] = {}
        # Guarded by the lock: deleted topics whose folders may still have their own names.
        self._deleting: tuple[Topic, ...] = ()
        # Written under the lock, read by any thread.
        self._changes = 0
        self._file.read(self._take)

    # -- queries: any thread, no lock -----------------------------------------------------------------

    def topics(self) -> Mapping[str, Topic]:
        """Return the current topics by name."""
        return self._topics

    def topic(self, name: str) -> Topic | None:
        """Return a topic, or None."""
        return self._topics.get(name)

    def topic_by_id(self, topic_id: Uuid) -> Topic | None:
        """Return the topic with an id, or None."""
        return self._topics_by_id.get(topic_id)

    def changes(self) -> int:
        """Return the number of durable changes since the folder was made."""
        return self._changes

    # -- changes --------------------------------------------------------------------------------------

    def create(self, name: str, num_partitions: int, configs: Mapping[str, str],
               make_logs: Callable[[Topic], None]) -> Topic:
        """Add a topic, as ``create_all`` does. Raises the exception that ``create_all`` returns."""
        result, = self.create_all([NewTopic(name, num_partitions, configs)], make_logs)
        if isinstance(result, ApiException):
            raise result
        return result

    def create_all(self, new_topics: Sequence[NewTopic],
                   make_logs: Callable[[Topic], None]) -> list[Topic | ApiException]:
        """Add topics with one write of the file, and make their logs before any thread sees the topics.

        Returns each topic, or its error: InvalidTopicException, TopicExistsException,
        InvalidPartitionsException, KafkaStorageException, or an ApiException that ``make_logs`` raises. Any
        other exception of ``make_logs`` is raised; the topics made before it stay.
        """
        with self._lock:
            results = self._check_all(new_topics)
            checked = {result.name: result for result in results if isinstance(result, Topic)}
            if not checked:
                return results
            try:
                self._write({**self._topics, **checked}, self._remaining())
            except KafkaStorageException as e:
                return [e if isinstance(result, Topic) else result for result in results]
            failed = dict(checked)
            try:
                for index, result in enumerate(results):
                    if isinstance(result, Topic):
                        try:
                            make_logs(result)
                            del failed[result.name]
                        except ApiException as e:
                            results[index] = e
            finally:
                self._publish({**self._topics, **{
                    name: topic for name, topic in checked.items() if name not in failed}})
                if failed:
                    self._forget(failed.values(), failed)
            return results

    def _check_all(self, new_topics: Sequence[NewTopic]) -> list[Topic | ApiException]:
        """Return the topics that can be made, or their errors, compared with existing topics and with each
        other."""
        names = set(self._topics)
        # Names with a dot or an underscore, by their form in metric names.
        unified = {TopicNames.unify_collision_chars(name): name
                   for name in names if TopicNames.has_collision_chars(name)}
        results: list[Topic | ApiException] = []
        for new in new_topics:
            try:
                self._check_new(new, names, unified)
            except ApiException as e:
                results.append(e)
                continue
            names.add(new.name)
            if TopicNames.has_collision_chars(new.name):
                unified[TopicNames.unify_collision_chars(new.name)] = new.name
            results.append(
                Topic(new.name, self._new_id(), new.num_partitions, MappingProxyType(dict(new.configs))))
        return results

    @staticmethod
    def _check_new(new: NewTopic, names: AbstractSet[str], unified: Mapping[str, str]) -> None:
        TopicNames.validate(new.name)
        if new.name in names:
            raise TopicExistsException(f"Topic '{new.name}' already exists.")
        if TopicNames.has_collision_chars(new.name):
            other = unified.get(TopicNames.unify_collision_chars(new.name))
            if other is not None:
                raise InvalidTopicException(f"Topic '{new.name}' collides with existing topic: {other}")
        if new.num_partitions <= 0:
            raise InvalidPartitionsException("Number of partitions was set to an invalid non-positive value.")

    def add_partitions(self, counts: Mapping[str, int],
                       make_logs: Callable[[Topic, Sequence[TopicPartition]], None],
                       ) -> dict[str, Topic | ApiException]:
        """Raise the numbers of partitions of topics with one write of the file; make their logs before any
        thread sees the partitions.

        ``counts`` has the new number of each topic, which is higher than before. Returns by name each topic,
        or its error: UnknownTopicOrPartitionException, KafkaStorageException, or an ApiException that
        ``make_logs`` raises. Any other exception of ``make_logs`` is raised. The partitions made before it
        stay.
        """
        with self._lock:
            results = self._all_existing(counts)
            grown = {name: replace(result, num_partitions=counts[name])
                     for name, result in results.items() if isinstance(result, Topic)}
            if not grown:
                return results
            try:
                self._write({**self._topics, **grown}, self._remaining())
            except KafkaStorageException as e:
                return {**results, **dict.fromkeys(grown, e)}
            failed = dict(grown)
            try:
                for name, topic in grown.items():
                    try:
                        make_logs(topic, topic.partitions()[self._topics[name].num_partitions:])
                        results[name] = failed.pop(name)
                    except ApiException as e:
                        results[name] = e
            finally:
                self._publish({**self._topics, **{
                    name: topic for name, topic in grown.items() if name not in failed}})
                if failed:
                    self._forget((), failed)
            return results

    def alter_configs(self, changes: Mapping[str, Mapping[str, str]],
                      apply: Callable[[Topic], None]) -> dict[str, Topic | ApiException]:
        """Replace the own settings of topics with one write of the file, and have their logs apply them.

        Returns by name each topic, or its error: UnknownTopicOrPartitionException, KafkaStorageException, or
        an ApiException that ``apply`` raises.
        """
        with self._lock:
            results = self._all_existing(changes)
            changed = {name: replace(result, configs=MappingProxyType(dict(changes[name])))
                       for name, result in results.items() if isinstance(result, Topic)}
            if not changed:
                return results
            topics = {**self._topics, **changed}
            try:
                self._write(topics, self._remaining())
            except KafkaStorageException as e:
                return {**results, **dict.fromkeys(changed, e)}
            self._publish(topics)
            for name, topic in changed.items():
                try:
                    apply(topic)
                    results[name] = topic
                except ApiException as e:
                    results[name] = e
            return results

    def for_each(self, apply: Callable[[Topic], None]) -> None:
        """Call ``apply`` with every topic, under the lock."""
        with self._lock:
            for topic in self._topics.values():
                apply(topic)

    def delete_all(self, names: Collection[str],
                   drop_logs: Callable[[Collection[Topic]], None]) -> dict[str, Topic | ApiException]:
        """Remove topics with one write of the file; drop their logs when no thread sees the topics any more.

        Returns by name each topic, or its error: UnknownTopicOrPartitionException or KafkaStorageException.
        """
        with self._lock:
            results = self._all_existing(names)
            found = [result for result in results.values() if isinstance(result, Topic)]
            if not found:
                return results
            remaining = {name: topic for name, topic in self._topics.items() if name not in results}
            try:
                self._write(remaining, (*self._remaining(), *found))
            except KafkaStorageException as e:
                return {name: e if isinstance(result, Topic) else result for name, result in results.items()}
            self._publish(remaining)
            drop_logs(found)
            return results

    def _forget(self, deleted: Iterable[Topic], names: Iterable[str]) -> None:
        """Take back what could not be made: ``deleted`` are new topics, ``names`` name them in the log."""
        try:
            self._write(self._topics, (*self._remaining(), *deleted))
        except KafkaStorageException as e:
            log.error("Failed to make partitions of %s, the next start will make them: %s", list(names), e)

    def _remaining(self) -> tuple[Topic, ...]:
        """Return the deleted topics whose folders still have their own names.

        The following write also makes the renames durable, because the file is in the same folder.
        """
        return tuple(topic for topic in self._deleting if self._has_folders(topic))

    def finish_deletions(self, drop_folders: Callable[[Topic], None]) -> None:
        """Delete the folders of topics whose deletion the last process did not complete."""
        with self._lock:
            if self._deleting:
                for topic in self._deleting:
                    drop_folders(topic)
                self._write(self._topics, ())

    def _all_existing(self, names: Iterable[str]) -> dict[str, Topic | ApiException]:
        """Return by name each topic, or UnknownTopicOrPartitionException."""
        return {name: self._topics.get(name) or UnknownTopicOrPartitionException(
            "This server does not host this topic-partition.") for name in names}

    def _new_id(self) -> Uuid:
        topic_id = Uuid.random_uuid()
        while topic_id in self._topics_by_id:
            topic_id = Uuid.random_uuid()
        return topic_id

    def _publish(self, topics: Mapping[str, Topic]) -> None:
        self._topics_by_id = {topic.topic_id: topic for topic in topics.values()}
        self._topics = topics

    # -- the file --------------------------------------------------------------------------------

    def _write(self, topics: Mapping[str, Topic], deleting: tuple[Topic, ...]) -> None:
        """Make a state durable, before any thread sees it. Raises KafkaStorageException; then the old state
        stays."""
        self._file.write({"changes": self._changes + 1,
                          "topics": [_to_json(topic) for topic in topics.values()],
                          "deleting": [_to_json(topic) for topic in deleting]})
        self._deleting = deleting
        self._changes += 1

    def _take(self, content: Mapping[str, Any]) -> None:
        self._publish({topic.name: topic for topic in map(_from_json, content["topics"])})
        self._deleting = tuple(map(_from_json, content["deleting"]))
        # A file from before the changes were counted has no number.
        self._changes = int(content.get("changes", 0))


def _to_json(topic: Topic) -> dict[str, object]:
    return {"name": topic.name, "id": str(topic.topic_id), "partitions": topic.num_partitions,
            "configs": dict(topic.configs)}


def _from_json(content: Mapping[str, object]) -> Topic:
    name, topic_id, partitions, configs = (content[key] for key in ("name", "id", "partitions", "configs"))
    if not (isinstance(name, str) and isinstance(topic_id, str) and isinstance(partitions, int)
            and isinstance(configs, dict)):
        raise TypeError(f"{content} is not a topic")
    return Topic(name, Uuid.from_string(topic_id), partitions, MappingProxyType(dict(configs)))
