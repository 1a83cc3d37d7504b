"""What omens are made of. A word that is added, moved or taken away changes omens that somebody has on a ledger."""

_COLOURS = (
    "grey white black red golden silver hollow crooked silent sleepless patient nameless borrowed broken burning"
    " drowned folded frozen gilded hooded hidden limping lost mended mossy pale rusted salted shadowed veiled wandering"
    " weathered"
)

_THINGS = (
    "raven heron owl moth hare fox stag wolf serpent spider candle lantern mirror key bell crown ladder loom needle"
    " bridge door gate well river tide mountain orchard willow thorn stone star moon"
)

_DEEDS = (
    "waits|sleeps|listens|watches|returns|turns back|will not answer|speaks once|counts to nine|forgets its name"
    "|remembers you|keeps its promise|breaks its oath|casts no shadow|asks for salt|follows the smoke|learns to swim"
    "|burns without ash|sings to nobody|stands open|falls upward|outlives its maker|pays the ferryman"
    "|is not what it was"
)

_WHERES = (
    "at the seventh gate|below the frost|before the third bell|behind the mill|between two rivers"
    "|beyond the last house|by the dry well|for as long as it rains|in a borrowed coat|in the ninth year"
    "|in the empty chapel|in your own voice"
    "|on the eve of harvest|on the far shore|on the longest night|under a paper moon|under the bridge|until the snow"
    "|when the lamp is out|when the tide is low|where the road forks|where two shadows meet|while the king sleeps"
    "|with the door unlatched"
)

PARTS: tuple[tuple[str, ...], ...] = (
    tuple(_COLOURS.split()),
    tuple(_THINGS.split()),
    tuple(_DEEDS.split("|")),
    tuple(_WHERES.split("|")),
)
"""Colours, things, deeds and wheres: one of each makes 589,824 omens."""
