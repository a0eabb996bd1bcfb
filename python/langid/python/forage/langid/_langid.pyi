import os
from collections.abc import Iterable, Iterator
from typing import Any, Optional, Union, final

__all__ = ["__version__", "Identification", "Identifier", "identify", "identify_many"]

__version__: str

@final
class Identification:
    """The language of a text: what the field `langid` of a record has, under the same names."""

    def __new__(
        cls,
        code: str,
        script: str,
        score: float,
        margin: float,
        top: list[tuple[str, float]],
        font: Optional[str] = None,
        alternatives: list[str] = ...,
    ) -> Identification: ...
    @property
    def code(self) -> str:
        """The ISO 639-3 code of the language; "und" if it is unknown."""
    @property
    def script(self) -> str:
        """The ISO 15924 code of the script."""
    @property
    def score(self) -> float:
        """The probability that `code` is right, 0 to 1; 0 if the language is unknown."""
    @property
    def margin(self) -> float:
        """The distance of the second-best language from the best, 0 to 1."""
    @property
    def top(self) -> list[tuple[str, float]]:
        """The best languages with their probabilities, at most five, best first; if the language is
        unknown, the nearest ones."""
    @property
    def alternatives(self) -> list[str]:
        """The other languages that are about as likely as `code`, best first."""
    @property
    def font(self) -> Optional[str]:
        """The legacy font for which the text was typed, so that its language is unknown; or None."""
    def to_dict(self) -> dict[str, Any]:
        """Returns the field `langid` of a record, as `json` reads it."""
    def __getnewargs__(
        self,
    ) -> tuple[str, str, float, float, list[tuple[str, float]], Optional[str], list[str]]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class Identifier:
    """Identifies texts with chosen languages.

    Can be shared by threads, and pickled; the files of profiles are then read again.
    """

    def __new__(
        cls,
        *,
        only: Optional[Iterable[str]] = None,
        without: Optional[Iterable[str]] = None,
        profiles: Optional[Iterable[Union[str, os.PathLike[str]]]] = None,
    ) -> Identifier: ...
    @property
    def languages(self) -> list[str]:
        """The codes of the languages among which texts are identified, sorted."""
    def identify(self, text: str) -> Identification:
        """Returns the language of `text`."""
    def identify_many(self, texts: Iterable[Optional[str]], jobs: int = 0) -> Iterator[Identification]:
        """Returns an iterator over the languages of `texts`, in their order."""
    def __getnewargs_ex__(self) -> tuple[tuple[()], dict[str, Any]]: ...

def identify(text: str) -> Identification:
    """Returns the language of `text`."""

def identify_many(texts: Iterable[Optional[str]], jobs: int = 0) -> Iterator[Identification]:
    """Returns an iterator over the languages of `texts`, in their order.

    Texts are read in chunks of up to 4,096, so that memory does not depend on their number, and
    identified on `jobs` threads, as many as there are cores if 0, while other Python threads run.
    A missing text, `None` or a NaN of pandas, is as an empty one.
    """
