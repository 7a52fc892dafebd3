"""An index from tables: the reverse of `Index.export`."""

from __future__ import annotations

from pathlib import Path

from seamline.api.index import FOLDER
from seamline.index import transfer
from seamline.index.sources import way_to
from seamline.index.transfer import TransferCounts
from seamline.store import is_address

__all__ = ["TransferCounts", "import_index"]


def import_index(folder: str | Path, place: str | Path = FOLDER, *, root: Path | None = None) -> TransferCounts:
    """Make an index of the tables that `Index.export` wrote, at a place as `open_index` takes it, where there is none
    yet. `root` is the folder that names of documents start from: the one around the index, unless given. No model is
    loaded; the sources of the other index are not followed."""
    way = way_to(root, Path(place)) if root is not None and not is_address(str(place)) else ""
    return transfer.import_index(folder, str(place), root=way)
