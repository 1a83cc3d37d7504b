"""A place that webhooks may go to: a listening socket that keeps what it is sent, and says what it is told to say."""

import contextlib
import datetime
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

Answer = Callable[[socket.socket], None]


def says(answer: bytes) -> Answer:
    return lambda connection: connection.sendall(answer)


def floods(connection: socket.socket) -> None:
    """Interim answers without an end."""
    with contextlib.suppress(OSError):
        while True:
            connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n" * 100)


def hangs(connection: socket.socket) -> None:
    """Says nothing until the other side goes."""
    with contextlib.suppress(OSError):
        while connection.recv(4096):
            pass


class Hook:
    """``requests`` are whole, head and body; ``names`` are what TLS was asked for; ``accepted`` counts connections."""

    def __init__(self, answer: Answer, tls: ssl.SSLContext | None = None) -> None:
        self.requests: list[bytes] = []
        self.names: list[str | None] = []
        self.accepted = 0
        self.answer = answer
        self._tls = tls
        if tls is not None:
            tls.sni_callback = lambda held, name, context: self.names.append(name)
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port: int = self._listening.getsockname()[1]
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        for thread in self._threads:
            thread.join(10)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection = self._listening.accept()[0]
                self.accepted += 1
                thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
                self._threads.append(thread)
                thread.start()

    def _serve(self, connection: socket.socket) -> None:
        connection.settimeout(10)
        with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
            stack.callback(lambda: held.close())
            held = connection
            if self._tls is not None:
                held = self._tls.wrap_socket(connection, server_side=True)
            request = _request(held)
            if request:
                self.requests.append(request)
                self.answer(held)


def _request(held: socket.socket) -> bytes:
    """Head and body, by Content-Length; nothing of one that was cut, as by a sender that was killed."""
    read = b""
    while b"\r\n\r\n" not in read:
        part = held.recv(65536)
        if not part:
            return b""
        read += part
    head, _, body = read.partition(b"\r\n\r\n")
    sizes = [line.partition(b":")[2] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    size = int(sizes[0]) if sizes else 0
    while len(body) < size:
        part = held.recv(65536)
        if not part:
            return b""
        body += part
    return head + b"\r\n\r\n" + body


@contextlib.contextmanager
def hook(answer: Answer | bytes = OK, tls: ssl.SSLContext | None = None) -> Iterator[Hook]:
    held = Hook(says(answer) if isinstance(answer, bytes) else answer, tls)
    try:
        yield held
    finally:
        held.close()


def certified(name: str, folder: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """A server's TLS for a name, and a client's that trusts nobody else."""
    key = ec.generate_private_key(ec.SECP256R1())
    named = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    day = datetime.timedelta(days=1)
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(named)
        .issuer_name(named)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - day)
        .not_valid_after(now + day)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    chain, private = folder / f"{name}.pem", folder / f"{name}.key"
    chain.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(chain, private)
    return server, ssl.create_default_context(cafile=str(chain))


__all__ = ["OK", "Answer", "Hook", "certified", "floods", "hangs", "hook", "says"]
