"""A whole Kubernetes cluster in a test: the fixture ``bowsprit``, or ``start()`` without pytest."""

from .cluster import BowspritError, Cluster, start

__all__ = ["BowspritError", "Cluster", "start"]
