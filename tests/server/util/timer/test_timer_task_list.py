# Licensed under the Apache License, Version 2.0; see LICENSE.
"""A bucket of tasks."""

from __future__ import annotations

from kreactor.jdk.atomic import AtomicInteger
from kreactor.jdk.time_unit import TimeUnit
from kreactor.server.util.timer.timer_task import TimerTask
from kreactor.server.util.timer.timer_task_entry import TimerTaskEntry
from kreactor.server.util.timer.timer_task_list import TimerTaskList
from kreactor.testing.mock_time import MockTime


class Task(TimerTask):
    def run(self) -> None:
        pass


def size(task_list: TimerTaskList) -> int:
    tasks: list[TimerTask] = []
    task_list.foreach(tasks.append)
    return len(tasks)


def test_all() -> None:
    shared_counter = AtomicInteger(0)
    list1, list2, list3 = (TimerTaskList(shared_counter) for _ in range(3))
    tasks = []
    for i in range(1, 11):
        task = Task(0)
        list1.add(TimerTaskEntry(task, 10))
        assert shared_counter.get() == i
        tasks.append(task)
    # A new entry for a task takes the old one out of its list.
    for task in tasks[:4]:
        list2.add(TimerTaskEntry(task, 10))
        assert shared_counter.get() == 10
    assert (size(list1), size(list2)) == (6, 4)
    for task in tasks[4:]:
        list3.add(TimerTaskEntry(task, 10))
        assert shared_counter.get() == 10
    assert (size(list1), size(list2), size(list3)) == (0, 4, 6)
    list1.foreach(TimerTask.cancel)
    assert (size(list1), size(list2), size(list3)) == (0, 4, 6)
    list2.foreach(TimerTask.cancel)
    assert (size(list1), size(list2), size(list3)) == (0, 0, 6)
    list3.foreach(TimerTask.cancel)
    assert (size(list1), size(list2), size(list3)) == (0, 0, 0)
    assert shared_counter.get() == 0


def test_get_delay() -> None:
    time = MockTime()
    task_list = TimerTaskList(AtomicInteger(0), time)
    task_list.set_expiration(time.hi_res_clock_ms() + 10_000)
    time.sleep(5_000)
    assert task_list.get_delay(TimeUnit.SECONDS) == 5
    time.sleep(6_000)
    assert task_list.get_delay(TimeUnit.SECONDS) == 0


def test_flush_empties_from_the_head_on() -> None:
    counter = AtomicInteger(0)
    task_list = TimerTaskList(counter)
    entries = [TimerTaskEntry(Task(0), i) for i in range(3)]
    for entry in entries:
        task_list.add(entry)
    assert task_list.set_expiration(7)
    assert not task_list.set_expiration(7)
    flushed: list[TimerTaskEntry] = []
    task_list.flush(flushed.append)
    assert flushed == entries
    assert counter.get() == 0
    assert task_list.get_expiration() == -1


def test_a_task_knows_whether_it_waits() -> None:
    task = Task(5)
    assert task.is_cancelled()
    entry = TimerTaskEntry(task, 5)
    assert not task.is_cancelled() and not entry.cancelled()
    task.cancel()
    assert task.is_cancelled() and entry.cancelled()
    task.cancel()
