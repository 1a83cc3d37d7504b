"""The decision engine: datasets queried, outcomes simulated, decisions logged, and executed behind three gates."""
