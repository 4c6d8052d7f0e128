"""What the name of a column, in English or German, suggests about its role."""

from __future__ import annotations

import re
import unicodedata

from privgate.data.columns import Role


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


_QUASI = _listed(
    "age sex gender zip zipcode postcode postal birth birthdate birthday dob born race "
    "ethnicity ethnic marital married civil education school occupation job profession "
    "workclass religion nationality country citizenship city region county state municipality "
    "district province language height weight bmi household family children relationship "
    "employer alter geschlecht plz postleitzahl familienstand verheiratet bildung schule "
    "abschluss beruf religion konfession nationalitaet land bundesland ort wohnort stadt kreis "
    "landkreis gemeinde bezirk sprache groesse koerpergroesse gewicht haushalt kinder "
    "kinderzahl arbeitgeber ethnie herkunft"
)
_SENSITIVE = _listed(
    "income salary wage wages earnings pay debt wealth asset assets diagnosis disease disorder "
    "hiv aids cancer icd medication treatment pregnant pregnancy disability genotype drug drugs "
    "alcohol crime conviction credit loan default orientation outcome died death survival "
    "einkommen gehalt lohn verdienst schulden vermoegen diagnose erkrankung krankheit krebs "
    "medikament medikation behandlung therapie schwanger schwangerschaft behinderung drogen "
    "alkohol straftat kredit darlehen tod verstorben gestorben sterbedatum ueberleben"
)
_IDENTIFIER = _listed(
    "id ids identifier uuid guid ssn pid mrn passport email mail phone telephone name surname "
    "lastname firstname iban key index patient kennung nummer nachname vorname familienname "
    "telefon handy ausweis schluessel"
)
# The last part of a German compound says what it is: Haushaltseinkommen is an income.
_ENDINGS = (
    (Role.SENSITIVE, ("einkommen", "vermoegen", "diagnose", "erkrankung", "krankheit", "therapie")),
    (Role.QUASI_IDENTIFIER, ("geschlecht", "angehoerigkeit", "groesse")),
    (Role.IDENTIFIER, ("nummer", "kennung", "schluessel")),
)
_BIRTH = re.compile("birth|birthdate|birthday|dob|born|geburt.*|geboren")
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})


def words_of(name: str) -> list[str]:
    """Return the words of a column's name in small letters, umlauts written out.

    Examples
    --------
    >>> words_of("HaushaltsGröße_2")
    ['haushalts', 'groesse']
    """
    composed = unicodedata.normalize("NFC", name)
    spaced = re.sub(r"(?<=[a-zäöüß0-9])(?=[A-ZÄÖÜ])", " ", composed)
    plain = unicodedata.normalize("NFKD", spaced.lower().translate(_UMLAUTS))
    return re.findall(r"[a-z]+", "".join(sign for sign in plain if not unicodedata.combining(sign)))


def suggested_role(name: str) -> Role | None:
    """Return the role that a name suggests, the most exposing one first.

    Examples
    --------
    >>> suggested_role("Monatseinkommen").value, suggested_role("sex_at_birth").value
    ('sensitive', 'quasi_identifier')
    >>> suggested_role("Hb") is None
    True
    """
    words = words_of(name)
    for role, known in (
        (Role.IDENTIFIER, _IDENTIFIER),
        (Role.SENSITIVE, _SENSITIVE),
        (Role.QUASI_IDENTIFIER, _QUASI),
    ):
        if known.intersection(words):
            return role
    for role, endings in _ENDINGS:
        if any(word.endswith(endings) for word in words):
            return role
    return Role.QUASI_IDENTIFIER if suggests_birth(name) else None


def suggests_birth(name: str) -> bool:
    """Return whether a name speaks of somebody's birth."""
    return any(_BIRTH.fullmatch(word) for word in words_of(name))
