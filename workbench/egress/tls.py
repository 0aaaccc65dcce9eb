"""Which certificates are trusted."""

import ssl

import httpx2


def tls_context(*, by_environment: bool) -> ssl.SSLContext:
    """Return a context that trusts the system's certificates.

    Args:
        by_environment: Take those that SSL_CERT_FILE or SSL_CERT_DIR name instead, as behind the proxy of a company
            that reads everything.
    """
    context = httpx2.create_ssl_context(trust_env=by_environment)
    # Python writes the secrets of each connection into the file that SSLKEYLOGFILE names, wherever that came from.
    if getattr(context, "keylog_filename", None):
        context.keylog_filename = None  # type: ignore[assignment]
    return context
