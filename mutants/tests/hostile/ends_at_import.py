"""The process ends, content with itself, while the module is imported."""

# comes to: stopped
# says: the guest ended: exit status 0

import os

os._exit(0)
