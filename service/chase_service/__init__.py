"""The gRPC service of Chase Fast: queries in batches, whole games, and long jobs."""
