"""The page as a static site: plain files for any web server, or opened from disk.

The scripts are bundled in one file. The engine runs in the browser, from kernels as WebAssembly and data files. Pages
opened from disk can't fetch files, so each data file is also written as a script.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path

from inarow import __version__
from inarow.drawing.board import LIGHT, hexadecimal, theme_css
from inarow.errors import InarowError
from inarow.frontend import STATIC, TEMPLATES, index_page, page_script, registering_script
from inarow.paths import write_bytes
from inarow.teaching.exam_tree import parts
from inarow.web.data import local_data

MARKER = "site.json"
"""The list of a site's files; a folder that has it may be overwritten."""
LARGE = 1_000_000
"""Size in bytes above which a file is cached for offline use only after its first use."""
SHEETS = ("style.css", "lab.css", "trees.css")
ICONS = ("icon.svg", "icon-192.png", "icon-512.png", "preview.jpg")
POLICY = (
    "default-src 'none'; script-src 'self' file: 'wasm-unsafe-eval'; style-src 'self' file:; img-src 'self' file: "
    "data:; connect-src 'self'; worker-src 'self' blob:; manifest-src 'self'; base-uri 'none'; form-action 'none'"
)


class SiteError(InarowError):
    """The site can't be written."""


def site_files(data: Mapping[str, bytes] | None = None) -> dict[str, bytes]:
    """Return all files of the site by their paths; the same version gives the same bytes."""
    data = local_data() if data is None else data
    files = {f"data/{name}": content for name, content in data.items()}
    files |= {f"data/{name}.js": registering_script(name, content).encode() for name, content in data.items()}
    files["app.js"] = page_script("main", data, offline=True).encode()
    sheets = [(STATIC / name).read_text(encoding="utf-8") for name in SHEETS]
    files["style.css"] = "\n".join([theme_css(), parts()["style"], *sheets]).encode()
    files |= {name: (STATIC / name).read_bytes() for name in ICONS}
    files["manifest.webmanifest"] = _manifest()
    addresses = {name: f"{name}?{zlib.crc32(content):x}" for name, content in files.items()}
    files["index.html"] = _index(addresses).encode()
    files[".nojekyll"] = b""
    kept = ["./", *(_kept(addresses, files))]
    version = hashlib.sha256(b"".join(zlib.crc32(files[name]).to_bytes(4) for name in sorted(files))).hexdigest()[:12]
    worker = (TEMPLATES / "offline.js").read_text(encoding="utf-8")
    files["offline.js"] = worker.replace("@VERSION@", version).replace('"@FILES@"', json.dumps(kept, indent=2)).encode()
    files[MARKER] = json.dumps({"inarow": __version__, "version": version, "files": sorted(files)}, indent=2).encode()
    return files


def _kept(addresses: Mapping[str, str], files: Mapping[str, bytes]) -> list[str]:
    """Return the URLs to cache for offline use; scripts with data are only for pages opened from disk."""
    unused = ("preview.jpg", "icon-192.png", "icon-512.png")
    return [
        address
        for name, address in addresses.items()
        if len(files[name]) <= LARGE and name not in unused and not (name.startswith("data/") and name.endswith(".js"))
    ]


def _index(addresses: Mapping[str, str]) -> str:
    """Return the page: the server's, with the site's own files."""
    text = index_page()
    changes = {
        '  <meta charset="utf-8">\n': f'  <meta charset="utf-8">\n  <meta http-equiv="Content-Security-Policy" '
        f'content="{POLICY}">\n',
        '  <link rel="stylesheet" href="theme.css">\n': "",
        **{f'  <link rel="stylesheet" href="static/{name}">\n': "" for name in SHEETS},
        '  <script type="module" src="static/js/main.js"></script>\n': "".join(
            [
                f'  <link rel="stylesheet" href="{addresses["style.css"]}">\n',
                f'  <link rel="manifest" href="{addresses["manifest.webmanifest"]}">\n',
                f'  <link rel="apple-touch-icon" href="{addresses["icon-192.png"]}">\n',
                f'  <meta name="theme-color" content="{hexadecimal(LIGHT.board)}">\n',
                f'  <script defer src="{addresses["app.js"]}"></script>\n',
            ]
        ),
        '<a href="api/openapi.json">API</a>': "",
        "static/icon.svg": addresses["icon.svg"],
        "static/preview.jpg": "preview.jpg",
    }
    for old, new in changes.items():
        if old not in text:
            raise SiteError(f"index.html has no {old!r} for the site to replace")
        text = text.replace(old, new)
    return text


def _manifest() -> bytes:
    """Return the web app manifest, with which browsers install the page."""
    icons = [{"src": "icon.svg", "sizes": "any", "type": "image/svg+xml"}]
    icons += [
        {"src": f"icon-{size}.png", "sizes": f"{size}x{size}", "type": "image/png", "purpose": "any"}
        for size in (192, 512)
    ]
    manifest = {
        "name": "inarow: Connect 4 with the exact value of every move",
        "short_name": "inarow",
        "start_url": "./",
        "scope": "./",
        "display": "standalone",
        "background_color": hexadecimal(LIGHT.back),
        "theme_color": hexadecimal(LIGHT.board),
        "icons": icons,
    }
    return json.dumps(manifest, indent=2).encode()


def check_folder(folder: Path, force: bool = False) -> None:
    """Raise SiteError if the folder is a file, or has other files in it and ``force`` is not set."""
    try:
        if folder.exists() and not folder.is_dir():
            raise SiteError(f"{folder} is a file; give a folder")
        used = folder.exists() and any(folder.iterdir()) and not (folder / MARKER).is_file()
    except OSError as error:
        raise SiteError(f"{folder} can't be used: {error.strerror}; give another folder") from None
    if used and not force:
        raise SiteError(f"{folder} has other files in it; give another folder, or --force to write there")


def write_site(folder: Path, files: Mapping[str, bytes], done: Callable[[str], None] = lambda name: None) -> None:
    """Write a site; remove files of an earlier one that are no longer part of it. Call ``done`` for every file."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in _earlier(folder) - files.keys():
            (folder / name).unlink(missing_ok=True)
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.is_file() or path.read_bytes() != content:
                write_bytes(path, content, SiteError, durable=False)
            done(name)
    except OSError as error:
        raise SiteError(f"{folder} can't be written: {error.strerror}") from None


def _earlier(folder: Path) -> set[str]:
    """Return the files of an earlier site in the folder, without paths that lead out of it."""
    try:
        names = json.loads((folder / MARKER).read_text(encoding="utf-8"))["files"]
        return {name for name in names if (folder / name).resolve().is_relative_to(folder.resolve())}
    except (OSError, ValueError, KeyError, TypeError):
        return set()
