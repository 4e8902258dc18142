"""The quantities of system quality: unit, direction, and how their values are shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

CostDirection = Literal["lower", "higher"]


class Unit(NamedTuple):
    """A unit in which a value is shown. factor: of the value in the unit of the quantity."""

    name: str
    factor: float = 1.0


class Quantity(NamedTuple):
    """What is measured of a system. key: its column in files, which ends with the unit of the value.

    direction: whether lower or higher values are better. units: those that are shown, the largest first.
    """

    key: str
    name: str
    meaning: str
    direction: CostDirection
    units: tuple[Unit, ...]


class RunFigures(NamedTuple):
    """The figures of one run. values: key of a quantity -> value, in the unit of the quantity.

    currency: of the cost, three capital letters, "" without a cost. hardware: on which the rest was measured.
    """

    values: Mapping[str, float]
    currency: str = ""
    hardware: str = ""


COST = "cost"
QUANTITIES: Mapping[str, Quantity] = {
    quantity.key: quantity
    for quantity in (
        Quantity("latency_ms", "Latency", "mean time from a query to its results", "lower", (Unit("ms"),)),
        Quantity(
            "throughput_qps", "Throughput", "queries answered per second", "higher", (Unit("queries/s"),)
        ),
        Quantity("run_seconds", "Run time", "time in which all topics were answered", "lower", (Unit("s"),)),
        Quantity("index_seconds", "Index time", "time in which the index was built", "lower", (Unit("s"),)),
        Quantity(
            "index_bytes",
            "Index size",
            "size of the index",
            "lower",
            (Unit("GB", 1e-9), Unit("MB", 1e-6), Unit("bytes")),
        ),
        Quantity(
            "energy_kwh",
            "Energy",
            "energy used for the run",
            "lower",
            (Unit("kWh"), Unit("Wh", 1e3), Unit("J", 3.6e6)),
        ),
        Quantity(COST, "Cost", "money spent on the run", "lower", ()),
    )
}


class Cost(NamedTuple):
    """A quantity that effectiveness is compared with. currency: of the quantity `cost`, which has no unit.

    Costs in different currencies are different quantities, because nothing here converts them.
    """

    quantity: Quantity
    currency: str = ""

    @property
    def key(self) -> str:
        return f"{self.quantity.key}-{self.currency}" if self.currency else self.quantity.key

    @property
    def name(self) -> str:
        return f"{self.quantity.name} in {self.currency}" if self.currency else self.quantity.name

    def value_of(self, figures: RunFigures | None) -> float | None:
        """Return the value of a run, None if it has none."""
        if figures is None or figures.currency != self.currency and self.currency:
            return None
        return figures.values.get(self.quantity.key)

    def unit_for(self, values: Iterable[float]) -> Unit:
        """Return the unit in which values are shown: the first in which the largest is 1 or more.

        >>> Cost(QUANTITIES["energy_kwh"]).unit_for([0.00028, 0.002])
        Unit(name='Wh', factor=1000.0)
        """
        if self.currency:
            return Unit(self.currency)
        largest, units = max(values, default=0.0), self.quantity.units
        return next((unit for unit in units if largest * unit.factor >= 1), units[-1])


def costs_of(figures: Iterable[RunFigures]) -> list[Cost]:
    """Return the quantities of which at least one run has a value, in the order of QUANTITIES.

    >>> [cost.key for cost in costs_of([RunFigures({"cost": 2.0, "latency_ms": 3.0}, "EUR")])]
    ['latency_ms', 'cost-EUR']
    """
    costs = {(key, each.currency if key == COST else "") for each in figures for key in each.values}
    order = list(QUANTITIES)
    return [
        Cost(QUANTITIES[key], currency)
        for key, currency in sorted(costs, key=lambda pair: (order.index(pair[0]), pair[1]))
    ]


def figure_text(value: float) -> str:
    """Return a value as text of at least four digits.

    >>> [figure_text(value) for value in (12_500_000, 1250.4, 12.5, 0.000125)]
    ['12,500,000', '1,250', '12.5', '0.000125']
    """
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"
