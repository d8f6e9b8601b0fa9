"""What is compared: samples of text, a workload, offers and how they are bought."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from api.services.hosting.deployment import Deployment
from api.services.offers import OfferName
from api.services.pricing import RowId
from economics.errors import PermillionError
from economics.exchange import Exchange
from economics.money import ONE, ZERO
from tokenizers_registry.images import Image
from tokenizers_registry.tools import Tool, ToolChoice

LEAST_SAMPLE_CHARACTERS = 200
"""Below it a figure per character or per million of them says more of the sample than of the language."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A query as text, or as token counts where the caller has no text to show.

    `input_text` or `input_tokens` is given; of the output one, or neither. `system_text` stands before the input in a message
    of its own; `tools` and `images` are sent along, `tool_choice` is None where it is left to the model.
    """

    name: str
    input_text: str | None = None
    output_text: str | None = None
    input_tokens: int | None = None
    weight: Decimal = ONE
    system_text: str | None = None
    tools: Sequence[Tool] = ()
    images: Sequence[Image] = ()
    tool_choice: ToolChoice | None = None

    def texts(self) -> Iterator[str]:
        """Everything whose tokens must be counted."""
        for text in (self.input_text, self.output_text, self.system_text):
            if text is not None:
                yield text
        for tool in self.tools:
            yield from tool.lines()
        if self.tool_choice is not None and self.tool_choice.name is not None:
            yield self.tool_choice.name


@dataclass(frozen=True, slots=True)
class Workload:
    """How often the query runs and how: shares are 0–1 (`retry_share` may be more), counts are per query.

    With `turns_per_conversation` each query is a turn of a conversation that sends again what was said before.
    """

    queries_per_month: Decimal | None = None
    cached_input_share: Decimal = ZERO
    batch_share: Decimal = ZERO
    reasoning_tokens_per_query: int = 0
    retry_share: Decimal = ZERO
    include_frame: bool = False
    output_tokens_per_query: int | None = None
    output_characters_per_query: int | None = None
    turns_per_conversation: int = 1


@dataclass(frozen=True, slots=True)
class OfferToCompare:
    """One offer, or (with `error`) why the caller's entry is none; `tokenizer` estimates where no count is known.

    With `hosting` it is a model on accelerators instead of one of the catalog's offers; `name` only calls it something.
    """

    row_id: RowId
    name: OfferName
    discount_share: Decimal = ZERO
    tokenizer: str | None = None
    error: PermillionError | None = None
    hosting: Deployment | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """The whole question; one instant, one currency."""

    samples: Sequence[Sample]
    offers: Sequence[OfferToCompare]
    as_of: datetime
    workload: Workload = field(default_factory=Workload)
    exchange: Exchange = field(default_factory=lambda: Exchange("USD"))
    tax_excluded: bool = False
    revenue_per_query: Decimal | None = None
    language_pairs: Sequence[tuple[str, str]] = ()

    @property
    def currency(self) -> str:
        """ISO 4217 code of the answer."""
        return self.exchange.wanted

    @property
    def is_short(self) -> bool:
        """Whether all input texts together, where there are any, are too short for figures per character."""
        characters = sum(len(sample.input_text) for sample in self.samples if sample.input_text is not None)
        return 0 < characters < LEAST_SAMPLE_CHARACTERS

    @property
    def has_text(self) -> bool:
        """Whether any sample has a text whose tokens must be counted."""
        return any(True for sample in self.samples for _ in sample.texts())
