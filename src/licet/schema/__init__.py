"""JSON Schema and canonical JSON: what a value is as bytes, what a schema accepts, what a signature means.

Pure functions over values and text. No I/O, no clock, no tool is run; nothing of ``policy`` or above may enter, and
the validator, the hasher of pins and ``pydantic`` are imported by the function that needs them.
"""
