"""`POST /compare`: texts and offers in, offers ranked by what the texts cost out."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, StringConstraints, WithJsonSchema, model_validator

from api.http.schemas.common import FxIn, Meta
from api.http.schemas.fields import (
    Answer,
    ContextIn,
    CountIn,
    Currency,
    DecimalOut,
    InstantIn,
    Name,
    PriceIn,
    ShareIn,
    Wire,
    numeric_columns,
)
from api.http.schemas.hosting import HostingIn
from api.http.schemas.price import RowIdIn
from api.http.schemas.tools import NamedToolIn, ToolChoiceIn, ToolIn

Pixels = Annotated[int, Field(ge=1, le=100_000, strict=True)]
SampleName = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^*]")]


class ImageIn(Wire):
    """An image that is sent with the input, in pixels."""

    width: Pixels
    height: Pixels
    detail: Literal["low", "high"] = "high"


class SampleIn(Wire):
    """One kind of query: what goes in and, if known, what comes out."""

    name: SampleName | None = None
    input_text: str | None = None
    output_text: str | None = None
    input_tokens: CountIn | None = Field(None, description="instead of input_text, where there is no text to show")
    weight: PriceIn = Field("1", validate_default=True)
    system_text: str | None = Field(None, description="stands before the input in a message of its own")
    tools: Annotated[list[ToolIn], Field(max_length=128)] = []
    tool_choice: ToolChoiceIn = Field(
        "auto", description="as OpenAI's chat completions take it; of required nobody has said what it adds"
    )
    images: Annotated[list[ImageIn], Field(max_length=1_000)] = []

    @model_validator(mode="after")
    def _one_input(self) -> Self:
        if (self.input_text is None) == (self.input_tokens is None):
            raise ValueError("give input_text, or input_tokens instead")
        return self

    @model_validator(mode="after")
    def _one_of_the_tools(self) -> Self:
        if self.tool_choice != "auto" and not self.tools:
            raise ValueError("tool_choice needs tools")
        if isinstance(self.tool_choice, NamedToolIn):
            name = self.tool_choice.function.name
            if all(tool.function.name != name for tool in self.tools):
                raise ValueError("tool_choice names a function that is not among the tools")
        return self


class WorkloadIn(Wire):
    """How often a query runs and how."""

    queries_per_month: PriceIn | None = None
    cached_input_share: ShareIn = Field("0", validate_default=True)
    batch_share: ShareIn = Field("0", validate_default=True)
    reasoning_tokens_per_query: CountIn = 0
    retry_share: PriceIn = Field("0", validate_default=True)
    include_frame: bool = False
    output_tokens_per_query: CountIn | None = None
    output_characters_per_query: CountIn | None = None
    turns_per_conversation: Annotated[int, Field(ge=1, le=1_000, strict=True)] = Field(
        1,
        description="each query is a turn that sends again the inputs and answers before it; figures are means of the turns",
    )

    @model_validator(mode="after")
    def _one_output(self) -> Self:
        if self.output_tokens_per_query is not None and self.output_characters_per_query is not None:
            raise ValueError("give output_tokens_per_query or output_characters_per_query, not both")
        return self


class CompareOfferIn(Wire):
    """One offer and how it is bought."""

    row_id: RowIdIn | None = None
    offer: Annotated[Name, Field(examples=["deepseek/deepseek-flash"])]
    price_book: Name | None = None
    context: ContextIn = Field(default_factory=dict)
    discount_share: ShareIn = Field("0", validate_default=True)
    tokenizer: Name | None = Field(None, description="counts as an estimate where no tokenizer of the model is known")


class HostingOfferIn(Wire):
    """A model on accelerators beside the offers of vendors, on the same text and counted with the model's own tokenizer."""

    row_id: RowIdIn | None = None
    hosting: HostingIn
    tokenizer: Name | None = Field(None, description="counts as an estimate where no tokenizer of the model is known")


