# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The parts of java.nio, java.net, java.io and java.util.concurrent that Kafka uses, on the stdlib.

Not a port: each class has only the members that the packages above call, under Java's names. Only this
package deals with Python's own quirks. It imports nothing from the packages above.
"""
