"""SQLite: a new price row is compared with its neighbor in time alone, not with every row of its slot.

Believed rows of one slot never overlap, so whichever of them overlaps a new one, the last that starts before its end does too.
With the index on (book, model, slot, valid_from) that is one step, however long the history of the slot.
"""

from __future__ import annotations

from alembic import op

revision = "2026_12_01_overlap_by_neighbor"
down_revision = "2026_12_01_price_terms"
branch_labels = None
depends_on = None

SAME = """
    other.superseded_at IS NULL AND other.price_book_id = NEW.price_book_id
    AND other.model_id = NEW.model_id AND other.slot = NEW.slot {but_itself}
"""
NEIGHBOR = """
    WHEN NEW.superseded_at IS NULL AND (
        EXISTS (
            SELECT 1 FROM price_rows other WHERE {same} AND other.valid_from IS NULL
            AND (NEW.valid_from IS NULL OR other.valid_to IS NULL OR NEW.valid_from < other.valid_to)
        )
        OR EXISTS (
            SELECT 1 FROM (
                SELECT other.valid_to FROM price_rows other
                WHERE {same} AND other.valid_from < COALESCE(NEW.valid_to, '~')
                ORDER BY other.valid_from DESC LIMIT 1
            ) AS neighbor
            WHERE NEW.valid_from IS NULL OR neighbor.valid_to IS NULL OR NEW.valid_from < neighbor.valid_to
        )
    )
"""
EVERY = """
    WHEN NEW.superseded_at IS NULL AND EXISTS (
        SELECT 1 FROM price_rows other WHERE {same}
          AND (other.valid_from IS NULL OR NEW.valid_to IS NULL OR other.valid_from < NEW.valid_to)
          AND (NEW.valid_from IS NULL OR other.valid_to IS NULL OR NEW.valid_from < other.valid_to)
    )
"""
REFUSE = " BEGIN SELECT RAISE(ABORT, 'two believed price rows of one slot overlap in valid time'); END"
INSERT = "CREATE TRIGGER tr_price_rows_no_overlap_insert BEFORE INSERT ON price_rows"
UPDATE = (
    "CREATE TRIGGER tr_price_rows_no_overlap_update BEFORE UPDATE OF"
    " price_book_id, model_id, slot, valid_from, valid_to, superseded_at ON price_rows"
)


def upgrade() -> None:
    """Replace both triggers; PostgreSQL has a constraint instead, and an index for it."""
    _replace(NEIGHBOR)


def downgrade() -> None:
    """Compare with every row again."""
    _replace(EVERY)


def _replace(rule: str) -> None:
    if op.get_bind().dialect.name != "sqlite":
        return
    for name in ("insert", "update"):
        op.execute(f"DROP TRIGGER tr_price_rows_no_overlap_{name}")
    op.execute(INSERT + rule.format(same=SAME.format(but_itself="")) + REFUSE)
    op.execute(UPDATE + rule.format(same=SAME.format(but_itself="AND other.id <> NEW.id")) + REFUSE)
