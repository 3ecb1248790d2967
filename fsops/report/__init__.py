"""Results for people: as text on a terminal."""
