"""All files of a finished check, in one folder."""

from privgate.dossier.comparison import (
    COMPARISON_FILES,
    NO_PAGES_OF_COMPARISONS,
    drawn_comparison,
    stored_candidate,
)
from privgate.dossier.earlier import baseline_file
from privgate.dossier.folder import new_folder, require_free, write_dossier, write_folder
from privgate.dossier.formats import (
    POWER,
    PRINTED,
    Format,
    dossier_files,
    file_formats,
    is_drawn,
    known_formats,
    with_pdf_if_possible,
)

__all__ = [
    "COMPARISON_FILES",
    "NO_PAGES_OF_COMPARISONS",
    "POWER",
    "PRINTED",
    "Format",
    "baseline_file",
    "dossier_files",
    "drawn_comparison",
    "file_formats",
    "is_drawn",
    "known_formats",
    "new_folder",
    "require_free",
    "stored_candidate",
    "with_pdf_if_possible",
    "write_dossier",
    "write_folder",
]
