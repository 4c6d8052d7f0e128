"""What the checks would have seen: measurements repeated on releases whose truth is known."""
