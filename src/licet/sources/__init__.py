"""Where tools come from and how a call reaches them. A source lists; it judges nothing."""
