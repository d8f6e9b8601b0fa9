"""All controllers."""

from __future__ import annotations

from typing import Final

from litestar import Controller

from api.http.controllers.blended import BlendedController
from api.http.controllers.break_even import BreakEvenController
from api.http.controllers.capacity import CapacityController
from api.http.controllers.changes import ChangesController
from api.http.controllers.compare import CompareController
from api.http.controllers.compare_csv import CompareCsvController
from api.http.controllers.discrepancies import DiscrepanciesController
from api.http.controllers.docs import DocsController
from api.http.controllers.exports import ExportsController
from api.http.controllers.focus import FocusController
from api.http.controllers.hosting import HostingController
from api.http.controllers.machines.prices import MachinePricesController
from api.http.controllers.machines.records import MachineRecordsController
from api.http.controllers.margin import MarginController
from api.http.controllers.ownership import OwnershipController
from api.http.controllers.price import PriceController
from api.http.controllers.price_terms import PriceTermsController
from api.http.controllers.prices import PricesController
from api.http.controllers.quotes import QuotesController
from api.http.controllers.recount import RecountController
from api.http.controllers.reference import ReferenceController
from api.http.controllers.rental import RentalController
from api.http.controllers.replays import ReplaysController
from api.http.controllers.statement import StatementController
from api.http.controllers.throughput import ThroughputController
from api.http.controllers.tokenize import TokenizeController
from api.http.controllers.tokenizers import TokenizersController
from api.http.controllers.training import TrainingController
from api.http.controllers.watch import WatchController

ROUTES: Final[tuple[type[Controller], ...]] = (
    DocsController,
    ReferenceController,
    MachineRecordsController,
    MachinePricesController,
    PricesController,
    PriceTermsController,
    DiscrepanciesController,
    PriceController,
    StatementController,
    FocusController,
    TokenizeController,
    TokenizersController,
    CompareController,
    CompareCsvController,
    ChangesController,
    BlendedController,
    RecountController,
    HostingController,
    OwnershipController,
    RentalController,
    BreakEvenController,
    ThroughputController,
    MarginController,
    CapacityController,
    TrainingController,
    QuotesController,
    ReplaysController,
    WatchController,
    ExportsController,
)
