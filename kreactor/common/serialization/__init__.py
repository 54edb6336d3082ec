# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.serialization``: keys and values of records from and to bytes.

An object of these classes belongs to one producer or consumer, whose threads may call it at the same time:
none changes after ``configure``. Each takes and gives None for a key or a value that is not there.

Python has one int and one float where Java has three and two. A serializer raises TypeError, as Java does a
ClassCastException, for a value of another type and for a number out of the range of its Java type.
"""
