"""What an attacker learns: measures over a channel and a prior."""

from deniable.privacy.edges import edge_leak

__all__ = ["edge_leak"]
