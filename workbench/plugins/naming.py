"""The environment variables that a plug-in file asks for: ENVIRONMENT = ["MY_KEY"], a plain list at its top level."""

import ast


def named_variables(code: bytes) -> tuple[str, ...]:
    """Return the names, read without running the file; nothing where there is no such list, or no such program."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(_is_the_name(target) for target in node.targets):
            try:
                value = ast.literal_eval(node.value)
            except ValueError:
                return ()
            return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list | tuple) else ()
    return ()


def _is_the_name(target: ast.expr) -> bool:
    return isinstance(target, ast.Name) and target.id == "ENVIRONMENT"
