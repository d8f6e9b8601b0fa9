"""Every meter has a unit and a name in FOCUS."""

from __future__ import annotations

from api.services.focus.findings import check_focus_rows
from api.services.focus.units import consumed_unit, pricing_unit, sku_meter
from economics.meters import METERS
from tests.unit.api.test_focus_findings import GOOD


def test_every_meter_has_a_unit_of_the_form_of_focus() -> None:
    for name, meter in METERS.items():
        units = {"ConsumedUnit": consumed_unit(name), "PricingUnit": pricing_unit(name, meter.per)}
        assert check_focus_rows([GOOD | units]) == [], name


def test_names_tell_meters_apart() -> None:
    assert len({sku_meter(name) for name in METERS}) == len(METERS)
