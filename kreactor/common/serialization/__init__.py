# Licensed under the Apache License, Version 2.0; see LICENSE.
"""``org.apache.kafka.common.serialization``: serializers and deserializers of keys and values.

An object of these classes belongs to one producer or consumer. Several threads may call it at once, because
it does not change after ``configure``. Each converts None, a missing key or value, to None.

Python has one int type and one float type, Java has three and two. A serializer raises TypeError for a value
of another type, where Java raises ClassCastException. It also raises TypeError for a number outside the range
of its Java type.
"""
