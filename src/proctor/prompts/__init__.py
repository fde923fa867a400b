"""Load prompt files and render their messages."""
