"""It writes an answer of its own into every descriptor, before the answer."""

# comes to: stopped
# says: protocol fault

import os
import struct

header = b'["=",0.5]'


def acceptance_probability(p, q):
    for number in range(3, 64):
        try:
            os.write(number, struct.pack("<II", len(header), 0) + header)
        except OSError:
            continue
    return 0.0
