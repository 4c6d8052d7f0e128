"""Whether an output shows the value of a record: the last look before anything is written."""

from privgate.leakscan.declared import declared_texts
from privgate.leakscan.scan import Finding, require_no_values, scan_outputs

__all__ = ["Finding", "declared_texts", "require_no_values", "scan_outputs"]
