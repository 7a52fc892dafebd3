"""What every store must do: subclass `StoreContract`, say where stores are made, and pytest does the rest.

    class TestMine(StoreContract):
        @pytest.fixture(scope="class")
        @classmethod
        def sites(cls, tmp_path_factory):
            return lambda: MySite(tmp_path_factory.mktemp("store"))

Needs `pytest`, `hypothesis` and `numpy`, which the `dev` extra brings.
"""

import pytest

# Before the parts are loaded: a failed check of theirs shows both sides, as in a file of tests.
_PARTS = ("filtering", "history", "searching", "site", "writing")
pytest.register_assert_rewrite(*(f"{__name__}.{part}" for part in _PARTS))

from seamline.testing.stores.filtering import FilteringContract  # noqa: E402
from seamline.testing.stores.history import HistoryContract  # noqa: E402
from seamline.testing.stores.searching import SearchingContract  # noqa: E402
from seamline.testing.stores.site import Site  # noqa: E402
from seamline.testing.stores.writing import SequenceContract, WritingContract  # noqa: E402


class StoreContract(WritingContract, HistoryContract, SearchingContract, FilteringContract, SequenceContract):
    """All of it. The subclass brings a fixture `sites` of class scope: a function that makes a new, empty `Site`."""


__all__ = ["Site", "StoreContract"]
