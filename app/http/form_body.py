"""Reads multipart forms into memory: no temporary files, no unexpected fields."""

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
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
    """The text fields and files of a form, and the names that the files had at the client."""

    texts: dict[str, str]
    files: dict[str, bytes]
    file_names: dict[str, str] = field(default_factory=dict)


class _InMemoryParser(MultiPartParser):
    # Starlette writes larger files to disk; the body limit takes effect long before this size.
    spool_max_size = 2**62


def is_form(request: Request) -> bool:
    """Return whether a request declares a multipart form."""
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
    """Read a form that may contain only the named fields, each once.

    ``list_others`` adds further faults of a form that is refused for its fields.
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
        raise MalformedBody("The request body is not a valid multipart form.") from error
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
    file_names: dict[str, str] = {}
    for name, value in form.multi_items():
        if isinstance(value, UploadFile):
            files[name] = await value.read()
            file_names[name] = value.filename or ""
        else:
            texts[name] = value
    return Form(texts, files, file_names)


def _list_faults(form: FormData, texts: Collection[str], files: Collection[str]) -> list[Fault]:
    faults = []
    for name, value in form.multi_items():
        expected = files if isinstance(value, UploadFile) else texts
        if name in texts and name not in expected:
            faults.append(Fault(name, "must be sent as text, not as a file"))
        elif name in files and name not in expected:
            faults.append(Fault(name, "must be sent as a file"))
        elif name not in expected:
            faults.append(Fault(name[:40], "is not a field of this form"))
    counts = Counter(name for name, _ in form.multi_items())
    faults.extend(
        Fault(name[:40], "appears more than once") for name, count in counts.items() if count > 1
    )
    return faults
