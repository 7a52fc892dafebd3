"""An index in a folder, kept by LanceDB: nothing to start, many readers, one writer.

store        opens and makes an index            folder       what the folder holds, and its settings
guard        which commits count                 durable      files that survive a power loss
writer       changes                             maintenance  indices, compaction, removal of old commits
reader       one state                           search       exact, or almost
rows         entries as Arrow rows               filter       filters as SQL
hits         what a search has read              verify       everything against its checksums
table        one trip to the engine per call     engine       LanceDB, and its errors
"""

from __future__ import annotations

from seamline.store.lance.search import LanceLimits
from seamline.store.lance.store import LanceStore

__all__ = ["LanceLimits", "LanceStore"]
