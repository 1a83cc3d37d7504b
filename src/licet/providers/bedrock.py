"""Models of Amazon Bedrock over boto3's ``converse``, which blocks: it is asked on a thread. The extra ``bedrock``.

Credentials and region are those of AWS: the environment (``AWS_ACCESS_KEY_ID``, ``AWS_BEARER_TOKEN_BEDROCK``, ...), a
profile, a role. ``AWS_ENDPOINT_URL_BEDROCK_RUNTIME`` names another server.
"""

import os
from collections.abc import AsyncGenerator, Iterator, Mapping
from typing import Any

from ..dialects import bedrock
from ..errors import ProviderSetupError
from .asking import CONNECT_S, MAX_OUTPUT_TOKENS, SILENCE_S, TIMEOUT_S, Asking
from .failure import Failure, cut, of_status, unreachable
from .key import Key, sdk
from .listener import Listener
from .patience import Patience
from .thread import each_on_thread, on_thread
from .transport import unreadable

REGIONS = ("AWS_REGION", "AWS_DEFAULT_REGION")
KEYS = ("AWS_BEARER_TOKEN_BEDROCK", "AWS_SESSION_TOKEN", "AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID")

_STATUS = {
    "AccessDeniedException": 403,
    "ExpiredTokenException": 401,
    "InternalServerException": 500,
    "ModelErrorException": 424,
    "ModelNotReadyException": 429,
    "ModelStreamErrorException": 424,
    "ModelTimeoutException": 408,
    "ServiceUnavailableException": 503,
    "ThrottlingException": 429,
    "UnrecognizedClientException": 401,
    "ValidationException": 400,
}
"""What its errors mean in HTTP, also those that come in the middle of a stream."""
_STATUS |= {name[0].lower() + name[1:]: status for name, status in _STATUS.items()}


class Bedrock(Asking):
    """One model. ``options`` go into ``inferenceConfig``. With ``listener`` answers are streamed. Closed is closed."""

    def __init__(
        self,
        model: str,
        *,
        region: str | None = None,
        endpoint_url: str | None = None,
        max_output_tokens: int = MAX_OUTPUT_TOKENS,
        options: Mapping[str, Any] | None = None,
        listener: Listener | None = None,
        patience: Patience = Patience(),  # noqa: B008 - immutable
        timeout_s: float = TIMEOUT_S,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        """Raises ProviderSetupError: the SDK, the region or the credentials are missing."""
        sdk("boto3", extra="bedrock")
        named = region or next((environ[name] for name in REGIONS if environ.get(name)), None)
        fixed = {"modelId": model, "inferenceConfig": {"maxTokens": max_output_tokens, **(options or {})}}
        keys = [Key(environ[name]) for name in KEYS if environ.get(name)]
        wire = _Wire(_client(named, endpoint_url, timeout_s), fixed, keys)
        super().__init__(
            f"bedrock:{model}",
            bedrock,
            wire,
            max_output_tokens=max_output_tokens,
            listener=listener,
            patience=patience,
            timeout_s=timeout_s,
        )


def _client(region: str | None, endpoint_url: str | None, timeout_s: float) -> Any:
    import boto3
    from botocore.config import Config
    from botocore.exceptions import BotoCoreError

    silence_s = min(timeout_s, SILENCE_S)
    config = Config(
        retries={"total_max_attempts": 1, "mode": "standard"}, connect_timeout=CONNECT_S, read_timeout=silence_s
    )
    try:
        session = boto3.Session(region_name=region)
        client = session.client("bedrock-runtime", endpoint_url=endpoint_url, config=config)
        known = os.environ.get("AWS_BEARER_TOKEN_BEDROCK") or session.get_credentials() is not None
    except BotoCoreError as exc:
        problem = str(exc)
    else:
        if known:
            return client
        problem = "there are no credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"
    raise ProviderSetupError(f"bedrock cannot be asked: {problem} (region: {REGIONS[0]})", reason="missing_key")


class _Wire:
    def __init__(self, client: Any, fixed: dict[str, Any], keys: list[Key]) -> None:
        self._client = client
        self._fixed = fixed
        self._keys = keys

    async def answer(self, body: dict[str, Any]) -> Mapping[str, Any]:
        found: dict[str, Any] = await on_thread(lambda: self._client.converse(**self._fixed, **body))
        found.pop("ResponseMetadata", None)
        return found

    async def events(self, body: dict[str, Any]) -> AsyncGenerator[Mapping[str, Any], None]:
        def work() -> Iterator[Mapping[str, Any]]:
            stream = self._client.converse_stream(**self._fixed, **body)["stream"]
            try:
                yield from stream
            finally:
                stream.close()

        async for event in each_on_thread(work):
            yield event

    def failure(self, exc: Exception) -> Failure | None:
        import botocore.exceptions as found

        if isinstance(exc, found.ClientError | found.EventStreamError):
            error = exc.response.get("Error", {})
            word, said = str(error.get("Code", "")), str(error.get("Message", ""))
            for key in self._keys:
                said = key.hidden_in(said)
            about = exc.response.get("ResponseMetadata", {})
            status = about.get("HTTPStatusCode", 500)
            status = _STATUS.get(word, status if status >= 300 else 500)
            return of_status(status, headers=about.get("HTTPHeaders"), word=word, said=said)
        if isinstance(exc, found.NoCredentialsError | found.PartialCredentialsError | found.CredentialRetrievalError):
            return Failure("missing_key", "there are no credentials of AWS")
        if isinstance(exc, found.ParamValidationError):
            return Failure("bad_request", "its SDK does not take the request")
        if isinstance(exc, found.ReadTimeoutError):
            return unreachable("no answer in time")
        if isinstance(exc, found.ResponseStreamingError | found.IncompleteReadError | found.ChecksumError):
            return cut(f"the connection broke in the middle of its answer ({type(exc).__name__})")
        if isinstance(exc, found.HTTPClientError | found.ConnectionError):
            return unreachable(f"no connection ({type(exc).__name__})")
        return _of_stream(exc)

    async def close(self) -> None:
        self._client.close()


def _of_stream(exc: Exception) -> Failure | None:
    """What breaks below the SDK while an answer is read."""
    import urllib3.exceptions
    from botocore.eventstream import ParserError
    from botocore.parsers import ResponseParserError

    if isinstance(exc, urllib3.exceptions.HTTPError | ParserError | OSError):
        return cut(f"the connection broke in the middle of its answer ({type(exc).__name__})")
    if isinstance(exc, ResponseParserError):
        return cut("its SDK cannot read the answer")
    return unreadable(exc)


__all__ = ["Bedrock"]
