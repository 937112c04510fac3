"""Multipart forms, held in memory: no temporary file, no field that was not asked for."""

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from email.message import Message

from fastapi import Request
from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from app.errors import MalformedBody
from ml.errors import Fault

FORM = "multipart/form-data"
_MOST_FIELD_BYTES = 1024
_MOST_FIELDS = 20


@dataclass(frozen=True, slots=True)
class Form:
    """The fields of a form: short texts and files."""

    texts: dict[str, str]
    files: dict[str, bytes]


class _InMemoryParser(MultiPartParser):
    # Beyond this size starlette writes to the disk; the limit on bodies comes long before.
    spool_max_size = 2**62


def is_form(request: Request) -> bool:
    """Say whether a request declares a multipart form."""
    declared = Message()
    declared["content-type"] = request.headers.get("content-type", "")
    return declared.get_content_type() == FORM


def _list_nothing(_: Form) -> list[Fault]:
    return []


async def read_form(
    request: Request,
    texts: Collection[str],
    files: Collection[str],
    list_others: Callable[[Form], list[Fault]] = _list_nothing,
) -> Form:
    """Read a form that has only the named fields, each once.

    ``list_others`` says what else is wrong with a form that is refused for its fields.
    Raises: MalformedBody with every fault; BodyTooLarge through the limit on the stream.
    """
    parser = _InMemoryParser(
        request.headers,
        request.stream(),
        max_files=_MOST_FIELDS,
        max_fields=_MOST_FIELDS,
        max_part_size=_MOST_FIELD_BYTES,
    )
    try:
        form = await parser.parse()
    except (MultiPartException, ValueError) as error:
        raise MalformedBody("The body is not an acceptable multipart form.") from error
    try:
        collected = await _collect(form)
        faults = _list_faults(form, texts, files)
        if faults:
            raise MalformedBody("The form has errors.", [*faults, *list_others(collected)])
        return collected
    finally:
        await form.close()


async def _collect(form: FormData) -> Form:
    texts: dict[str, str] = {}
    files: dict[str, bytes] = {}
    for name, value in form.multi_items():
        if isinstance(value, UploadFile):
            files[name] = await value.read()
        else:
            texts[name] = value
    return Form(texts, files)


def _list_faults(form: FormData, texts: Collection[str], files: Collection[str]) -> list[Fault]:
    faults = []
    for name, value in form.multi_items():
        known = files if isinstance(value, UploadFile) else texts
        if name in texts and name not in known:
            faults.append(Fault(name, "is a text, not a file"))
        elif name in files and name not in known:
            faults.append(Fault(name, "must be sent as a file"))
        elif name not in known:
            faults.append(Fault(name[:40], "is not a known field"))
    counts = Counter(name for name, _ in form.multi_items())
    faults.extend(
        Fault(name[:40], "is given more than once") for name, count in counts.items() if count > 1
    )
    return faults
