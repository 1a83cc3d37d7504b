# Three commands. Each makes its own environment on first use; python3 with venv, git and make are all it takes.
#
#   make run [DIR=.]     explore DIR through the corridor, then let a hostile model loose on a copy of it
#   make decisions       a decision from a question to its receipt, on made-up orders; a report is in build/decisions
#   make test            every check and every test
#
# PYTHON names another interpreter, 3.11 or newer; its environment stands beside the usual one.

DIR ?= .
export DIR PYTHON

.PHONY: run decisions test
.NOTPARALLEL:

run:
	@python="$$(scripts/env run)" && "$$python" -m licet explore "$$DIR" && "$$python" -m licet probe "$$DIR"

decisions:
	@python="$$(scripts/env example)" && "$$python" examples/decisions/story.py build/decisions

test:
	@scripts/check
	@scripts/test
