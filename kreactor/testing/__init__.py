# Licensed under the Apache License, Version 2.0; see LICENSE.
"""What tests import: a clock that they move."""
