"""Answers from any service that speaks the OpenAI way: POST /v1/chat/completions, JSON of a given shape."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from seamline.errors import ConfigError, ProviderError
from seamline.llm.schema import check_schema, problem
from seamline.protocols import BadAnswer, Fault, ModelReply, PictureInput, Usage
from seamline.remote.http import Answer, Patience
from seamline.remote.openai_api import Service

PLACE = "$.llm"
FORMATS = ("json_schema", "json_object", "none")
Format = Literal["json_schema", "json_object", "none"]
"""How the shape is asked for: by its schema, by the word JSON, or in the prompt alone. It is checked in any case."""

_TOLD = "That answer cannot be used: {problem}. Answer again, with nothing but JSON of this schema: {schema}"
_SHAPE = "\n\nAnswer with nothing but JSON of this schema: {schema}"
_TOLD_BACK = 4000
"""Code points of a bad answer that the model is shown again."""
_MOST = 200_000
"""Code points of an answer that are looked at; a model that says more is running away."""


class _Said(NamedTuple):
    """One answer of a model."""

    text: str
    parsed: Any
    fault: Fault | None
    why: str
    usage: Usage


class ChatModel:
    """A language model behind an address. A bad answer is told to the model once; then it is a `BadAnswer`."""

    def __init__(
        self,
        url: str,
        model: str,
        *,
        key: str = "",
        temperature: float | None = 0.0,
        max_tokens: int | None = None,
        format: Format = "json_schema",
        patience: Patience | None = None,
    ) -> None:
        """`temperature`: None leaves it to the service, for models that know one only. `max_tokens`: of an answer."""
        if format not in FORMATS:
            raise ConfigError(f"expected a format of {', '.join(FORMATS)}, got {format!r}", PLACE)
        if (max_tokens is not None and max_tokens < 1) or (temperature is not None and not 0 <= temperature <= 2):
            raise ConfigError("expected max_tokens of 1 or more and a temperature within 0..2", PLACE)
        self._service = Service(
            url, "chat/completions", key=key, place=PLACE, patience=patience or Patience(place=PLACE)
        )
        self.model = model
        self._temperature = temperature
        self._max_tokens = max_tokens
        self._format = format
        self.name = f"openai:{model}@{url}{self._settings()}"

    def __repr__(self) -> str:
        return f"ChatModel({self.name!r})"

    def complete(self, system: str, prompt: str, schema: Mapping[str, Any]) -> ModelReply:
        """The answer to one question. What fails for this question only is a BadAnswer; else it is a ProviderError
        that says whether again may help."""
        return self._complete(system, prompt, schema)

    def see(self, system: str, prompt: str, picture: PictureInput, schema: Mapping[str, Any]) -> ModelReply:
        """The answer to a question about a picture, which goes along as a data address; else as `complete`."""
        address = f"data:{picture.media_type};base64,{b64encode(picture.data).decode()}"
        shown = {"type": "image_url", "image_url": {"url": address}}
        content: list[dict[str, Any]] = [{"type": "text", "text": prompt}, shown]
        return self._complete(system, content, schema)

    def _complete(self, system: str, content: str | list[dict[str, Any]], schema: Mapping[str, Any]) -> ModelReply:
        check_schema(schema)
        shape = "" if self._format == "json_schema" else _SHAPE.format(schema=json.dumps(schema))
        messages = [_message("system", system + shape), _message("user", content)]
        said = self._ask(messages, schema)
        usage = said.usage
        if said.fault in ("malformed", "schema", "empty"):
            told = _TOLD.format(problem=said.why, schema=json.dumps(schema))
            again = [*messages, _message("assistant", said.text[:_TOLD_BACK] or "(nothing)"), _message("user", told)]
            said = self._ask(again, schema)
            usage += said.usage
        if said.fault:
            raise BadAnswer(f"{self.model} gave no answer of use: {said.why}", said.fault, usage)
        return ModelReply(said.text, said.parsed, usage)

    def _settings(self) -> str:
        """What changes answers, as a name has it."""
        given = {
            "temperature": "" if self._temperature == 0 else self._temperature or "default",
            "max_tokens": self._max_tokens or "",
            "format": "" if self._format == "json_schema" else self._format,
        }
        return "?" * any(given.values()) + "&".join(f"{name}={value}" for name, value in given.items() if value)

    def _ask(self, messages: list[dict[str, Any]], schema: Mapping[str, Any]) -> _Said:
        answer = self._service.ask(self._request(messages, schema))
        usage = Usage(calls=1, retries=answer.tried - 1)
        if answer.status != 200:
            raise self._refusal(answer, usage)
        try:
            found = json.loads(answer.body)
        except (ValueError, RecursionError):
            raise self._nonsense("no JSON") from None
        return _judged(self._choice(found), schema, usage + _tokens(found))

    def _request(self, messages: list[dict[str, Any]], schema: Mapping[str, Any]) -> dict[str, Any]:
        request: dict[str, Any] = {"model": self.model, "messages": messages}
        if self._temperature is not None:
            request["temperature"] = self._temperature
        if self._max_tokens is not None:
            request["max_tokens"] = self._max_tokens
        if self._format == "json_schema":
            shape = {"name": "answer", "strict": True, "schema": schema}
            request["response_format"] = {"type": "json_schema", "json_schema": shape}
        elif self._format == "json_object":
            request["response_format"] = {"type": "json_object"}
        return request

    def _refusal(self, answer: Answer, usage: Usage) -> ProviderError:
        said = self._service.said(answer)
        if self._service.is_too_long(answer):
            return BadAnswer(f"the question is longer than {self.model} reads{said}", "too-long", usage)
        if answer.status in {400, 422}:
            hint = ". If the service does not know some of the request, say format=json_object or temperature=default"
            return ProviderError(f"{self._service.start(answer)}{said}{hint} after a question mark in the name")
        return self._service.refusal(answer, self.model)

    def _choice(self, found: Any) -> dict[str, Any]:
        try:
            choice = found["choices"][0]
            if not isinstance(choice["message"], dict):
                raise TypeError
        except (TypeError, KeyError, IndexError):
            raise self._nonsense("no message of a choice") from None
        return dict(choice)

    def _nonsense(self, reason: str) -> ProviderError:
        return ProviderError(
            f"{self._service.url.geturl()} answered what is no completion ({reason}). "
            "Is it an OpenAI-compatible /v1/chat/completions?"
        )


def _message(role: str, content: str | list[dict[str, Any]]) -> dict[str, Any]:
    # A lone surrogate cannot be sent.
    text = content.encode("utf-8", "replace").decode() if isinstance(content, str) else content
    return {"role": role, "content": text}


def _tokens(found: Any) -> Usage:
    """What the service says it counted; a service that does not say is free."""
    usage = found.get("usage") if isinstance(found, dict) else None
    counts = [usage.get(name) if isinstance(usage, dict) else 0 for name in ("prompt_tokens", "completion_tokens")]
    prompt, completion = (count if type(count) is int and count > 0 else 0 for count in counts)
    return Usage(prompt_tokens=prompt, completion_tokens=completion)


def _judged(choice: Mapping[str, Any], schema: Mapping[str, Any], usage: Usage) -> _Said:
    """An answer and what is wrong with it. Its words are not in the message: they may be anything."""
    message, finish = choice["message"], choice.get("finish_reason")
    text = message.get("content")
    text = text if isinstance(text, str) else ""

    def wrong(fault: Fault, why: str) -> _Said:
        return _Said(text[:_MOST], None, fault, why, usage)

    if message.get("refusal") or finish == "content_filter":
        return wrong("refused", "it refused")
    if finish == "length":
        return wrong("truncated", "it was cut off at the most tokens of an answer")
    if not text.strip():
        return wrong("empty", "it is empty")
    try:
        parsed = read_json(text)
    except ValueError as error:
        return wrong("malformed", f"it is no JSON ({error})")
    if found := problem(parsed, schema):
        return wrong("schema", found)
    return _Said(text, parsed, None, "", usage)


def read_json(text: str) -> Any:
    """The JSON of an answer, which may stand in a fence. A ValueError says where it goes wrong."""
    bare = text.strip()
    if bare.startswith("```") and bare.endswith("```") and "\n" in bare:
        bare = bare[bare.index("\n") : -3]
    if len(bare) > _MOST:
        raise ValueError(f"it has more than {_MOST} characters")
    try:
        return json.loads(bare, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("nested too deep") from None


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")
