# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The port of ``kafka.coordinator.transaction``: ids for producers; transactions are not ported yet."""
