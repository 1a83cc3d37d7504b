"""Ed25519 keys as PEM text: PKCS8 for the private one, SubjectPublicKeyInfo for the public one.

Needs the extra ``sign``. Nothing in here makes a key unless it is asked to.
"""

from typing import TYPE_CHECKING, Any

from ..errors import ConfigurationError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

MAX_PEM_BYTES = 64 * 1024
"""More than any key takes."""

_INSTEAD = "licet ledger keygen makes a pair of keys"


def new_pair() -> tuple[bytes, bytes]:
    """A new private key and its public key, as PEM. The private one is not encrypted: keep it where only you read."""
    _need_the_extra()
    from cryptography.hazmat.primitives import serialization as pem
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.generate()
    return (
        key.private_bytes(pem.Encoding.PEM, pem.PrivateFormat.PKCS8, pem.NoEncryption()),
        key.public_key().public_bytes(pem.Encoding.PEM, pem.PublicFormat.SubjectPublicKeyInfo),
    )


def private_key(data: bytes) -> "Ed25519PrivateKey":
    """The private key in a PEM text.

    Raises:
        ConfigurationError: it is no private Ed25519 key, or it is encrypted; or the extra is not installed.
    """
    _need_the_extra()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    if b"PUBLIC KEY-----" in data:
        raise ConfigurationError("this is a public key; signing takes the private one")
    if b"BEGIN ENCRYPTED" in data:
        raise ConfigurationError("this key is encrypted; licet reads private keys without a passphrase only")
    key = _loaded(lambda: load_pem_private_key(data, password=None), data, "private")
    if not isinstance(key, Ed25519PrivateKey):
        raise ConfigurationError(f"this is a key of another kind ({_kind(key)}), not Ed25519; {_INSTEAD}")
    return key


def public_key(data: bytes) -> "Ed25519PublicKey":
    """The public key in a PEM text.

    Raises:
        ConfigurationError: it is no public Ed25519 key; or the extra is not installed.
    """
    _need_the_extra()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    if b"PRIVATE KEY-----" in data:
        raise ConfigurationError("this is a private key; verifying takes the public one, so leave the other at home")
    key = _loaded(lambda: load_pem_public_key(data), data, "public")
    if not isinstance(key, Ed25519PublicKey):
        raise ConfigurationError(f"this is a key of another kind ({_kind(key)}), not Ed25519; {_INSTEAD}")
    return key


def raw(key: "Ed25519PublicKey") -> bytes:
    """The 32 bytes of a public key."""
    return key.public_bytes_raw()


def _loaded(load: Any, data: bytes, kind: str) -> object:
    from cryptography.exceptions import UnsupportedAlgorithm

    if len(data) > MAX_PEM_BYTES:
        raise ConfigurationError(f"this is no {kind} key: it is longer than {MAX_PEM_BYTES} bytes; {_INSTEAD}")
    try:
        key: object = load()
    except (ValueError, TypeError, UnsupportedAlgorithm):  # their texts speak of OpenSSL
        raise ConfigurationError(f"this is no {kind} key in PEM; {_INSTEAD}") from None
    return key


def _kind(key: object) -> str:
    return type(key).__name__.removeprefix("_").removesuffix("PrivateKey").removesuffix("PublicKey")


def _need_the_extra() -> None:
    try:
        import cryptography  # noqa: F401 - asked for here, so that the answer names the extra
    except ImportError as exc:
        raise ConfigurationError("signing needs the extra 'sign': pip install 'licet[sign]'") from exc


__all__ = ["MAX_PEM_BYTES", "new_pair", "private_key", "public_key", "raw"]
