# --8<-- [start:principal]
from licet import profiles

clerk = profiles.principal("clerk", "govern", server="mcp/algenta")
print(clerk.mode, len(clerk.grant_sets[0].tools))
# prints:
# workspace_write 6
# --8<-- [end:principal]

# --8<-- [start:flat]
print(profiles.flat_names(["mcp/algenta.get_contract"]))
# prints:
# {'mcp/algenta.get_contract': 'algenta_get_contract'}
# --8<-- [end:flat]
