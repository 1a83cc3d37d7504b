"""Holds every embedded copy of the profile contract against the contract. Standard library only."""
