"""XML from strangers: no document types, no entities, no files or addresses fetched, bounded nesting.

Built on expat, which streams: memory does not grow with the document. A document type declaration is refused
as soon as it begins, before anything in it could be expanded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from xml.parsers import expat

from seedlot.config.errors import SeedlotError

CHUNK = 1 << 20
MAX_DEPTH = 256
_NATIVE = frozenset({"utf-8", "utf-16", "iso-8859-1", "us-ascii"})
SEPARATOR = " "
"""Stands between namespace and local name in element names; no namespace contains a blank."""


def parser(encoding: str | None = None) -> expat.XMLParserType:
    """An expat parser that expands namespaces and refuses document types and external entities."""
    made = expat.ParserCreate(encoding, namespace_separator=SEPARATOR)
    made.buffer_text = True

    def refuse(*_: object) -> None:
        raise SeedlotError(
            "the XML declares a document type, which is refused because entities could hide in it",
            where=f"line {made.CurrentLineNumber}",
            todo="remove the <!DOCTYPE ...> declaration if you trust the file",
        )

    made.XmlDeclHandler = _check_encoding
    made.StartDoctypeDeclHandler = refuse
    made.EntityDeclHandler = refuse
    made.ExternalEntityRefHandler = refuse
    return made


def pieces(data: bytes) -> Iterator[bytes]:
    """A document cut into pieces for `feed`."""
    return (data[at : at + CHUNK] for at in range(0, len(data), CHUNK))


def feed(made: expat.XMLParserType, document: Iterable[bytes]) -> None:
    """Run a parser over the pieces of a document. Raises SeedlotError, with the line, when it is not
    well-formed."""
    try:
        for piece in document:
            made.Parse(piece, False)
        made.Parse(b"", True)
    except expat.ExpatError as error:
        message = expat.errors.messages.get(error.code, str(error))
        raise SeedlotError(f"not well-formed XML: {message}", where=f"line {error.lineno}") from error


def too_deep(line: int) -> SeedlotError:
    """The error for elements nested beyond MAX_DEPTH."""
    return SeedlotError(f"elements are nested deeper than {MAX_DEPTH}", where=f"line {line}")


def _check_encoding(version: str, encoding: str | None, standalone: int) -> None:
    """Refuse encodings that expat would hand to Python and that are no table of 256 letters."""
    if encoding is None or encoding.lower() in _NATIVE:
        return
    try:
        letters = bytes(range(256)).decode(encoding, "replace")
    except (LookupError, UnicodeError) as error:
        raise SeedlotError(
            f"the XML names an encoding that cannot be read: {error}", where="line 1"
        ) from error
    if len(letters) != 256:
        raise SeedlotError(f"the XML names an encoding that cannot be read: {encoding}", where="line 1")
