"""The guard off the record, and the figures of its log."""
