import asyncio
from pathlib import Path

from licet import GrantSet, PathPolicy, Principal, Runtime
from licet.bundles import editing_builtins, read_only_builtins

project = Path("project")
project.mkdir()
(project / "notes.txt").write_text("buy pears\n")


async def main() -> None:
    async with Runtime([*read_only_builtins(), *editing_builtins()]) as runtime:
        # --8<-- [start:calls]
        editor = Principal(
            "editor",
            grants=[GrantSet.group("read_only_builtins"), GrantSet.group("editing_builtins")],
            mode="workspace_write",
            paths=PathPolicy.current_project(project),
        )
        async with runtime.run(editor) as run:
            edits = [{"old_text": "pears", "new_text": "figs"}]
            early = await run.call("edit", {"path": "notes.txt", "edits": edits})
            print(early.code, early.reason)

            await run.call("read", {"path": "notes.txt"})
            print((await run.call("edit", {"path": "notes.txt", "edits": edits})).success)
            print((project / "notes.txt").read_text().strip())

            for path in ("../secret", "/etc/passwd", ".git/config"):
                refused = await run.call("write", {"path": path, "content": "mine"})
                print(refused.code, refused.reason, refused.effect)

            await run.rollback()
            print((project / "notes.txt").read_text().strip())
        # prints:
        # tool_failed edit_requires_read
        # True
        # buy figs
        # path_violation path_outside_root none
        # path_violation path_outside_root none
        # path_violation path_protected none
        # buy pears
        # --8<-- [end:calls]


asyncio.run(main())
