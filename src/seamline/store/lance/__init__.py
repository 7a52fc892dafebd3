"""An index in a folder, kept by LanceDB: nothing to start, many readers, one writer.

store        makes, opens and verifies it        folder       what the folder holds, and its settings
guard        which commits count                 engine       LanceDB and its errors, files that survive a power loss
writer       changes                             maintenance  indices, compaction, removal of old commits
reader       one state                           search       exact, or almost
rows         entries as Arrow rows               filter       filters as SQL
"""

from __future__ import annotations

from seamline.store.lance.search import LanceLimits
from seamline.store.lance.store import LanceStore

__all__ = ["LanceLimits", "LanceStore"]
