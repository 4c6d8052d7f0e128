"""From a release and a policy to evidence and verdict."""

from privgate.engine.cache import Cache
from privgate.engine.gate import Assessment, assess
from privgate.engine.progress import Progress, Silent

__all__ = ["Assessment", "Cache", "Progress", "Silent", "assess"]
