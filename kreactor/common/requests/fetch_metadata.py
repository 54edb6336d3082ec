# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.requests.FetchMetadata of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""The session id and epoch of a fetch request (KIP-227)."""

from __future__ import annotations


class FetchMetadata:
    """The id of a session and the epoch of a request in it. Immutable.

    :origin: common.requests.FetchMetadata
    """

    __slots__ = ("_session_id", "_epoch")

    # The id for a client without session.
    INVALID_SESSION_ID = 0
    # The epoch that requests a new session.
    INITIAL_EPOCH = 0
    # The epoch that closes an existing session without a new one.
    FINAL_EPOCH = -1
    INITIAL: FetchMetadata
    # The metadata for a request of a version without sessions.
    LEGACY: FetchMetadata

    @staticmethod
    def next_epoch(prev_epoch: int) -> int:
        """Return the next epoch: 1 after the highest int, FINAL_EPOCH after FINAL_EPOCH.

        :origin: common.requests.FetchMetadata#nextEpoch(int)
        """
        if prev_epoch < 0:
            return FetchMetadata.FINAL_EPOCH
        return 1 if prev_epoch == 0x7FFFFFFF else prev_epoch + 1

    def __init__(self, session_id: int, epoch: int) -> None:
        """:origin: common.requests.FetchMetadata#FetchMetadata(int, int)"""
        self._session_id = session_id
        self._epoch = epoch

    def is_full(self) -> bool:
        """Return whether the request has all its partitions, and not only changes.

        :origin: common.requests.FetchMetadata#isFull()
        """
        return self._epoch == FetchMetadata.INITIAL_EPOCH or self._epoch == FetchMetadata.FINAL_EPOCH

    def session_id(self) -> int:
        """Return the id of the session.

        :origin: common.requests.FetchMetadata#sessionId()
        """
        return self._session_id

    def epoch(self) -> int:
        """Return the epoch of the request.

        :origin: common.requests.FetchMetadata#epoch()
        """
        return self._epoch

    def __hash__(self) -> int:
        """:origin: common.requests.FetchMetadata#hashCode()"""
        return hash((self._session_id, self._epoch))

    def __eq__(self, other: object) -> bool:
        """:origin: common.requests.FetchMetadata#equals(Object)"""
        return (isinstance(other, FetchMetadata) and self._session_id == other._session_id
                and self._epoch == other._epoch)

    def next_close_existing_attempt_new(self) -> FetchMetadata:
        """Return the metadata that closes the session and requests a new one.

        :origin: common.requests.FetchMetadata#nextCloseExistingAttemptNew()
        """
        return FetchMetadata(self._session_id, FetchMetadata.INITIAL_EPOCH)

    @staticmethod
    def new_incremental(session_id: int) -> FetchMetadata:
        """Return the metadata after the first request of a session.

        :origin: common.requests.FetchMetadata#newIncremental(int)
        """
        return FetchMetadata(session_id, FetchMetadata.next_epoch(FetchMetadata.INITIAL_EPOCH))

    def next_incremental(self) -> FetchMetadata:
        """Return the metadata of the next request of the session.

        :origin: common.requests.FetchMetadata#nextIncremental()
        """
        return FetchMetadata(self._session_id, FetchMetadata.next_epoch(self._epoch))

    def __str__(self) -> str:
        """:origin: common.requests.FetchMetadata#toString()"""
        session = "INVALID" if self._session_id == FetchMetadata.INVALID_SESSION_ID else self._session_id
        epoch = {FetchMetadata.INITIAL_EPOCH: "INITIAL", FetchMetadata.FINAL_EPOCH: "FINAL"}.get(
            self._epoch, self._epoch)
        return f"(sessionId={session}, epoch={epoch})"

    __repr__ = __str__


FetchMetadata.INITIAL = FetchMetadata(FetchMetadata.INVALID_SESSION_ID, FetchMetadata.INITIAL_EPOCH)
FetchMetadata.LEGACY = FetchMetadata(FetchMetadata.INVALID_SESSION_ID, FetchMetadata.FINAL_EPOCH)
