"""How a page looks. The digest of this text is all that a page's policy lets in."""

from base64 import b64encode
from hashlib import sha256

SHEET = """
:root { color-scheme: light dark; --ink: #1d2129; --soft: #667085; --page: #f6f6f3; --card: #ffffff;
  --line: #e3e3dd; --mark: #2f5d50; --on-mark: #ffffff; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e6e1; --soft: #9a9a94; --page: #17181a; --card: #212326;
  --line: #34373b; --mark: #86b8a7; --on-mark: #10211b; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); overflow-wrap: anywhere;
  font: 16px/1.55 ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
main { max-width: 46rem; margin: 0 auto; padding: 3rem 1.25rem 2rem; }
section + section { margin-top: 3rem; padding-top: 3rem; border-top: 1px solid var(--line); }
footer { max-width: 46rem; margin: 0 auto; padding: 0 1.25rem 3rem; color: var(--soft); font-size: .8rem; }
h1, h2, h3, h4, h5, p { margin: 0; white-space: pre-wrap; line-height: 1.25; text-wrap: balance; }
h1 { font-size: 2rem; letter-spacing: -.02em; } h2 { font-size: 1.5rem; letter-spacing: -.01em; }
h3 { font-size: 1.1rem; } h4, h5 { font-size: 1rem; }
p { line-height: 1.55; text-wrap: pretty; }
.caption { color: var(--soft); font-size: .875rem; }
.row, .column { display: flex; gap: .75rem; min-width: 0; }
.row { flex-wrap: wrap; align-items: center; } .column { flex-direction: column; }
.row > * { min-width: 0; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1.1rem 1.25rem;
  box-shadow: 0 1px 2px rgb(0 0 0 / 4%); }
.card .column { gap: .4rem; }
button { font: inherit; font-weight: 600; color: var(--on-mark); background: var(--mark); border: 0;
  border-radius: .5rem; padding: .45rem 1rem; opacity: .75; cursor: not-allowed; }
button p { line-height: 1.4; }
.other { border: 1px dashed var(--line); border-radius: .5rem; padding: .6rem .9rem; display: flex;
  flex-direction: column; gap: .4rem; }
.label { color: var(--soft); font-size: .75rem; letter-spacing: .06em; text-transform: uppercase; }
.start { justify-content: flex-start; } .center { justify-content: center; } .end { justify-content: flex-end; }
.between { justify-content: space-between; } .around { justify-content: space-around; }
.evenly { justify-content: space-evenly; }
.a-start { align-items: flex-start; } .a-center { align-items: center; } .a-end { align-items: flex-end; }
.a-stretch { align-items: stretch; }
"""

DIGEST = "sha256-" + b64encode(sha256(SHEET.encode()).digest()).decode()

POLICY = f"default-src 'none'; style-src '{DIGEST}'; base-uri 'none'; form-action 'none'"
"""Nothing is loaded and nothing runs, whatever stands on the page."""
