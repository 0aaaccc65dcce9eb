"""What an old office file says of itself."""

from io import BytesIO

from workbench.parsing.ole_streams import are_streams_within


def ole_metadata(data: bytes) -> dict[str, str]:
    """Return the summary of an OLE file by the names of Dublin Core; empty where there is none."""
    import olefile  # comes with msoffcrypto-tool

    try:
        with olefile.OleFileIO(BytesIO(data)) as file:
            if not are_streams_within(file, len(data)):
                return {}
            meta = file.get_metadata()
            codepage = f"cp{meta.codepage}" if meta.codepage and meta.codepage > 0 else "utf-8"
    except Exception:  # noqa: BLE001 - olefile trusts what the file says; metadata are not worth an error
        return {}
    said = {
        "title": _text(meta.title, codepage),
        "creator": _text(meta.author, codepage),
        "keywords": _text(meta.keywords, codepage),
        "created": meta.create_time.isoformat(timespec="seconds") if meta.create_time else "",
        "modified": meta.last_saved_time.isoformat(timespec="seconds") if meta.last_saved_time else "",
    }
    return {name: value for name, value in said.items() if value and not value.startswith("1601")}


def _text(value: bytes | str | None, codepage: str) -> str:
    if isinstance(value, str) or not value:
        return " ".join((value or "").split())
    try:
        text = value.decode("utf-8" if codepage == "cp65001" else codepage, "replace")
    except LookupError:
        text = value.decode("cp1252", "replace")
    return " ".join(text.split())
