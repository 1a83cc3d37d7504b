"""A process that executes one decision, and kills itself at the n-th point on the way; 0: at none.

``decisions_dying.py MEMORY PORT TENANT DECISION POINT AT_ONCE [forget]``: it prints how its executions ended, and how
many points it passed. Points are every statement that SQLite is given, and each step on the net. With ``forget`` the
beginning of an execution is not kept: the control.
"""

import os
import signal
import socket
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from licet.decisions.error import DecisionError
from licet.decisions.execution import Executor, Order, Policy, Snapshots
from licet.decisions.execution.webhook import WebhookTerms
from licet.decisions.execution.webhook.delivery import dial
from licet.decisions.memory import Decision, Execution, Memory


class Forgetful(Memory):
    """One that judges before, and writes only after."""

    def begin(self, decision: Decision, actor: str, body: Any, judge: Any) -> Any:
        judged = judge(decision, self.standing(decision))
        if judged:
            return None, judged
        self._late = lambda: Memory.begin(self, decision, actor, body, lambda decision, standing: None)
        return Execution(0, "exe_0"), judged

    def end(self, execution: Execution, state: Any, receipt: Any) -> None:
        super().end(self._late()[0], state, receipt)


def executed(memory: Memory, port: int, tenant: str, decision: str, step: Callable[[], None]) -> str:
    """How an execution ended: what the receipt says, or the code of the error."""

    def stepping(address: str, to: int, timeout_s: float) -> socket.socket:
        step()
        connected = dial(address, to, timeout_s)
        step()
        return connected

    terms = WebhookTerms(loopback=port, timeout_s=10.0, secret=b"a secret of 16 bytes")
    snapshots = Snapshots("sha256:p", "sha256:s", "sha256:m")
    executor = Executor(memory, Policy(), terms, snapshots, lambda host, port: [], dial=stepping)
    try:
        made = executor.execute(tenant, decision, Order("key", f"http://127.0.0.1:{port}/"))
    except DecisionError as exc:
        return exc.reason
    return str(made["execution_status"])


def main() -> None:
    path, port, tenant, decision, point, at_once, *more = sys.argv[1:]
    reached = 0

    def step() -> None:
        nonlocal reached
        reached += 1
        if reached == int(point):
            os.kill(os.getpid(), signal.SIGKILL)

    answered = HTTPConnection.getresponse

    def stepping(self: HTTPConnection) -> Any:
        step()
        answer = answered(self)
        step()
        return answer

    HTTPConnection.getresponse = stepping  # type: ignore[method-assign]
    memory = (Forgetful if more else Memory)(Path(path))
    memory._connection.set_trace_callback(lambda statement: step())
    with ThreadPoolExecutor(int(at_once)) as threads:
        all_ = [threads.submit(executed, memory, int(port), tenant, decision, step) for _ in range(int(at_once))]
    memory.close()
    print(" ".join(sorted({one.result() for one in all_})), reached)


if __name__ == "__main__":
    main()
