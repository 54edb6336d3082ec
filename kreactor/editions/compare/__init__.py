# Licensed under the Apache License, Version 2.0; see LICENSE.
"""One script of bytes through the network thread of each edition, poll by poll, in virtual time."""
