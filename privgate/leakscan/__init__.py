"""The last look before anything is written: does an output show a value of a record?"""

from privgate.leakscan.declared import declared_texts
from privgate.leakscan.scan import Finding, require_no_values, scan_outputs

__all__ = ["Finding", "declared_texts", "require_no_values", "scan_outputs"]
