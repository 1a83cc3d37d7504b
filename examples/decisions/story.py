"""From a question to a receipt: should the desk lamp cost six per cent more this winter?

usage: python examples/decisions/story.py [FOLDER]

Makes the orders, starts the decision engine on them and a webhook that stands for the shop's price list, and asks step
by step what an agent would. Report, charts and memory go to FOLDER (build/decisions). Needs licet[decisions] and, for
the charts, matplotlib. The webhook and the engine are of this process; nothing leaves the machine.
"""

import asyncio
import json
import secrets
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from charts import draw

from licet.decisions.data.data import Data
from licet.decisions.engine import Engine
from licet.decisions.error import DecisionError
from licet.decisions.settings import read_settings
from orders import write

HERE = Path(__file__).parent
PORT = "8731"
SOLD = {"column": "status", "op": "eq", "value": "sold"}
LAMP = {"column": "product", "op": "eq", "value": "desk lamp"}
WINTER = {"column": "day", "op": "between", "value": ["2024-12-01", "2025-02-28"]}
Say = Callable[[str], None]


async def tell(folder: Path, say: Say) -> dict[str, Any]:
    """The story, told line by line. What it found: ``receipt``, ``blocked``, ``plan``, ``rows``."""
    rows = write(folder / "orders.csv")
    say(f"{rows} rows of orders")
    names = ("SHOP_AGENT_KEY", "SHOP_INTERN_KEY", "SHOP_WEBHOOK_SECRET", "SHOP_OPERATOR")
    environ = {name: secrets.token_hex(16) for name in names}
    (folder / "decisions.db").unlink(missing_ok=True)
    with price_list() as (port, heard):
        written = (HERE / "engine.yaml").read_text().replace(f":{PORT}", f":{port}")
        settings = read_settings(written.encode(), folder / "engine.yaml", environ)
        agent = settings.caller_of(environ["SHOP_AGENT_KEY"])
        with closing(Engine(settings, Data(settings.datasets))) as engine:

            async def ask(tool: str, **arguments: Any) -> dict[str, Any]:
                assert agent is not None
                return await engine.call(agent, tool, arguments)

            found = await decide(ask, f"http://127.0.0.1:{port}/prices", say)
    found["heard"] = [json.loads(body) for body in heard]
    say(f"the price list heard {len(heard)} signed message")
    charts = draw(found, folder)
    say(f"drawn: {', '.join(charts)}")
    return {**found, "rows": rows}


async def decide(ask: Callable[..., Any], webhook: str, say: Say) -> dict[str, Any]:
    contract = await ask("get_contract")
    say(f"the engine has {len(contract['tools'])} tools and the dataset {contract['datasets'][0]['dataset_id']}")
    try:
        await ask("query_data", dataset_id="orders", metric="revenue", aggregation="sum")
    except DecisionError as asked:
        say(f"revenue? {asked}")
    sold = await look(ask, say)
    run = await ask("simulate", **scenario(sold))
    say(f"simulated {run['scenarios_run']} winters: {run['recommended_action']}, confidence {run['confidence']:.3f}")
    say(run["rationale"])
    plan = await ask("plan_decision", run_ids=[run["run_id"]], context="Desk lamp, winter 2025/26")
    say(plan["rationale"])
    logged = await ask(
        "log_decision",
        chosen_action=plan["recommended_action"],
        run_id=run["run_id"],
        rationale="Fewer are bought at the higher price, and more is earned.",
    )
    say(f"logged {logged['decision_id']}")
    order = {"decision_id": logged["decision_id"], "webhook_url": webhook, "metadata": {"product": "desk lamp"}}
    receipt = await ask("execute_decision", **order)
    say(json.dumps(receipt, indent=1))
    try:
        await ask("execute_decision", **order)
        raise SystemExit("a decision was executed twice")
    except DecisionError as blocked:
        say(f"a second time: {blocked.status} {blocked.reason}: {blocked}")
        return {"receipt": receipt, "blocked": blocked.told()["error"], "plan": plan, "sold": sold}


async def look(ask: Callable[..., Any], say: Say) -> dict[str, Any]:
    """What the last winter says: units a day, their spread, price and cost; and how clean the file is."""

    async def value(aggregation: str, metric: str | None = None, *filters: dict[str, Any]) -> float:
        query: dict[str, Any] = {"dataset_id": "orders", "aggregation": aggregation, "filter": list(filters)}
        answer = await ask("query_data", **query, **({"metric": metric} if metric else {}))
        return float(answer["rows"][0][0])

    twice = await value("count") - await value("count_distinct", "order_id")
    nowhere = await value("count", None, {"column": "region", "op": "is_null"})
    say(f"{twice:.0f} rows stand there twice, {nowhere:.0f} have no region: too few to matter here")
    days = await ask(
        "query_data",
        dataset_id="orders",
        metric="units",
        aggregation="sum",
        group_by=["day"],
        filter=[SOLD, LAMP, WINTER],
    )
    months: dict[str, float] = {}
    for day, units in days["rows"]:
        months[day[:7]] = months.get(day[:7], 0.0) + units
    mean = sum(months.values()) / len(months)
    found = {
        "months": months,
        "units": mean,
        "spread": 0.12 * mean,
        "price": await value("max", "unit_price", SOLD, LAMP, WINTER),
        "cost": await value("avg", "unit_cost", SOLD, LAMP, WINTER),
    }
    say(f"last winter: {mean:.1f} desk lamps a month at {found['price']:.2f} EUR, bought for {found['cost']:.2f} EUR")
    return found


def scenario(sold: dict[str, Any]) -> dict[str, Any]:
    """A winter month: keep the price, raise it by six per cent, or take ten per cent off and advertise for 300 EUR."""
    normal = {"kind": "normal", "parameters": {"mean": sold["units"], "sd": sold["spread"]}}
    price, cost = f"{sold['price']:.2f}", sold["cost"]
    return {
        "variables": [
            {"name": "units", "distribution": normal},
            {"name": "cost", "low": round(cost * 0.97, 2), "mode": round(cost, 2), "high": round(cost * 1.05, 2)},
            {"name": "elasticity", "low": -2.6, "mode": -1.4, "high": -0.6},
        ],
        "objective": {
            "keep": f"units * ({price} - cost)",
            "raise 6%": f"units * (1 + elasticity * 0.06) * ({price} * 1.06 - cost)",
            "cut 10%": f"units * (1 - elasticity * 0.10) * ({price} * 0.90 - cost) - 300",
        },
        "n_simulations": 200_000,
        "seed": 2026,
        "unit": "EUR a month",
    }


@contextmanager
def price_list() -> Iterator[tuple[int, list[bytes]]]:
    """A webhook on this machine: its port, and the bodies that it heard."""
    heard: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            heard.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        serving = Thread(target=server.serve_forever, daemon=True)
        serving.start()
        try:
            yield server.server_address[1], heard
        finally:
            server.shutdown()
            serving.join()


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    lines: list[str] = []

    def say(line: str) -> None:
        print(line, flush=True)
        lines.append(line)

    asyncio.run(tell(folder, say))
    told = "\n".join(lines)
    title = "# Should the desk lamp cost six per cent more this winter?"
    (folder / "report.md").write_text(f"{title}\n\n![What each action brings](outcome.svg)\n\n```text\n{told}\n```\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parent.parent / "build" / "decisions")
