"""The forms of the providers' wires. Each says where its facts come from."""

from .form import Form

OPENAI_CHAT = Form(name="openai_chat")
OPENAI_RESPONSES = Form(name="openai_responses")
OPENAI_STRICT = Form(name="openai strict", strict=True, requires_all=True)
ANTHROPIC = Form(name="anthropic")
ANTHROPIC_STRICT = Form(name="anthropic strict", strict=True)
GEMINI = Form(name="gemini")
GEMINI_PARAMETERS = Form(name="gemini parameters")
BEDROCK = Form(name="bedrock")
BEDROCK_STRICT = Form(name="bedrock strict", strict=True)
MISTRAL = Form(name="mistral")
OLLAMA = Form(name="ollama")
MCP = Form(name="mcp")
