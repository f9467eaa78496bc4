"""What clients ask for: one function a request, from a session and a message to the frames of its answer."""
