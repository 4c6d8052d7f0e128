"""What stands in a set of texts, ready to be compared with values."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from privgate.leakscan.passages import Passage, passages
from privgate.leakscan.tokens import dates, numbers, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from privgate.leakscan.tokens import Number, Span

Phrase = tuple[str, ...]


class Place(NamedTuple):
    """Where something stands: a file and a section of it."""

    file: str
    section: str


@dataclass
class Reading:
    """Words in their order, numbers and dates, with the places where they stand."""

    streams: list[tuple[Place, Phrase]] = field(default_factory=list)
    numbers: defaultdict[Number, set[Place]] = field(default_factory=lambda: defaultdict(set))
    dates: defaultdict[Span, set[Place]] = field(default_factory=lambda: defaultdict(set))

    def add(self, place: Place, passage: Passage) -> None:
        """Read a passage."""
        for number in numbers(passage.text):
            self.numbers[number].add(place)
        if passage.bare_number:
            return
        for span in dates(passage.text):
            self.dates[span].add(place)
        self.streams.append((place, words(passage.text)))
        if passage.torn:
            self.streams.append((place, words(passage.text.replace("\n", ""))))

    def vocabulary(self) -> frozenset[str]:
        """Return every word that occurs."""
        return frozenset(word for _, stream in self.streams for word in stream)

    def where(self, phrases: Iterable[Phrase]) -> dict[Phrase, set[Place]]:
        """Return the phrases that occur, with their places, in one pass over the words."""
        wanted: defaultdict[str, defaultdict[int, set[Phrase]]]
        wanted = defaultdict(lambda: defaultdict(set))
        for phrase in phrases:
            wanted[phrase[0]][len(phrase)].add(phrase)
        found: defaultdict[Phrase, set[Place]] = defaultdict(set)
        for place, stream in self.streams if wanted else ():
            for start, word in enumerate(stream):
                for length, known in wanted[word].items() if word in wanted else ():
                    phrase = stream[start : start + length]
                    if phrase in known:
                        found[phrase].add(place)
        return found


def read_files(files: Mapping[str, bytes]) -> Reading:
    """Return what stands in files.

    Raises
    ------
    RenderError
        If one cannot be read.
    """
    reading = Reading()
    for name, content in files.items():
        for passage in passages(name, content):
            reading.add(Place(name, passage.section), passage)
    return reading


def read_texts(texts: Iterable[str]) -> Reading:
    """Return what stands in texts whose places do not matter."""
    reading = Reading()
    for text in texts:
        reading.add(Place("", ""), Passage("", text))
    return reading