class ComparedSamples(Wire):
    """The texts that offers are compared on, how often they run, and in what the answer is."""

    text: str | None = None
    samples: Annotated[list[SampleIn], Field(min_length=1)] | None = None
    workload: WorkloadIn = Field(default_factory=WorkloadIn)
    known_at: InstantIn | None = Field(None, description="answer with what was believed then; default: now")
    currency: Currency = "USD"
    tax: Literal["as_listed", "excluded"] = "as_listed"
    fx: list[FxIn] = []

    @property
    def sample_names(self) -> list[str]:
        """Name of each sample, its index where it has none."""
        return [sample.name or str(index) for index, sample in enumerate(self.samples or [])]

    @model_validator(mode="after")
    def _one_text_or_samples(self) -> Self:
        if (self.text is None) == (self.samples is None):
            raise ValueError("give text, or samples instead")
        if len(set(self.sample_names)) != len(self.sample_names):
            raise ValueError("two samples have the same name")
        if self.samples and not any(sample.weight for sample in self.samples):
            raise ValueError("the weights of the samples are all 0")
        return self


class CompareRequest(ComparedSamples):
    """`text` and `offers` are enough."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "text": "Where is my parcel?",
                    "offers": ["openai/gpt-6-sol", {"offer": "deepseek/deepseek-flash", "discount_share": "0.10"}],
                    "workload": {"queries_per_month": 1200000, "output_characters_per_query": 200},
                    "as_of": "2026-11-30T12:00:00Z",
                }
            ]
        }
    )

    offers: Annotated[
        list[
            Annotated[
                Any,
                WithJsonSchema(
                    {
                        "anyOf": [
                            {"type": "string", "minLength": 1, "maxLength": 300},
                            {"$ref": "#/components/schemas/CompareOfferIn"},
                            {"$ref": "#/components/schemas/HostingOfferIn"},
                        ]
                    }
                ),
            ]
        ],
        Field(min_length=1),
    ]
    as_of: InstantIn | None = None
    revenue_per_query: PriceIn | None = None
    language_pairs: list[tuple[SampleName, SampleName]] = []

    @model_validator(mode="after")
    def _pairs_of_samples(self) -> Self:
        if not {name for pair in self.language_pairs for name in pair} <= set(self.sample_names):
            raise ValueError("language_pairs must name samples")
        return self


class ComparedRow(Answer):
    """One offer over all samples (`sample` is `*`), or with `?detail=1` one sample of it."""

    row_id: str | int
    rank: int | None
    offer: str | None
    provider: str | None
    model: str | None
    price_book: str | None
    context: str
    tokenizer: str | None
    count_method: Literal["exact", "estimate", "unavailable"] | None
    sample: str
    input_characters: int | str | None
    input_tokens: int | str | None
    output_characters: int | str | None
    output_tokens: int | str | None
    tokens_per_character: DecimalOut | None
    input_price_per_mtok: DecimalOut | None
    output_price_per_mtok: DecimalOut | None
    input_cost_per_mchar: DecimalOut | None
    output_cost_per_mchar: DecimalOut | None
    cost_per_query: DecimalOut | None
    cost_per_month: DecimalOut | None
    revenue_per_query: DecimalOut | None
    gross_margin_ratio: DecimalOut | None
    currency: str | None
    native_currency: str | None
    native_input_price_per_mtok: DecimalOut | None
    native_output_price_per_mtok: DecimalOut | None
    native_cost_per_query: DecimalOut | None
    fx_rate: DecimalOut | None
    fx_as_of: str | None
    as_of: str
    price_valid_from: str | None
    price_checked_on: str | None
    price_source: str | None
    price_status: Literal["ok", "unconfirmed_start", "stale", "disputed", "suspect"] | None
    catalog_version: str
    method_version: str
    frame_tokens: int | str | None
    tokens_low: int | str | None
    tokens_high: int | str | None
    cost_per_query_low: DecimalOut | None
    cost_per_query_high: DecimalOut | None
    error_code: str | None
    error_detail: str | None
    warnings: str
    tool_tokens: int | str | None
    image_tokens: int | str | None


class PremiumOut(Answer):
    """A sample against the same text in another language; ratios above 1 say that it needs more."""

    row_id: str | int
    offer: str
    tokenizer: str | None
    sample: str
    base_sample: str
    input_tokens_ratio: DecimalOut | None
    output_tokens_ratio: DecimalOut | None
    cost_per_query_ratio: DecimalOut | None


class CompareAnswer(Answer):
    """Ordered by rank; offers that cannot be priced come last."""

    rows: list[ComparedRow]
    premiums: list[PremiumOut]
    meta: Meta


COMPARE_COLUMNS = tuple(ComparedRow.model_fields)
COMPARE_NUMBERS = numeric_columns(ComparedRow)
NUMERIC_COLUMNS = tuple(column for column in COMPARE_COLUMNS if column in COMPARE_NUMBERS)
"""What `/cell` can be asked for, in the order of the row."""
