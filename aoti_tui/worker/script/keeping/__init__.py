"""What launches overwrite is kept, so that they can be run again at any time."""
