"""Chat models behind one protocol; the only package that uses a network or weights."""
