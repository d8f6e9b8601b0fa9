"""At which volume one way of buying becomes cheaper than another: every crossing, exact, with whole replicas as steps."""
