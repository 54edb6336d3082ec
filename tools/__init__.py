# Licensed under the Apache License, Version 2.0; see LICENSE.
"""The tools of a checkout. A script puts the checkout's root on sys.path, and imports modules from here."""
