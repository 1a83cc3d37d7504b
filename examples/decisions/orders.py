"""Three years of a lamp shop's orders, made up: seasons, growth, prices that moved, and the usual faults.

usage: python examples/decisions/orders.py FILE.csv

The same seed gives the same bytes. Faults, all on purpose: some orders stand there twice, some have no region, returns
are rows with negative units, the staff's test orders were never taken out, and a till was down for three days.
"""

import csv
import math
import random
import sys
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

SEED = 20_230_101
FIRST, LAST = date(2023, 1, 1), date(2025, 12, 31)
DOWN = frozenset(date(2024, 11, 8) + timedelta(days=n) for n in range(3))
HEADER = ("order_id", "day", "region", "customer", "product", "units", "unit_price", "unit_cost", "status")
REGIONS = (("north", 0.5), ("south", 0.3), ("west", 0.2))
TWICE, NOWHERE, RETURNED, TESTED = 0.004, 0.011, 0.016, 0.002
ELASTICITY = -1.4
"""By how many per cent fewer are bought where the price is one per cent higher."""


class Product(NamedTuple):
    """``season`` is how much more is bought in mid-winter than on average; prices in EUR by the year."""

    name: str
    orders_a_day: float
    season: float
    prices: tuple[float, float, float]
    cost: float


PRODUCTS = (
    Product("desk lamp", 4.2, 0.45, (39.0, 39.0, 42.0), 24.0),
    Product("floor lamp", 1.6, 0.35, (89.0, 95.0, 95.0), 55.0),
    Product("fairy lights", 2.4, 0.80, (12.5, 12.5, 12.5), 5.5),
    Product("garden lantern", 1.9, -0.60, (29.0, 29.0, 31.0), 16.0),
)


def orders(seed: int = SEED) -> Iterator[tuple[object, ...]]:
    """The rows under ``HEADER``, day by day."""
    chance = random.Random(seed)
    number = 10_000
    for at in range((LAST - FIRST).days + 1):
        day = FIRST + timedelta(days=at)
        for product in PRODUCTS if day not in DOWN else ():
            for _ in range(_poisson(chance, _wanted(product, day))):
                number += 1
                row = _order(chance, number, product, day)
                yield row
                if chance.random() < TWICE:
                    yield row
                if row[-1] == "sold" and chance.random() < RETURNED:
                    number += 1
                    yield (number, *row[1:5], -int(str(row[5])), *row[6:8], "returned")


def write(file: Path, seed: int = SEED) -> int:
    """The file, and how many rows it has."""
    with file.open("w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(HEADER)
        count = 0
        for row in orders(seed):
            writer.writerow(row)
            count += 1
    return count


def _wanted(product: Product, day: date) -> float:
    """Orders to expect of a day: six per cent more each year, full weekends, a winter, and what the price does."""
    years = (day - FIRST).days / 365.25
    winter = math.cos(2 * math.pi * (day.timetuple().tm_yday - 5) / 365.25)
    weekend = 1.35 if day.weekday() >= 5 else 0.86
    price = (product.prices[day.year - FIRST.year] / product.prices[0]) ** ELASTICITY
    return float(product.orders_a_day * 1.06**years * (1 + product.season * winter) * weekend * price)


def _order(chance: random.Random, number: int, product: Product, day: date) -> tuple[object, ...]:
    region = chance.choices(*zip(*REGIONS, strict=True))[0]
    if chance.random() < NOWHERE:
        region = ""
    test = chance.random() < TESTED
    customer = "test" if test else f"c{int(chance.paretovariate(1.2) * 40) % 4_000:04}"
    units = 1 if chance.random() < 0.78 else chance.choice((2, 2, 2, 3, 4))
    cost = product.cost * chance.uniform(0.97, 1.05)
    price = product.prices[day.year - FIRST.year]
    status = "test" if test else "sold"
    return number, day.isoformat(), region, customer, product.name, units, f"{price:.2f}", f"{cost:.2f}", status


def _poisson(chance: random.Random, mean: float) -> int:
    """Knuth's way, which is quick for a few a day."""
    count, product, least = 0, chance.random(), math.exp(-mean)
    while product > least:
        count += 1
        product *= chance.random()
    return count


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(str(__doc__).splitlines()[2])
    print(f"{write(Path(sys.argv[1]))} rows")
