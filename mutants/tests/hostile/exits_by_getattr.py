"""A module-level __getattr__ that ends the process when a function is looked for."""

# comes to: stopped
# says: the guest ended: exit status 0

import os

del rejection_sample


def __getattr__(name):
    os._exit(0)
