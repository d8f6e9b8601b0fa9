"""What may be a name in a price book: of a vendor, a model, a context value, a currency."""

from __future__ import annotations

import re
from typing import Final

PROVIDER: Final = re.compile(r"[^\W_][\w .()+-]{0,63}(?<! )")
MODEL: Final = re.compile(r"[^\W_][\w .:/@()+-]{0,199}(?<! )")
CONTEXT_VALUE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)
CURRENCY: Final = re.compile(r"[A-Z]{3}", re.ASCII)
