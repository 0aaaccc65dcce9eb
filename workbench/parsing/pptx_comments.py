"""Comments on slides, of both kinds that PowerPoint writes."""

from workbench.parsing.drawings import A
from workbench.parsing.ooxml import OfficePackage, one_line
from workbench.parsing.zip_package import local_name


def comment_authors(package: OfficePackage, main: str) -> dict[str, str]:
    """Return the names of those who commented, by their identifiers."""
    names: dict[str, str] = {}
    for relation in package.relations(main).values():
        if relation.kind in ("commentAuthors", "authors"):
            root = package.tree(relation.target)
            for author in root if root is not None else ():
                names[author.get("id") or ""] = one_line(author.get("name") or "")
    return names


def slide_comments(package: OfficePackage, part: str, authors: dict[str, str]) -> list[str]:
    """Return the comments on a slide and their replies, "Name: text", in the file's order."""
    found: list[str] = []
    for relation in package.relations(part).values():
        root = package.tree(relation.target) if relation.kind == "comments" and relation.target else None
        for entry in root.iter() if root is not None else ():
            if local_name(entry) not in ("cm", "reply"):
                continue
            words = [child.text or "" for child in entry if local_name(child) == "text"]
            words += [
                text.text or "" for child in entry if local_name(child) == "txBody" for text in child.iter(f"{A}t")
            ]
            text = one_line(" ".join(words))
            name = authors.get(entry.get("authorId") or "", "")
            if text:
                found.append(f"{name}: {text}" if name else f"- {text}")
    return found
