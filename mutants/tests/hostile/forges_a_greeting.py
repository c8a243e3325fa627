"""It greets in the guest's place while it is imported, and promises everything."""

# comes to: stopped
# says: protocol fault

import os
import struct

header = b'["hello",[true,true,true,true,true,true,true,true],[["__eq__",[["b","Exception"]]]]]'
for number in range(3, 64):
    try:
        os.write(number, struct.pack("<II", len(header), 0) + header)
    except OSError:
        continue
