"""Which language a file is written in, by its name alone."""

_EXTENSIONS = {
    "Ada": "ada adb ads",
    "AsciiDoc": "adoc asciidoc",
    "Assembly": "asm s",
    "Astro": "astro",
    "Batch": "bat cmd",
    "C": "c",
    "C header": "h",
    "C#": "cs",
    "C++": "cc cpp cxx c++ hpp hh hxx ipp",
    "CMake": "cmake",
    "CSS": "css",
    "CSV": "csv tsv",
    "CUDA": "cu cuh",
    "Clojure": "clj cljs cljc edn",
    "CoffeeScript": "coffee",
    "Common Lisp": "lisp lsp",
    "Crystal": "cr",
    "Cython": "pyx pxd",
    "D": "d",
    "Dart": "dart",
    "Diff": "diff patch",
    "Elixir": "ex exs",
    "Elm": "elm",
    "Emacs Lisp": "el",
    "Erlang": "erl hrl",
    "F#": "fs fsi fsx",
    "Fortran": "f f90 f95 f03 for",
    "GLSL": "glsl vert frag",
    "Go": "go",
    "GraphQL": "graphql gql",
    "Groovy": "groovy gradle",
    "HCL": "tf tfvars hcl",
    "HTML": "html htm xhtml",
    "Haskell": "hs lhs",
    "INI": "ini cfg",
    "JSON": "json jsonl json5 jsonc",
    "Java": "java",
    "JavaScript": "js jsx mjs cjs",
    "Jinja": "j2 jinja jinja2",
    "Julia": "jl",
    "Jupyter": "ipynb",
    "Kotlin": "kt kts",
    "Less": "less",
    "Lua": "lua",
    "Markdown": "md mdx markdown",
    "Nim": "nim",
    "Nix": "nix",
    "OCaml": "ml mli",
    "Objective-C": "m mm",
    "PHP": "php",
    "Pascal": "pas pp",
    "Perl": "pl pm t",
    "PowerShell": "ps1 psm1",
    "Prolog": "pro",
    "Protocol Buffers": "proto",
    "Python": "py pyi pyw",
    "R": "r rmd",
    "Racket": "rkt",
    "Ruby": "rb rake gemspec",
    "Rust": "rs",
    "SQL": "sql",
    "SVG": "svg",
    "Sass": "scss sass",
    "Scala": "scala sc",
    "Scheme": "scm ss",
    "Shell": "sh bash zsh fish ksh",
    "Solidity": "sol",
    "Starlark": "bzl star",
    "Svelte": "svelte",
    "Swift": "swift",
    "TOML": "toml",
    "Tcl": "tcl",
    "TeX": "tex sty bib",
    "TypeScript": "ts tsx mts cts",
    "VHDL": "vhd vhdl",
    "Verilog": "v sv svh",
    "Vim script": "vim",
    "Visual Basic": "vb",
    "Vue": "vue",
    "WebAssembly": "wat",
    "XML": "xml xsd xsl xslt plist csproj props targets",
    "YAML": "yaml yml",
    "Zig": "zig",
    "plain text": "txt text",
    "reStructuredText": "rst",
}

_NAMES = {
    "build": "Starlark",
    "build.bazel": "Starlark",
    "cmakelists.txt": "CMake",
    "containerfile": "Dockerfile",
    "dockerfile": "Dockerfile",
    "gemfile": "Ruby",
    "gnumakefile": "Makefile",
    "jenkinsfile": "Groovy",
    "justfile": "Just",
    "makefile": "Makefile",
    "meson.build": "Meson",
    "rakefile": "Ruby",
    "vagrantfile": "Ruby",
    "workspace": "Starlark",
}

_BY_EXTENSION = {extension: language for language, text in _EXTENSIONS.items() for extension in text.split()}

_NO_SOURCE = frozenset(
    "7z a avi bin bmp bz2 class db dll dylib eot exe flac gif gz icns ico iso jar jpeg jpg lib lz4 mkv mo mov mp3 mp4"
    " npy npz o obj odt ogg otf parquet pdf pickle pkl png pyc pyd pyo rar so sqlite sqlite3 svgz tar tgz tif tiff ttf"
    " war wasm wav webm webp whl woff woff2 xls xlsx xz zip zst".split()
)
"""Endings of files that hold no lines."""

OTHER = "other text"


def language_of(name: str) -> str | None:
    """The language of a file, ``OTHER`` where its name does not tell, None where it holds no text."""
    lower = name.lower()
    known = _NAMES.get(lower)
    if known is not None:
        return known
    stem, dot, extension = lower.rpartition(".")
    if not dot:
        return OTHER
    if extension in _NO_SOURCE:
        return None
    if extension == "mk" or stem == "makefile":
        return "Makefile"
    if extension == "dockerfile" or stem == "dockerfile":
        return "Dockerfile"
    return _BY_EXTENSION.get(extension, OTHER)
