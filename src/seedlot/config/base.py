"""Base class of every settings model, and the loader that turns YAML into one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar, get_args

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from seedlot.config.errors import SeedlotError, nearest


class Settings(BaseModel):
    """Frozen settings; a key that is not declared is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


S = TypeVar("S", bound=Settings)


def each_once(names: list[str]) -> list[str]:
    """The names as they are; ValueError, which pydantic reports with the key, when one is listed twice."""
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"listed twice: {', '.join(twice)}")
    return names


def merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Deep merge of mappings; lists and scalars of `over` replace those of `base`."""
    out = dict(base)
    for key, value in over.items():
        if isinstance(value, Mapping) and isinstance(out.get(key), Mapping):
            out[key] = merge(out[key], value)
        else:
            out[key] = value
    return out


def read_yaml(path: Path) -> dict[str, Any]:
    """One YAML mapping from a file; a syntax error names file and line."""
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise SeedlotError(
            f"no config file '{path}'", todo="check the name and the folder you are in"
        ) from None
    except yaml.YAMLError as err:
        mark = getattr(err, "problem_mark", None)
        where = f"{path}:{mark.line + 1}" if mark else str(path)
        raise SeedlotError(f"not valid YAML: {getattr(err, 'problem', err)}", where=where) from None
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise SeedlotError("a config file must hold a mapping of keys", where=str(path))
    return data


def load(model: type[S], data: Mapping[str, Any], *, where: str = "config") -> S:
    """Validate `data`; every problem is listed with its dotted key, a misspelt key with the nearest valid one.

    Raises SeedlotError.
    """
    try:
        return model.model_validate(dict(data))
    except ValidationError as err:
        lines = [_explain(model, e) for e in err.errors()]
        raise SeedlotError(
            f"{len(lines)} problem{'s' if len(lines) > 1 else ''} in the configuration\n    "
            + "\n    ".join(lines),
            where=where,
            todo="see docs/config.md for every key, or config/schema.json in an editor",
        ) from None


def _explain(model: type[BaseModel], error: Mapping[str, Any]) -> str:
    loc = [str(part) for part in error["loc"]]
    key = ".".join(loc)
    if error["type"] != "extra_forbidden":
        seen = error.get("input")
        return (
            f"{key}: {error['msg']} (got {seen!r})"
            if not isinstance(seen, dict)
            else f"{key}: {error['msg']}"
        )
    valid = valid_keys(model, loc[:-1])
    close = nearest(loc[-1], valid)
    hint = f"did you mean '{close}'?" if close else f"valid keys: {', '.join(sorted(valid))}"
    return f"{key}: unknown key, {hint}"


def valid_keys(model: type[BaseModel], loc: Iterable[str]) -> list[str]:
    """The keys that the settings model accepts at a dotted location."""
    here: type[BaseModel] | None = model
    for part in loc:
        if here is None or part not in here.model_fields:
            if here is None:
                return []
            continue  # the key of a mapping such as manifests.<source>
        here = _inner_model(here.model_fields[part].annotation)
    return list(here.model_fields) if here else []


def _inner_model(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for arg in get_args(annotation):
        found = _inner_model(arg)
        if found is not None:
            return found
    return None
