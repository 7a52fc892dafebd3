"""Questions in, JSON out: any language model behind a service that speaks the OpenAI way."""

from __future__ import annotations

from inspect import getattr_static
from typing import TYPE_CHECKING

from seamline.errors import ConfigError
from seamline.protocols import LanguageModel
from seamline.remote.model_names import remote, settings, whole_number

if TYPE_CHECKING:
    from seamline.llm.client import ChatModel

_PLACE = "$.llm"
_SETTINGS = ("temperature", "max_tokens", "format")


def load(model: str | LanguageModel, *, key: str = "", timeout: float = 60.0) -> LanguageModel:
    """The language model that a name means; a LanguageModel is what it is.

    | name | model |
    |---|---|
    | `openai:MODEL` | a model of OpenAI |
    | `openai:MODEL@http://127.0.0.1:8080/v1` | a model of any service that speaks the same language |
    | `openai:MODEL@URL?temperature=default&max_tokens=2000&format=json_object` | and how it is used |

    `format` is `json_schema`, `json_object` or `none`, for services that know less. The name holds all that changes an
    answer, and no secret. `timeout`: seconds for one whole answer.
    """
    if not isinstance(model, str):
        if missing := [part for part in ("name", "complete") if getattr_static(model, part, None) is None]:
            raise ConfigError(
                f"expected the name of a language model or a LanguageModel, got {model!r}, which has no "
                f"{', '.join(missing)}",
                _PLACE,
            )
        return model
    return _remote(model, key, timeout)


def _remote(name: str, key: str, timeout: float) -> ChatModel:
    from seamline.llm.client import ChatModel
    from seamline.remote.http import Patience

    base, _, query = name.partition("?")
    found = remote(base, _PLACE)
    if found is None:
        raise ConfigError(f"unknown language model {base!r}: expected openai:MODEL or openai:MODEL@URL", _PLACE)
    given = settings(query, _SETTINGS, "a language model", _PLACE)
    return ChatModel(
        found.url,
        found.model,
        key=key,
        temperature=_temperature(given.get("temperature", "0")),
        max_tokens=whole_number(given, "max_tokens", _PLACE),
        format=given.get("format", "json_schema"),  # type: ignore[arg-type]  # ChatModel refuses what it does not know
        patience=Patience(timeout=timeout, place=_PLACE),
    )


def _temperature(given: str) -> float | None:
    if given == "default":
        return None
    try:
        return float(given)
    except ValueError:
        raise ConfigError(f"expected temperature to be a number or `default`, got {given!r}", _PLACE) from None
