"""Everything Seamline raises on purpose.

SeamlineError                 a message for people: what is wrong, where, and what to do
├── ConfigError               a recipe or option that cannot work; `path` names it, as in $.budget.limit
│   ├── BudgetError           target, limit and floor that cannot hold together
│   └── TrustError            a service, a model file or an owner that a found file leads to and nobody allowed
├── ParseError                a source that cannot be read; `source` and `where` name the place
│   └── ParserGaveUp          a parser that failed or was stopped: of a text, only the structure is lost
├── ProviderError             a model or service that failed; `retryable` says whether again may help
├── StoreError                an index that refuses
│   └── IndexMissing          no index at the address that was given
└── MissingExtra              an optional part that is not installed; names the install command
"""


class SeamlineError(Exception):
    """Base of every error raised on purpose; its text is fit to show to a user."""


class ConfigError(SeamlineError):
    """A recipe or option that cannot work."""

    def __init__(self, message: str, path: str = "") -> None:
        super().__init__(f"{message} - at `{path}`" if path else message)
        self.path = path


class BudgetError(ConfigError):
    """Target, limit and floor that cannot hold together."""


class TrustError(ConfigError):
    """A service, a model file or an owner that a found file leads to and that the user has not allowed."""


class ParseError(SeamlineError):
    """A source that cannot be read."""

    def __init__(self, message: str, source: str = "", where: str = "") -> None:
        place = ", ".join(part for part in (source, where) if part)
        super().__init__(f"{place}: {message}" if place else message)
        self.reason = message
        self.source = source
        self.where = where


class ParserGaveUp(ParseError):
    """A parser that failed or was stopped by a limit. A source that is text is then cut as plain text."""


class ProviderError(SeamlineError):
    """A model or service that failed."""

    def __init__(self, message: str, *, retryable: bool = False) -> None:
        super().__init__(message)
        self.retryable = retryable


class StoreError(SeamlineError):
    """An index that refuses to be read or written."""


class IndexMissing(StoreError):
    """There is no index at the address that was given."""


class MissingExtra(SeamlineError):
    """An optional part that is not installed."""

    def __init__(self, what: str, command: str) -> None:
        super().__init__(f"{what} is not installed: run `{command}`")
        self.what = what
        self.command = command
