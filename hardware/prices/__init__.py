"""What machines cost: rental and purchase prices, each dated and with its source."""
