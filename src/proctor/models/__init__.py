"""Chat models behind one socket: the only room with a network or weights."""
