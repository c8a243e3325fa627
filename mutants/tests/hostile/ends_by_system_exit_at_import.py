"""sys.exit(0) while the module is imported."""

# comes to: ungradable
# says: it cannot be imported: SystemExit: 0

import sys

sys.exit(0)
