"""A command that fetches a package names one exact version, or is told."""

import pytest

from licet.project.package import floating


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("npx -y @scope/server", "@scope/server"),
        ("npx -y @scope/server@latest", "@scope/server@latest"),
        ("npx -y server@^1.2.3", "server@^1.2.3"),
        ("npx server@1", "server@1"),
        ("npx -p server other", "server"),
        ("npx --package=server other", "server"),
        ("npx --registry https://r server", "server"),
        ("npx -y -- server", "server"),
        ("npx.cmd -y server", "server"),
        ("/usr/local/bin/npx -y server", "server"),
        ("cmd /c npx -y server", "server"),
        ("env A=b npx -y server", "server"),
        ("npm exec server", "server"),
        ("pnpm dlx server", "server"),
        ("yarn dlx server", "server"),
        ("bunx server", "server"),
        ("bun x server", "server"),
        ("uvx server", "server"),
        ("uvx server@latest", "server@latest"),
        ("uvx server>=1", "server>=1"),
        ("uvx --python 3.12 server", "server"),
        ("uvx --from server other", "server"),
        ("uvx --from git+https://h/r other", "git+https://h/r"),
        ("uvx --with extra server==1.0", "extra"),
        ("uv tool run server", "server"),
        ("pipx run server", "server"),
        ("pipx run --spec server other", "server"),
        ("docker run -i --rm image", "image"),
        ("docker run -i --rm -e A -v /a:/b org/image:latest", "org/image:latest"),
        ("docker run --rm -i localhost:5000/image", "localhost:5000/image"),
        ("podman run -it image", "image"),
        ("deno run -A npm:@scope/server", "npm:@scope/server"),
    ],
)
def test_a_floating_version_is_found(line: str, found: str) -> None:
    command, *args = line.split()
    assert floating(command, args) == (found,)


@pytest.mark.parametrize(
    "line",
    [
        "npx -y @scope/server@1.2.3",
        "npx server@1.2.3-beta.1",
        "npx --package=server@1.2.3 other",
        "npx ./server",
        "npx",
        "npm install server",
        "uvx server==1.2.3",
        "uvx server@1.2.3",
        "uvx server[extra]==1.2",
        "uvx --from server==1.2 other",
        "uvx --from git+https://h/r@" + "a" * 40 + " other",
        "uvx --from ./here other",
        "uv run server.py",
        "pipx run --spec server==1 other",
        "docker run -i --rm org/image:1.2 arg",
        "docker run -i image@sha256:" + "a" * 64,
        "docker exec -i box server",
        "deno run -A npm:server@1.2.3",
        "deno run server.ts",
        "node server.js",
        "python -m server",
        "env",
        "/opt/server",
    ],
)
def test_an_exact_version_or_no_package_is_left_alone(line: str) -> None:
    command, *args = line.split()
    assert floating(command, args) == ()
