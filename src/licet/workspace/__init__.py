"""Files under a path policy, by directory handle: the kernel or a walk decides where a path leads, never its text.

May not enter: tools, approvals, the ledger, anything that waits.
"""
