"""What has to run before a launch, and the launch made ready."""
