"""Whether chunks keep the contract."""

from __future__ import annotations

from seamline.cut.audit.audit import (
    RULES,
    Violation,
    audit,
    audit_records,
)

__all__ = ["RULES", "Violation", "audit", "audit_records"]
