"""One small module for each way to run a vocabulary. An engine is imported when its first family is loaded."""
