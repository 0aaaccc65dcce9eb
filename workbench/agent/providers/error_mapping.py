"""Mapping of exceptions of the client to ModelError, with a message and a hint for the user."""

import math
import re
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx2
import openai

from workbench.agent.providers.base_url import host_of
from workbench.errors import (
    LibraryError,
    ModelAccessDenied,
    ModelBusy,
    ModelError,
    ModelFailed,
    ModelKeyRefused,
    ModelLacksTools,
    ModelNotFound,
    ModelRefusedRequest,
    ModelStreamCut,
    ModelUnreachable,
    NetworkClosed,
)
from workbench.language import mark
from workbench.logs.redaction import MASK, masked

_LONGEST_DETAIL = 300
_QUOTA = re.compile(r"quota|billing|insufficient|credit", re.IGNORECASE)
_TOO_LONG = re.compile(
    r"context.{0,12}(length|size|window)|maximum context|too long|too many tokens|exceed\w* .{0,40}token", re.IGNORECASE
)
_MODEL = re.compile(r"\bmodel\b", re.IGNORECASE)
# "The model `m` does not exist or you do not have access to it" (OpenAI, vLLM), "model 'm' not found" (Ollama),
# "Invalid model name passed in model=m" (litellm); not "model m is not supported by the Responses API": m exists.
_NO_MODEL = re.compile(
    r"\bmodel\b.{0,200}?\b(not found|(does not|doesn't|did not|not) exist|not loaded|no access|not have access)"
    r"|\b(unknown|invalid|no such|unrecognized) model\b|no model (named|called)|model_not_found",
    re.IGNORECASE | re.DOTALL,
)
# Text of a 403 that is about the key: its scopes, or a missing key. A 403 without text may be about the key, too.
_ABOUT_KEY = re.compile(
    r"\b(api[ _-]?)?keys?\b|\btokens?\b|credential|authenticat|authoriz|authoris|unauthori|\bscopes?\b|\blog ?in\b",
    re.IGNORECASE,
)
# "Unknown parameter: 'store'", "Unrecognized request argument supplied", "Extra inputs are not permitted".
_UNKNOWN_FIELD = re.compile(
    r"(unknown|unrecogni[sz]ed|unsupported|unexpected|extra|additional).{0,40}(param|field|argument|propert|inputs?\b|keys?\b)"
    r"|not permitted",
    re.IGNORECASE,
)
# Responses of servers if a model, or the way they were started, does not allow tools: Ollama ("does not support
# tools"), vLLM (--enable-auto-tool-choice), llama.cpp (--jinja), routers ("no endpoints found that support tool use"),
# and servers that refuse the field itself.
_NO_TOOLS = re.compile(
    r"(does|do|is|are)(n't| not) support\w* .{0,30}(tool|function)"
    r"|(tool|function)s?\b.{0,40}\bnot (support|enabled|allowed|available)"
    r"|support (tool|function)|enable-auto-tool-choice|tool-call-parser|tools? param\w* requires"
    r"|unsupported.{0,20}\btool|(unrecognized|unknown|unexpected|extra).{0,60}\b(tools|functions)\b"
    r"|\b(tools|functions)\b.{0,40}(extra|not permitted)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ServerTarget:
    """Server and model of a request; the key is included only so that it can be removed from every message."""

    base_url: str
    model: str
    key: str = ""

    @property
    def host(self) -> str:
        """Host and port, for messages to the user."""
        return host_of(self.base_url)


class NotAStream(Exception):
    """The server answered 200, but with a web page or plain JSON instead of a stream."""

    def __init__(self, content_type: str, body: Any) -> None:
        super().__init__(content_type)
        self.content_type = content_type
        self.body = body


def model_error(error: BaseException, target: ServerTarget, *, streaming: bool = False) -> ModelError:
    """Return the error to raise for an exception; streaming: the answer had begun."""
    if (refused := _blocked_by_gate(error)) is not None:
        return ModelUnreachable(refused.message, refused.hint)
    match error:
        case ModelError():
            return error
        case openai.APIStatusError():
            return _status_error(error, target)
        case openai.APIConnectionError():
            return _connection_error(error, target, streaming=streaming)
        case openai.APIError():
            return reported_error(error.code, detail_of(error.body, target) or error.message, target)
        case NotAStream():
            return _not_a_stream(error, target)
        case httpx2.HTTPError():
            return _connection_error(error, target, streaming=streaming)
    if streaming:
        return ModelFailed(
            f"{target.host} sent something that is not an answer ({type(error).__name__}).",
            "Ask again. If it happens again, the server may not support the OpenAI protocol.",
        )
    return ModelFailed(f"The request to {target.host} failed ({type(error).__name__}).", "Ask again.")


def reported_error(code: object, message: object, target: ServerTarget) -> ModelError:
    """Return the error to raise for an error that the server reported in a stream or a finished response."""
    detail = _clean_detail(str(message or code or mark("no reason given")), target)
    kind = f"{code or ''} {detail}"
    if re.search(r"rate.?limit|\b429\b", kind, re.IGNORECASE) or _QUOTA.search(kind):
        return ModelBusy(f"{target.host} is limiting requests: {detail}", "Wait a little and ask again.")
    if _TOO_LONG.search(kind):
        return _too_long()
    return ModelFailed(f"{target.host} reported an error: {detail}", "Ask again.")


def detail_of(body: Any, target: ServerTarget) -> str:
    """Return the message in the body of an error response of any known shape; empty for a web page."""
    if isinstance(body, dict):
        inner = body.get("error")
        if isinstance(inner, dict):
            body = inner
        for name in ("message", "error", "detail"):
            if body.get(name):
                return detail_of(body[name], target)
        return ""
    if isinstance(body, list):
        return "; ".join(detail_of(part.get("msg") if isinstance(part, dict) else part, target) for part in body[:3])
    if not isinstance(body, str) or re.search(r"<(?:!doctype|html|head|body)\b", body, re.IGNORECASE):
        return ""
    return _clean_detail(body, target)


def retry_after(error: openai.APIStatusError) -> float | None:
    """Return the seconds to wait from the response headers; None if they are missing or not a number."""
    for header, divisor in (("retry-after-ms", 1000), ("retry-after", 1)):
        try:
            return float(error.response.headers[header]) / divisor
        except (KeyError, ValueError):
            continue
    return None


def is_quota(error: openai.APIStatusError, target: ServerTarget) -> bool:
    """Return whether a 429 is about quota or billing rather than a temporary rate limit."""
    return bool(_QUOTA.search(f"{error.code or ''} {detail_of(error.body, target)}"))


def lacks_tools(error: openai.APIStatusError, target: ServerTarget) -> bool:
    """Return whether a server refused a request because of the tools in it."""
    if error.status_code not in (400, 404, 422, 500, 501):
        return False
    detail = detail_of(error.body, target)
    if isinstance(error.body, dict) and isinstance(error.body.get("detail"), list):
        # FastAPI reports the field's name separately from the message.
        detail += f" {error.body['detail']}"
    return bool(_NO_TOOLS.search(detail))


def lacks_model(error: openai.APIStatusError, target: ServerTarget) -> bool:
    """Return whether a server refused a request because the model does not exist, or not for this account."""
    if error.status_code not in (400, 403, 404, 422):
        return False
    return error.code == "model_not_found" or bool(_NO_MODEL.search(detail_of(error.body, target)))


def _status_error(error: openai.APIStatusError, target: ServerTarget) -> ModelError:
    status = error.status_code
    detail = detail_of(error.body, target)
    if lacks_tools(error, target):
        return ModelLacksTools(
            f"{target.host} does not let “{target.model}” call tools: {detail}",
            "Set “Tools” of this profile to “As text”, or choose a model that can call tools.",
        )
    if lacks_model(error, target):
        return _not_found(detail, "model_not_found", target)
    if status == 401 or (status == 403 and (not detail or _ABOUT_KEY.search(detail))):
        if target.key:
            return ModelKeyRefused(f"{target.host} refused the key.", "Check the key of this profile in the settings.")
        return ModelKeyRefused(f"{target.host} requires a key.", "Enter a key for this profile in the settings.")
    if status == 403:
        return ModelAccessDenied(
            f"{target.host} does not let you use it: {detail}", "Check your account there, or use another server."
        )
    if status in (404, 405, 501):
        return _not_found(detail, error.code, target)
    if status == 429:
        return _busy(error, detail, target)
    if 300 <= status < 400:
        place = _clean_detail(error.response.headers.get("location", "").split("?")[0], target) or mark("not named")
        return ModelUnreachable(
            f"{target.base_url} redirects requests to another address ({place}), which is not followed.",
            "If you trust that address, enter it in the profile.",
        )
    if status >= 500 or status == 408:
        return ModelFailed(
            f"{target.host} failed (error {status}): {detail}" if detail else f"{target.host} failed (error {status}).",
            "Wait a little and ask again.",
        )
    if status == 413 or _TOO_LONG.search(f"{error.code or ''} {detail}"):
        return _too_long()
    return ModelRefusedRequest(
        f"{target.host} refused the request: {detail}"
        if detail
        else f"{target.host} refused the request (error {status}).",
        _refusal_hint(error, detail),
    )


def _refusal_hint(error: openai.APIStatusError, detail: str) -> str:
    """Return the hint for a request that a server refused."""
    if _UNKNOWN_FIELD.search(f"{error.code or ''} {detail}"):
        return mark("Choose the other API format in this profile, or update the server.")
    if error.param == "model" or _MODEL.search(detail):
        return mark("Check the model's name in the settings.")
    return mark("The server's log may say more. Another model or wire format in this profile may work.")


def _not_found(detail: str, code: str | None, target: ServerTarget) -> ModelNotFound:
    if code == "model_not_found" or _MODEL.search(detail):
        return ModelNotFound(
            f"{target.host} has no model named “{target.model}” ({detail})."
            if detail
            else f"{target.host} has no model named “{target.model}”.",
            "Choose a model that the server offers, in the settings.",
        )
    return ModelNotFound(
        f"No model answers at {target.base_url} ({detail})." if detail else f"No model answers at {target.base_url}.",
        "Check the address of this profile in the settings: it usually ends in /v1.",
    )


def _busy(error: openai.APIStatusError, detail: str, target: ServerTarget) -> ModelBusy:
    if is_quota(error, target):
        return ModelBusy(f"{target.host} says that the quota is used up: {detail}", "Check your account there.")
    seconds = math.ceil(retry_after(error) or 0)
    when = mark(f"Ask again in {seconds} seconds.") if seconds > 1 else mark("Wait a little and ask again.")
    return ModelBusy(
        f"{target.host} is limiting requests: {detail}" if detail else f"{target.host} is limiting requests.", when
    )


def _too_long() -> ModelRefusedRequest:
    return ModelRefusedRequest(
        "Question, passages and conversation together are too long for the model.",
        "Start a new session, lower “Passages per search”, or give the model more context on its server.",
    )


def _not_a_stream(error: NotAStream, target: ServerTarget) -> ModelError:
    detail = detail_of(error.body, target)
    if detail:
        return ModelUnreachable(
            f"{target.base_url} answered with a message instead of a model's answer: {detail}",
            "Check the address of this profile in the settings: it usually ends in /v1.",
        )
    is_page, is_json = "html" in error.content_type, "json" in error.content_type
    what = mark("a web page") if is_page else mark("plain JSON") if is_json else mark("nothing")
    return ModelUnreachable(
        f"{target.base_url} answered with {what} instead of a model's answer.",
        "Check the address of this profile in the settings: it usually ends in /v1.",
    )


def _connection_error(error: BaseException, target: ServerTarget, *, streaming: bool) -> ModelError:
    causes = list(_causes(error))
    if any(isinstance(cause, httpx2.ConnectTimeout) for cause in causes):
        return ModelUnreachable(f"{target.host} does not answer.", f"Check the address {target.base_url}.")
    if any(isinstance(cause, (openai.APITimeoutError, httpx2.TimeoutException)) for cause in causes):
        return ModelFailed(
            f"{target.host} did not respond for too long, so the request was stopped.",
            "The model may be too large for that computer, or the passages too many: try a smaller model.",
        )
    if streaming:
        return ModelStreamCut(
            f"The connection to {target.host} ended before the answer did.",
            "What was written so far is kept. Ask again.",
        )
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
        return ModelUnreachable(
            f"{target.host} shows a certificate that this computer does not trust.",
            "Add it to the system's certificate store.",
        )
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        return ModelUnreachable(f"{target.host} does not support https.", "Begin the address with http:// instead.")
    if any(isinstance(cause, httpx2.RemoteProtocolError | httpx2.ReadError) for cause in causes):
        return ModelUnreachable(
            f"{target.base_url} closed the connection without an answer.",
            "Check the address of this profile in the settings, and the server's own log.",
        )
    return ModelUnreachable(
        f"There is no connection to {target.base_url}.",
        "Check that the server is running and that the address is right.",
    )


def _blocked_by_gate(error: BaseException) -> NetworkClosed | LibraryError | None:
    """Return the error with which the gate blocked a request; None if it did not."""
    return next((cause for cause in _causes(error) if isinstance(cause, NetworkClosed | LibraryError)), None)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _clean_detail(text: str, target: ServerTarget) -> str:
    """Return text for use in a sentence: without the key, on one line, cut at 300 characters."""
    if target.key:
        text = text.replace(target.key, MASK)
    text = " ".join(masked(text).split())
    return text if len(text) <= _LONGEST_DETAIL else f"{text[:_LONGEST_DETAIL]}…"
