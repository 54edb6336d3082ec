# Licensed under the Apache License, Version 2.0; see LICENSE.
"""What ``org.apache.kafka.common`` had of its own in this release."""
