"""The version of the arithmetic. It changes whenever the same question on the same catalog could give another figure."""

METHOD_VERSION = "1"
