"""A hostile model that plays twice: against bare handlers, as many frameworks call them, and through the corridor.

May not enter: a verdict read from what a result says. Effects decide: files, handlers entered, the ledger.
"""
