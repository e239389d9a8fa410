"""What must hold of a call so that an assert does not fail, as Python over its inputs."""
