"""Who may fetch what: access gates, the variables that hold keys, and keeping keys out of every text."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping

from seedlot.catalog.releases import Release


def key_variable(source: str) -> str:
    """The environment variable that holds a source's key: a token, or user:password."""
    return f"SEEDLOT_{source.upper()}_KEY"


def missing_licence(release: Release, environ: Mapping[str, str]) -> str:
    """'' when the release may be fetched, else one sentence: what to sign, where, and the variable to set."""
    if release.access == "open" or environ.get(key_variable(release.source)):
        return ""
    duty = {"registration": "a registration", "agreement": "a signed agreement"}[release.access]
    return (
        f"{release.title} ({release.licence}) needs {duty}: go to {release.home}, then set "
        f"{key_variable(release.source)} to the key you get, or put the files in a folder named in 'mirrors'"
    )


def missing_licences(releases: Iterable[Release], environ: Mapping[str, str]) -> dict[tuple[str, str], str]:
    """(source, release) -> what is missing, for the releases that may not be fetched yet."""
    found = {(row.source, row.release): missing_licence(row, environ) for row in releases}
    return {key: text for key, text in found.items() if text}


def key_headers(source: str, environ: Mapping[str, str]) -> dict[str, str]:
    """The Authorization header of a source's key, {} without one: Basic for user:password, else Bearer."""
    key = environ.get(key_variable(source), "").strip()
    if not key:
        return {}
    if ":" in key:
        return {"Authorization": "Basic " + base64.b64encode(key.encode()).decode()}
    return {"Authorization": f"Bearer {key}"}


def redact(text: str, source: str, environ: Mapping[str, str]) -> str:
    """The text with the source's key, plain or as sent, replaced by '***'."""
    key = environ.get(key_variable(source), "").strip()
    if not key:
        return text
    forms = {key, base64.b64encode(key.encode()).decode(), key.rpartition(":")[2] or key}
    for secret in sorted(forms, key=len, reverse=True):
        text = text.replace(secret, "***")
    return text
