"""What a language model answered, what it cost, and how it can fail to answer."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal, NamedTuple

from seamline.errors import ConfigError, ProviderError

Fault = Literal["malformed", "schema", "refused", "empty", "truncated", "too-long"]
"""malformed: no JSON. schema: JSON of another shape. refused: the model would not. empty: nothing was said. truncated:
cut off at the most tokens of an answer. too-long: the model reads less than it was given."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What was asked of a model. Usages add up."""

    calls: int = 0
    """Questions that were sent, those after a bad answer included."""
    cached: int = 0
    """Questions whose answer was known."""
    retries: int = 0
    """Requests that were repeated because the service was busy or away."""
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    def money(self, prices: Prices) -> float:
        """What that costs, in the currency of the prices."""
        return (self.prompt_tokens * prices.prompt + self.completion_tokens * prices.completion) / 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """Per million tokens, as the provider's list says."""

    prompt: float
    completion: float

    def __post_init__(self) -> None:
        if not (self.prompt >= 0 and self.completion >= 0):
            raise ConfigError(f"expected prices of 0 or more, got {self.prompt} and {self.completion}", "$.llm")


class Reply(NamedTuple):
    """An answer that is JSON of the shape that was asked for."""

    text: str
    parsed: Any
    usage: Usage


class BadAnswer(ProviderError):
    """The service works, but its answer to this one question cannot be used. Others may go well."""

    def __init__(self, message: str, fault: Fault, usage: Usage = Usage()) -> None:  # noqa: B008 - it is frozen
        super().__init__(message)
        self.fault = fault
        self.usage = usage
