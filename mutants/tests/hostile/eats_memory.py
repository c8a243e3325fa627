"""All memory that there is, at once and in small pieces."""

# comes to: stopped
# says: MemoryError


def rejection_accept(p_x, q_x, u):
    kept = []
    while True:
        kept.append(bytearray(1 << 26))
