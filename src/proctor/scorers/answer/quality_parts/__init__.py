"""The parts that the four dimensions of quality are made of."""
