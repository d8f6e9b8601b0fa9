"""What a deployment serves: its throughput stated, measured or estimated."""
