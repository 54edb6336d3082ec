# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The parts of ``org.apache.kafka.common`` that differ in this release."""
