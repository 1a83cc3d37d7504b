import asyncio

from licet import GrantSet, Principal, Runtime
from licet.agents.workflow import Driver, NotAppliedError, notes, replay
from licet.intrinsics import intrinsics
from licet.ledger.sqlite import SqliteLedger
from licet.model.workflow import Participant, Task

# --8<-- [start:work]
TASK = Task(id="notes-2", name="Release notes", goal="Say what changed in version 2")
PEOPLE = (
    Participant(id="writer", role="assignee", kind="agent"),
    Participant(id="anna", role="admin"),
)
STEPS = [
    {"name": "look", "description": "Read the commits", "depends_on": []},
    {"name": "write", "description": "Write the notes", "depends_on": ["look"]},
]
QUESTION = {"participant_id": "anna", "question": "Is the API stable?", "options": ["yes", "no"]}


async def work() -> None:
    writer = Principal("writer", grants=[GrantSet.group("intrinsics")])
    async with Runtime(intrinsics(), ledger="ledger.db") as runtime, runtime.run(writer, id="notes") as run:
        note = notes(runtime.ledger, run.id, "writer")
        run.task = driver = Driver.begin(TASK, PEOPLE, "writer", note=note, find=runtime.ledger.find)

        async with run.turn():
            results = [await run.call("create_plan", {"steps": STEPS})]
        driver.apply(results)

        async with run.turn():
            early = await run.call("complete_step", {"step": "write", "output": "notes"})
            asked = await run.call("ask_participant", QUESTION)
        driver.apply([early, asked])
        print(early.reason, "|", asked.output["command"], "|", driver.state.tasks[0].standing)


# --8<-- [end:work]


# --8<-- [start:resume]
def answer() -> None:
    """Another process, a week later."""
    ledger = SqliteLedger("ledger.db")
    replayed = replay(ledger.entries("notes"))
    assert replayed is not None
    driver = Driver.resume(replayed, note=notes(ledger, "notes", "writer"), find=ledger.find)
    question = driver.waits_for
    assert question is not None
    try:
        driver.reply(question.nonce, "writer", "yes")
    except NotAppliedError as refused:
        print(refused.reason)
    driver.reply(question.nonce, "anna", "yes")
    print(driver.state.tasks[0].standing, "|", driver.state.questions[0].answer)
    ledger.close()


# --8<-- [end:resume]


asyncio.run(work())
answer()
# prints:
# step_blocked | wait_for_reply | input_required
# not_asked
# open | yes
