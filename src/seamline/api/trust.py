"""Which services, files and owners the user trusts, and the keys that go along."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from seamline.errors import IndexMissing, index_imports
from seamline.recipe.toml import FILE_NAME, load_recipe
from seamline.trust.access import (
    Access,
    FoundModels,
    Target,
    Trust,
    admit,
    check_owner,
    is_plugin_model,
    models_of,
    remember,
    service_url,
    services_with_key,
    targets_of,
    trust_in,
)
from seamline.trust.keys import PLAIN, Keys
from seamline.trust.records import OWNER, TrustRecord, add_record, all_records, records_of, remove_record, trust_folder
from seamline.trust.search_path import named_by_user

__all__ = [
    "OWNER",
    "PLAIN",
    "Access",
    "FoundModels",
    "Keys",
    "Target",
    "Trust",
    "TrustRecord",
    "add_record",
    "admit",
    "all_records",
    "check_owner",
    "is_plugin_model",
    "models_of",
    "named_by_config",
    "named_by_index",
    "named_by_user",
    "records_of",
    "remember",
    "remove_record",
    "service_url",
    "services_with_key",
    "targets_of",
    "trust_folder",
    "trust_in",
    "trusted_place",
]


def trusted_place(given: str) -> str:
    """What trust is kept for: a folder, or the address of a database without secrets."""
    if "://" not in given:
        return trust_folder(given)
    from seamline.store.postgres.connect import Address

    return Address.read(given).shown


def named_by_config(folder: str) -> tuple[str, ...]:
    """The models that the seamline.toml of a folder names. Nothing of it is asked or opened."""
    path = Path(folder, FILE_NAME)
    if "://" in folder or not path.is_file():
        return ()
    check_owner(path)
    return models_of(load_recipe(path))


def named_by_index(folder: str, given: str) -> Iterator[str]:
    """The models that the index at a place names, or the one in a folder; none where there is no index."""
    try:
        with index_imports():
            from seamline.api.index import FOLDER, open_index

            inside = os.path.join(folder, FOLDER)
            place = given if "://" in folder else inside if os.path.isdir(inside) else folder
            with open_index(place) as index:
                yield from models_of(index.recipe, index.settings.embedder)
    except IndexMissing:
        return
