"""What one server may take of this process."""

from typing import NamedTuple


class McpLimits(NamedTuple):
    """Names ending in ``_s`` are seconds, names ending in ``_bytes`` are bytes. Each holds for one server."""

    connect_s: float = 20.0
    """From the start of its process, or the first request, to the end of the handshake."""
    probe_s: float = 2.0
    """How long its era is asked for: a server that never answers what it does not know costs this, once."""
    list_s: float = 10.0
    """One page of its listing."""
    listing_s: float = 60.0
    """All pages together."""
    call_s: float = 600.0
    """One call at the most, whatever progress it makes; whoever calls ends it sooner."""
    close_s: float = 4.0
    """From the end of its input to its process group being killed."""
    least_pause_s: float = 0.1
    """Between the end of a connection and the next; doubled with each failure in a row."""
    most_pause_s: float = 5.0
    patience_s: float = 1.0
    """A use waits out a pause as long as this. During a longer one it fails at once."""
    line_bytes: int = 8 * 1024 * 1024
    """One message, decoded: a line, a body, or an event of a stream."""
    listing_bytes: int = 16 * 1024 * 1024
    tools: int = 10_000
    pages: int = 100
    message_parts: int = 300_000
    """Objects, arrays and commas of one message, which may be a hundred times as large in memory."""
    junk: int = 256
    """Messages that nobody asked for, in a tenth of a second. What comes beyond waits its turn."""
    junk_bytes: int = 1024 * 1024
    words_bytes: int = 4096
    """The last of its standard error that is kept."""
