"""A loop without end, while it is imported."""

# comes to: stopped
# says: one call took longer than
# judged by: test_accept_is_strict
# call seconds: 0.3

while True:
    pass
