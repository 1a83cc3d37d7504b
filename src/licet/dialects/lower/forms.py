"""The forms of the providers' wires. Each says where its facts come from; none is known from a provider's server.

Versions: openai 3.57, anthropic 2.14, google-genai 3.6, botocore 1.44, mistralai 3.7, ollama's server (api/types.go).
"""

from .form import Form

_PROPERTY_KEYS = "[a-zA-Z0-9_.-]{1,64}"

OPENAI_CHAT = Form(
    name="openai_chat",
    not_at_root=frozenset(("oneOf", "anyOf", "allOf", "enum", "not")),
    may_omit_parameters=True,
)
"""Without ``strict`` the API takes JSON Schema, but at the root: "schema must have type 'object' and not have 'oneOf'/
'anyOf'/'allOf'/'enum'/'not' at the top level" (its error message, langchainjs #9804). ``parameters`` is optional in the
SDK's type. Names: the SDK's docstring."""

OPENAI_RESPONSES = Form(name="openai_responses", not_at_root=OPENAI_CHAT.not_at_root)
"""The same; ``parameters`` is required by the SDK's type."""

_FORMATS = frozenset(("date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"))

OPENAI_STRICT = Form(
    name="openai strict",
    keywords=frozenset(
        "$ref $defs definitions type title description properties required additionalProperties items anyOf enum const "
        "pattern format multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems".split()
    ),
    not_at_root=frozenset(("anyOf", "enum", "const")),
    formats=_FORMATS,
    plain_patterns=True,
    booleans=False,
    reference_alone=True,
    strict=True,
    requires_all=True,
    most_properties=5000,
    most_levels=10,
    most_values=1000,
    most_characters=120_000,
    otherwise=OPENAI_CHAT,
)
"""The guide "Structured outputs", section "Supported schemas": keywords, formats, limits, every property required,
every object closed, recursion allowed, no ``anyOf`` at the root. ``default`` "is not permitted" (the API's message).
No neighbours of ``$ref`` and no look-around: pydantic-ai's transformer, and the SDK's own, which inlines such a one."""

ANTHROPIC = Form(
    name="anthropic",
    not_at_root=frozenset(("oneOf", "anyOf", "allOf")),
    property_names=_PROPERTY_KEYS,
    property_names_at_root=True,
)
"""The API takes JSON Schema draft 2020-12, but "input_schema does not support oneOf, allOf, or anyOf at the top level",
and "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'", which it asks of the root alone (its messages;
claude-code #5319, decocms/studio #6874)."""

_CONSTRAINED = frozenset(
    "$ref $defs definitions type title description properties required additionalProperties items anyOf enum const "
    "format minItems".split()
)

ANTHROPIC_STRICT = Form(
    name="anthropic strict",
    keywords=_CONSTRAINED,
    not_at_root=frozenset(("anyOf",)),
    formats=_FORMATS | {"uri"},
    most_min_items=1,
    booleans=False,
    reference_alone=True,
    recursion=False,
    strict=True,
    property_names=_PROPERTY_KEYS,
    property_names_at_root=True,
    otherwise=ANTHROPIC,
)
"""The guide "Structured outputs" and ``transform_schema`` of the SDK: keywords and formats, ``minItems`` of 0 or 1, no
bounds of numbers and texts, no recursion, every object closed; optional properties stay optional. ``pattern`` and
``default`` are documented, and said in the description all the same, as the SDK does. Limits of a whole request (20
strict tools, 24 optional parameters, 16 unions) are not looked at here."""

GEMINI = Form(
    name="gemini",
    keywords=frozenset(
        "$ref $defs type format title description enum items prefixItems minItems maxItems minimum maximum anyOf "
        "properties additionalProperties required".split()
    ),
    not_at_root=frozenset(("anyOf",)),
    booleans=False,
    reference_alone=True,
    recursion=False,
    names="identifiers",
)
"""``parameters_json_schema``. What is read of it: the documentation of ``response_json_schema`` (google-genai,
GenerateContentConfig): "While the full JSON Schema may be sent, not all features are supported"; ``oneOf`` is read as
``anyOf``, nothing but ``$`` stands beside ``$ref``, and recursion is unrolled a little, in optional properties only.
"The schema must describe an object", so no union stands at the root.
What is not read is said in descriptions. Older pages allow no ``-`` in names, and 64 characters."""

