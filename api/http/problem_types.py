"""Every kind of problem that can be answered: slug, status, title, what to do. `docs/problems/<slug>.md` explains each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class ProblemType:
    """A problem type of RFC 9457; `retry_after_s` is when to try again, where trying again helps."""

    slug: str
    status: int
    title: str
    advice: str
    retry_after_s: int | None = None


PROBLEM_TYPES: Final[dict[str, ProblemType]] = {
    kind.slug: kind
    for kind in (
        ProblemType("malformed-json", 400, "The body is not JSON", "Send one well-formed JSON object."),
        ProblemType(
            "malformed-csv", 400, "The body is not CSV", "Send UTF-8 text with one header line, or name its charset."
        ),
        ProblemType("bad-request", 400, "The request cannot be read", "Check method, headers and encoding."),
        ProblemType("not-found", 404, "There is nothing here", "See / for the routes there are."),
        ProblemType("method-not-allowed", 405, "That method is not offered here", "See the Allow header."),
        ProblemType("not-acceptable", 406, "That format is not offered", "Ask for json, csv, xlsx or ndjson."),
        ProblemType("body-too-large", 413, "The body is too large", "Split the request."),
        ProblemType("text-too-large", 413, "The text is too large", "Send a shorter sample of the text."),
        ProblemType("too-many-rows", 413, "Too many rows", "Split the request."),
        ProblemType(
            "unsupported-media-type", 415, "That content type is not read here", "Send the type that the detail names."
        ),
        ProblemType("invalid-fields", 422, "Some fields are invalid", "See errors: each has a JSON pointer."),
        ProblemType("unreadable-file", 422, "A file cannot be read or written", "Check path, permissions and kind."),
        ProblemType("invalid-text", 422, "The text is not Unicode", "Send text without lone surrogates."),
        ProblemType("invalid-usage", 422, "The usage contradicts itself", "Correct the counts."),
        ProblemType("unknown-meter", 422, "There is no such meter", "Use one of the meters named."),
        ProblemType("unknown-context", 422, "That context is not known", "Use one of the values named."),
        ProblemType("contradictory-context", 422, "The context contradicts itself", "Choose one of the modes."),
        ProblemType("context-required", 422, "The price depends on something not said", "Add the key to context."),
        ProblemType("unknown-provider", 404, "There is no such provider", "See GET /providers."),
        ProblemType("unknown-model", 404, "There is no such model", "See GET /models; ids are matched exactly."),
        ProblemType("unknown-tokenizer", 404, "There is no such tokenizer", "See GET /tokenizers."),
        ProblemType("unknown-price-book", 404, "There is no such price book", "Use one of the books named."),
        ProblemType("unknown-quote", 404, "There is no such quote", "See GET /quotes."),
        ProblemType(
            "idempotency-key-reused", 422, "The idempotency key came with another request", "Use a new key for it."
        ),
        ProblemType(
            "idempotency-key-running", 409, "The first request with that key is running", "Try again shortly.", 1
        ),
        ProblemType("precondition-failed", 412, "It was changed meanwhile", "Read it again, then decide."),
        ProblemType("precondition-required", 428, "Say what you have seen", "Send If-Match with its ETag."),
        ProblemType("unknown-accelerator", 404, "There is no such accelerator", "See GET /accelerators."),
        ProblemType("unknown-architecture", 404, "There is no such model architecture", "See GET /architectures."),
        ProblemType("unknown-rental-price", 404, "There is no such rental price", "See GET /rental-prices."),
        ProblemType(
            "unknown-ownership-profile", 404, "There is no such ownership profile", "See GET /ownership-profiles."
        ),
        ProblemType(
            "infeasible", 422, "No such deployment can run", "Add accelerators, or relax what the detail names."
        ),
        ProblemType(
            "unsupported-format", 422, "The accelerator has no units for that format", "Use a format the detail names."
        ),
        ProblemType(
            "not-for-cost", 422, "That throughput may not enter a cost", "Give the missing conditions, or an estimate."
        ),
        ProblemType("unknown-capacity-rule", 404, "There is no such capacity rule", "See GET /capacity-rules."),
        ProblemType("unknown-figure", 404, "There is no such figure", "Use a numeric column of a compare row."),
        ProblemType("ambiguous-price-book", 422, "Several price books fit", "Say price_book."),
        ProblemType("ambiguous-alias", 422, "The name means several models", "Use the vendor's full model id."),
        ProblemType("ambiguous-price", 409, "Two prices hold at once", "Mend the price book."),
        ProblemType("missing-price", 422, "The price is not known", "Ask for another instant, or add the price."),
        ProblemType("not-offered", 422, "The model is not sold that way", "Choose another mode."),
        ProblemType("retired", 422, "The model is no longer served", "Use its successor."),
        ProblemType("exceeds-context", 422, "The text is longer than the model takes", "Shorten it or choose another."),
        ProblemType("missing-fx-rate", 422, "A currency rate is missing", "Give the rate in fx, with its date."),
        ProblemType("unknown-tax-rate", 422, "The tax rate is not known", "Use tax=as_listed or state the rate."),
        ProblemType("tokenizer-unavailable", 422, "The tokens cannot be counted", "Name a tokenizer to estimate with."),
        ProblemType(
            "invalid-tokenizer", 422, "The tokenizer file is refused", "Mend or replace the file; see the detail."
        ),
        ProblemType("tokenizer-exists", 409, "The tokenizer id is taken", "Register it under another id."),
        ProblemType("tokens-underivable", 422, "The output tokens cannot be derived", "Give output tokens or text."),
        ProblemType("counting-failed", 422, "The tokenizer failed on this text", "Shorten the text."),
        ProblemType("counting-memory", 422, "Counting needs more memory than it may have", "Shorten the text."),
        ProblemType("counting-timeout", 422, "Counting took too long", "Shorten the text."),
        ProblemType("read-only-book", 409, "Shipped price books are read-only", "Use a price book id of your own."),
        ProblemType("read-only-record", 409, "Shipped records are read-only", "Choose an id of your own."),
        ProblemType("overlapping-prices", 422, "Two prices overlap in time", "End one before the other starts."),
        ProblemType("invalid-sheet", 422, "The price sheet is invalid", "Mend the line named."),
        ProblemType("invalid-feed", 422, "The feed's file cannot be read", "Check that it is the file of that feed."),
        ProblemType("writes-refused", 403, "Writes are switched off", "Bind to loopback or allow open writes."),
        ProblemType("invalid-settings", 500, "The settings are invalid", "Correct the setting named."),
        ProblemType("catalog-busy", 503, "The catalog is being written", "Try again shortly.", 1),
        ProblemType("not-ready", 503, "The service is not ready", "Try again shortly."),
        ProblemType("internal-error", 500, "Something failed here", "Report the request id."),
    )
}
