"""From sources to an index that holds them: only what changed is cut, embedded and written."""

from seamline.indexing.run import Candidate, Report, Tools, Watcher, update

__all__ = ["Candidate", "Report", "Tools", "Watcher", "update"]