GEMINI_PARAMETERS = Form(
    name="gemini parameters",
    keywords=frozenset(
        "type format title description enum items minItems maxItems minLength maxLength minProperties maxProperties "
        "minimum maximum pattern anyOf properties required default".split()
    ),
    not_at_root=frozenset(("anyOf",)),
    formats=frozenset(("date-time", "enum", "float", "double", "int32", "int64")),
    type_lists=False,
    nullable=True,
    uppercase=True,
    text_enums=True,
    any_of_alone=True,
    booleans=False,
    references=False,
    recursion=False,
    property_names="[A-Za-z_][A-Za-z0-9_]{0,63}",
    names="identifiers",
    may_omit_parameters=True,
)
"""``parameters``: a part of OpenAPI 3.0 (google-genai ``Schema``, docstring of ``FunctionDeclaration.parameters`` for
names of properties). ``additionalProperties`` is refused by the API (promptfoo #6902); texts alone are enum values;
"when using any_of, it must be the only field set" (the API's message). For models that do not take JSON Schema."""

BEDROCK = Form(
    name="bedrock",
    root=frozenset(("type", "properties", "required")),
    references=False,
    recursion=False,
    property_names=_PROPERTY_KEYS,
    property_names_at_root=True,
    needs_description=True,
)
"""``toolSpec`` of Converse: names 1 to 64, a description of at least one character (service-2.json of botocore). The
schema goes to the model's own server: Amazon's models take ``type``, ``properties`` and ``required`` at the root and
nothing else (Nova user guide, "Defining a tool"; pydantic-ai #1623), so definitions have no place; Anthropic's refuse
names of properties as their own API does."""

BEDROCK_STRICT = Form(
    name="bedrock strict",
    keywords=_CONSTRAINED,
    not_at_root=frozenset(("anyOf",)),
    formats=_FORMATS | {"uri"},
    most_min_items=1,
    booleans=False,
    reference_alone=True,
    recursion=False,
    strict=True,
    property_names=_PROPERTY_KEYS,
    property_names_at_root=True,
    needs_description=True,
    otherwise=BEDROCK,
)
"""``toolSpec.strict`` (service-2.json of botocore; user guide, "Structured outputs"): the subset of Anthropic's, for
the models that the guide lists."""

MISTRAL = Form(name="mistral")
"""``parameters`` is required, any JSON object (mistralai, ``Function``). Its ``strict`` is documented for no subset, so
a strict tool goes over without."""

OLLAMA = Form(
    name="ollama",
    keywords=frozenset("type items description enum anyOf properties required".split()),
    root=frozenset(("type", "properties", "required")),
    booleans=False,
    references=False,
    recursion=False,
)
"""What the server reads (``ToolProperty`` and ``ToolFunctionParameters`` in api/types.go): anything else is deleted
before a model sees it, without a word, and ``true`` for a schema fails the request."""

MCP = Form(name="mcp", whole=True)
"""``inputSchema`` is JSON Schema draft 2020-12, or what ``$schema`` names (specification 2025-11-25, Tools)."""

EVERY = (
    OPENAI_CHAT,
    OPENAI_RESPONSES,
    OPENAI_STRICT,
    ANTHROPIC,
    ANTHROPIC_STRICT,
    GEMINI,
    GEMINI_PARAMETERS,
    BEDROCK,
    BEDROCK_STRICT,
    MISTRAL,
    OLLAMA,
    MCP,
)

__all__ = [
    "ANTHROPIC",
    "ANTHROPIC_STRICT",
    "BEDROCK",
    "BEDROCK_STRICT",
    "EVERY",
    "GEMINI",
    "GEMINI_PARAMETERS",
    "MCP",
    "MISTRAL",
    "OLLAMA",
    "OPENAI_CHAT",
    "OPENAI_RESPONSES",
    "OPENAI_STRICT",
]
