"""The hourly price of owned accelerators: what an ownership profile costs over the hours they are available."""

from __future__ import annotations

from datetime import datetime

from api.services.hosting.deployment import Deployment, OwnershipAsked, discounted
from api.services.hosting.prices import HourlyPrice, price_warnings, status_on
from api.services.owning import HardwareToOwn, ProfileLookup, own
from economics.errors import PermillionError
from economics.hosting.replica_price import price_of_accelerators
from hardware.prices.rental import first_day


def owned_price(
    asked: OwnershipAsked, deployment: Deployment, as_of: datetime, lookup: ProfileLookup
) -> tuple[HourlyPrice, str | None]:
    """The cost of an available accelerator-hour of the profile, and the accelerator it is of.

    Utilization is left out of it: it divides capacity later, once. Where the profile states no availability it is the cost of an
    installed hour, and said.

    Raises:
        PermillionError: `unknown-ownership-profile`, `contradictory-context` for another accelerator, and what the profile is
            refused for.
    """
    owned = own(HardwareToOwn(0, asked.profile), lookup)
    if owned.error is not None:
        raise owned.error
    assert owned.cost is not None
    if deployment.accelerator is not None and owned.accelerator not in (None, deployment.accelerator):
        raise PermillionError(
            "contradictory-context",
            f"that profile is of {owned.accelerator}, the deployment of another accelerator",
            pointer="/accelerator",
        )
    available = owned.cost.per_available_hour
    hour = owned.cost.per_installed_hour if available is None else available
    replica = price_of_accelerators(discounted(hour, deployment.discount_share), deployment.accelerator_count)
    sourced = owned.sourced
    day = None if sourced is None else first_day(sourced.as_of)
    status = status_on(day, as_of)
    said = (
        *price_warnings(replica, status),
        f"capital_method={owned.cost.profile.capital_method}",
        *(("availability_not_stated",) if available is None else ()),
    )
    return HourlyPrice(
        replica,
        owned.cost.profile.currency,
        "ownership",
        None if sourced is None else sourced.source,
        day,
        status=status,
        warnings=said,
    ), owned.accelerator
