"""``python unguarded.py serve ...``: licet that takes out no field and refuses none, as a control."""

import sys

from licet import catalog, cli
from licet.profiles import withheld
from licet.profiles.fields import fields

catalog.fields_of = lambda spec: fields(())
withheld.fields_of = lambda spec: None

if __name__ == "__main__":
    sys.exit(cli.main())
