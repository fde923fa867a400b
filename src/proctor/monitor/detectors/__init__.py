"""What alert rules count: one detector for each kind of rule."""
