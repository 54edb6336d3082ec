# Licensed under the Apache License, Version 2.0; see LICENSE.
# A port to Python of org.apache.kafka.common.utils.PrimitiveRef of Apache Kafka 3.8.0,
# Copyright The Apache Software Foundation; changed: rewritten in Python.
"""A number that a called function or a closure can change."""

from __future__ import annotations


class PrimitiveRef:
    """Makes references to numbers. Used by one thread; several threads need the atomic classes.

    :origin: common.utils.PrimitiveRef
    """

    @staticmethod
    def of_int(value: int) -> PrimitiveRef.IntRef:
        """Return a reference to an int.

        :origin: common.utils.PrimitiveRef#ofInt(int)
        """
        return PrimitiveRef.IntRef(value)

    @staticmethod
    def of_long(value: int) -> PrimitiveRef.LongRef:
        """Return a reference to a long.

        :origin: common.utils.PrimitiveRef#ofLong(long)
        """
        return PrimitiveRef.LongRef(value)

    class IntRef:
        """A Java int.

        :origin: common.utils.PrimitiveRef.IntRef
        """

        __slots__ = ("value",)

        def __init__(self, value: int) -> None:
            """Keep the value.

            :origin: common.utils.PrimitiveRef.IntRef#IntRef(int)
            """
            # :origin: common.utils.PrimitiveRef.IntRef#value
            self.value = value

        def __str__(self) -> str:
            """Return the value.

            :origin: common.utils.PrimitiveRef.IntRef#toString()
            """
            return f"IntRef({self.value})"

    class LongRef:
        """A Java long.

        :origin: common.utils.PrimitiveRef.LongRef
        """

        __slots__ = ("value",)

        def __init__(self, value: int) -> None:
            """Keep the value.

            :origin: common.utils.PrimitiveRef.LongRef#LongRef(long)
            """
            # :origin: common.utils.PrimitiveRef.LongRef#value
            self.value = value

        def __str__(self) -> str:
            """Return the value.

            :origin: common.utils.PrimitiveRef.LongRef#toString()
            """
            return f"LongRef({self.value})"
