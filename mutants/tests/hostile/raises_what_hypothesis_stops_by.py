"""A BaseException that calls itself Hypothesis's StopTest."""

# comes to: stopped
# says: the submission raised StopTest

StopTest = type("StopTest", (BaseException,), {"__module__": "hypothesis.errors", "testcounter": 0})


def residual_distribution(p, q):
    raise StopTest
