# Licensed under the Apache License, Version 2.0; see LICENSE.
"""Word counts with Quix Streams: the counts are its state, in RocksDB and in a compacted topic."""

from __future__ import annotations

import os

from quixstreams import Application, State


def count(word: str, state: State) -> str:
    number = state.get(word, 0) + 1
    state.set(word, number)
    return str(number)


def main() -> None:
    app = Application(
        os.environ["BOOTSTRAP_SERVERS"], consumer_group="quix", auto_offset_reset="earliest",
        state_dir=os.environ["STATE"], commit_interval=1.0)
    lines = app.topic(os.environ["LINES"], value_deserializer="str")
    counted = app.topic(os.environ["COUNTS"], value_serializer="str", key_serializer="str")
    words = app.dataframe(lines).apply(str.split, expand=True).group_by(
        lambda word: word, name="word", value_deserializer="str", value_serializer="str",
        key_serializer="str", key_deserializer="str")
    words.apply(count, stateful=True).to_topic(counted)
    app.run()


if __name__ == "__main__":
    main()
