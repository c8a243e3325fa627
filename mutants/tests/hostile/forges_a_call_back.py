"""It asks for a hidden attribute of an object that it was lent."""

# comes to: stopped
# says: protocol fault: a call back of

import os
import struct

header = b'["?",0,"__class__",[]]'


def rejection_sample(p, q, m, rng, max_tries=10000):
    for number in range(3, 64):
        try:
            os.write(number, struct.pack("<II", len(header), 0) + header)
        except OSError:
            continue
    while True:
        pass
