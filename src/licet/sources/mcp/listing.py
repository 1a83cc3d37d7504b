"""All pages of a server's listing, within what a listing may take."""

import asyncio
import json
from typing import Any

import orjson

from ...errors import ServerUnavailableError
from .errand import CURRENT, Errand, Fault
from .faults import Faults
from .home import is_cancelled
from .limits import McpLimits
from .link import Link


async def list_all(link: Link, faults: Faults, limits: McpLimits) -> list[Any]:
    """The tools as they came.

    Raises:
        ServerUnavailableError: a page did not come or was none, or the listing has no end.
    """
    tools: list[Any] = []
    seen: set[str] = set()
    cursor: str | None = None
    size = 0
    try:
        async with asyncio.timeout(limits.listing_s):
            for _ in range(limits.pages):
                page = await _page(link, cursor, faults, limits)
                size += _size(page)
                tools += _tools(page, faults)
                if len(tools) > limits.tools or size > limits.listing_bytes:
                    raise _too_long(faults, f"more than {limits.tools} tools or {limits.listing_bytes} bytes")
                await asyncio.sleep(0)
                cursor = _next(page, faults)
                if cursor is None:
                    return tools
                if cursor in seen:
                    raise faults.unavailable(Fault("cursor_repeats", "its listing comes back to where it was"))
                seen.add(cursor)
    except TimeoutError:
        raise _too_long(faults, f"more than {limits.listing_s:g} seconds") from None
    raise _too_long(faults, f"more than {limits.pages} pages")


async def _page(link: Link, cursor: str | None, faults: Faults, limits: McpLimits) -> dict[str, Any]:
    errand = Errand("list")
    token = CURRENT.set(errand)
    try:
        await link.request_page(cursor, limits.list_s)
    except asyncio.CancelledError as exc:
        if is_cancelled():
            raise
        raise faults.of_listing(exc, errand) from None
    except (Exception, BaseExceptionGroup) as exc:
        link.learn(errand)
        raise faults.of_listing(exc, errand) from exc
    finally:
        CURRENT.reset(token)
    return errand.answer or {}


def _tools(page: dict[str, Any], faults: Faults) -> list[Any]:
    tools = page.get("tools")
    if not isinstance(tools, list):
        raise faults.unavailable(Fault("malformed", "a page of its listing holds no list of tools"))
    return tools


def _next(page: dict[str, Any], faults: Faults) -> str | None:
    cursor = page.get("nextCursor")
    if cursor is not None and not isinstance(cursor, str):
        raise faults.unavailable(Fault("malformed", "the cursor of its listing is no text"))
    return cursor or None


def _size(page: dict[str, Any]) -> int:
    try:
        return len(orjson.dumps(page))
    except TypeError:
        return len(json.dumps(page))


def _too_long(faults: Faults, told: str) -> ServerUnavailableError:
    return faults.unavailable(Fault("listing_too_long", f"its listing takes {told}"))
