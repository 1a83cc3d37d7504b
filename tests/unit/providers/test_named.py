"""Models by name: what is one, and what is said where it is none, or something of it is missing."""

import pytest

from licet.errors import ConfigurationError, ProviderSetupError
from licet.model.json_object import JsonObject
from licet.model.tool import ModelTool
from licet.providers import key
from licet.providers.named import is_provided, model_from
from licet.providers.openai import OpenAI

VARIABLES = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY")


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    "name", ["openai:gpt-5", "bedrock:anthropic.claude-v1:0", "google:x", "anthropic:a b", "local"]
)
def test_a_name_is_a_provider_and_what_it_calls_its_model(name: str) -> None:
    assert is_provided(name)


@pytest.mark.parametrize(
    "name", ["", "openai", "openai:", "openai: x", "openai:\x1b", "gpt-5", "OpenAI:x", ":x", "x:y"]
)
def test_anything_else_names_no_model(name: str) -> None:
    assert not is_provided(name)
    with pytest.raises(ConfigurationError, match="names no model; use one of") as raised:
        model_from(name)
    assert "\x1b" not in str(raised.value)


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("openai:m", "OPENAI_API_KEY"),
        ("anthropic:m", "ANTHROPIC_API_KEY"),
        ("google:m", "GOOGLE_API_KEY or GEMINI_API"),
    ],
)
def test_a_missing_key_names_its_variable(name: str, variable: str) -> None:
    with pytest.raises(ProviderSetupError, match=variable):
        model_from(name)


@pytest.mark.parametrize("extra", ["openai", "anthropic", "google", "bedrock"])
def test_a_missing_package_names_its_extra(extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(module: str) -> object:
        raise ModuleNotFoundError(name=module.partition(".")[0])

    monkeypatch.setattr(key, "import_module", missing)
    with pytest.raises(ProviderSetupError, match=rf"pip install 'licet\[{extra}\]'"):
        model_from(f"{extra}:m")


def test_a_compatible_server_wants_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    assert model_from("openai:m").name == "openai:m"


def test_openai_itself_gets_no_more_tools_than_it_takes_and_other_servers_all() -> None:
    tools = [ModelTool(f"local/t{number}", "Look.", JsonObject({"type": "object"})) for number in range(130)]
    for api in ("chat", "responses"):
        own = OpenAI("m", api=api, api_key="x", environ={})
        assert list(own.withheld(tools)) == ["local/t128", "local/t129"]
        other = OpenAI("m", api=api, api_key="x", base_url="http://127.0.0.1:1/v1", environ={})
        assert dict(other.withheld(tools)) == {}
