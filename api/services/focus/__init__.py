"""FOCUS-shaped estimates: priced usage as rows with the columns of a FOCUS Cost and Usage dataset.

FOCUS (focus.finops.org) is the FinOps Foundation's format for bills. What comes out here is an estimate and no bill: no
vendor issued it and it has no invoice. Columns and rules are those of version 1.2; no released version has columns for
models or kinds of tokens, so these stand in `SkuPriceDetails` under keys of our own, which begin with `x_`.
"""

from api.services.focus.columns import FOCUS_COLUMNS, FocusColumn
from api.services.focus.findings import Finding, check_focus_rows
from api.services.focus.lines import FocusLines, billing_month

__all__ = ["FOCUS_COLUMNS", "Finding", "FocusColumn", "FocusLines", "billing_month", "check_focus_rows"]
