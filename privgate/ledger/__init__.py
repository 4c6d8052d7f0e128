"""A record of every evaluation, in which nothing can be left out, altered or moved unseen."""

from privgate.ledger.chain import Chain, Head
from privgate.ledger.file import Ledger
from privgate.ledger.lines import AnyLine, Evaluation, Interrupted

__all__ = ["AnyLine", "Chain", "Evaluation", "Head", "Interrupted", "Ledger"]
