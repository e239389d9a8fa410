"""The graphs of one run of torch.compile, wherever they lie: folders, caches, logs, traces."""
