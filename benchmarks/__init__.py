"""What `make bench` runs: each measurement prints `name: value unit`."""
