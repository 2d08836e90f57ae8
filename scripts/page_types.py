"""Write the types of the API's messages for the page's scripts, from the API's own description:

python scripts/page_types.py
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from inarow.web.app import create_app  # noqa: E402

TYPES = ROOT / "src" / "inarow" / "web" / "api.d.ts"
PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def written(schema: dict[str, Any]) -> str:
    """Return a JSON schema as a TypeScript type."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "enum" in schema:
        return " | ".join(f'"{one}"' for one in schema["enum"])
    if "const" in schema:
        return f'"{schema["const"]}"'
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(written(one) for one in schema["anyOf"]))
    kind = schema.get("type")
    if kind == "array":
        items = written(schema["items"]) if "items" in schema else "any"
        return f"({items})[]" if " | " in items else f"{items}[]"
    if kind == "object" and "additionalProperties" in schema:
        return f"Record<string, {written(schema['additionalProperties'])}>"
    return PLAIN.get(str(kind), "any")


def interface(name: str, schema: dict[str, Any]) -> list[str]:
    """Return the lines of one message. Fields of a request that have a default may be left out."""
    optional = name.endswith(("Request", "Command"))
    needed = schema.get("required", [])
    fields = [
        f"    {field}{'?' if optional and field not in needed else ''}: {written(one)};"
        for field, one in schema.get("properties", {}).items()
    ]
    return [f"  interface {name} {{", *fields, "  }"]


def types() -> str:
    """Return the whole file."""
    schemas = create_app().openapi()["components"]["schemas"]
    lines = [
        "// The messages of the API, written by scripts/page_types.py from its description.",
        "declare namespace Api {",
    ]
    for name in sorted(schemas):
        lines += interface(name, schemas[name])
    return "\n".join([*lines, "}", ""])


if __name__ == "__main__":
    TYPES.write_text(types(), encoding="utf-8")
