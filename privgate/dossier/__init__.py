"""All files of a finished check, in one folder."""

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
    "POWER",
    "PRINTED",
    "Format",
    "dossier_files",
    "file_formats",
    "is_drawn",
    "known_formats",
    "new_folder",
    "require_free",
    "with_pdf_if_possible",
    "write_dossier",
    "write_folder",
]
