from licet import Principal, Runtime, tool
from licet.dialects import grammar


@tool(read_only=True)
def weather(city: str, days: int = 1) -> dict:
    """The weather of a city."""
    return {"city": city, "days": days}


runtime = Runtime([weather])
principal = Principal("guest", grants=["weather"])
# --8<-- [start:made]
made = grammar.compile(runtime.tools_for(principal))
schema = made.schema  # JSON Schema of one call, for vLLM, llama.cpp's server and the like
gbnf = made.gbnf  # the same in llama.cpp's own notation, and exact
losses = made.losses  # what a grammar cannot hold
refused = made.refused  # tools that do not fit, with the reason

said = made.decode('{"tool": "weather", "arguments": {"city": "Bern"}}')
print(said.calls[0].tool, said.calls[0].arguments, made.budget <= 4096)  # its longest text has so many bytes
# prints:
# local/weather {'city': 'Bern'} True
# --8<-- [end:made]
runtime.close()
