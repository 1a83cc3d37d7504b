"""Wire formats of model providers: a ModelTool goes in, wire JSON and a decoder come out. Runtime facts never enter."""
