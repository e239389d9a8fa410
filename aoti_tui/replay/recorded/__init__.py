"""What came back from the worker: results, recordings, and stopping in them."""
