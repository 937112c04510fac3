"""A page in Chromium whose every complaint and every request is kept."""

from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Error, Page, Request

_PATIENCE_MS = 120_000


class WatchedPage:
    """Opens addresses of one service and notes what a user must never meet."""

    def __init__(self, context: BrowserContext, address: str, width: int = 1280) -> None:
        self._address = address
        self.complaints: list[str] = []
        self.foreign_requests: list[str] = []
        self.page: Page = context.new_page()
        self.page.set_viewport_size({"width": width, "height": 800})
        self.page.set_default_timeout(_PATIENCE_MS)
        self.page.on("console", self._note_console)
        self.page.on("pageerror", self._note_error)
        self.page.on("request", self._note_request)

    def open(self, path: str) -> Page:
        """Go to a path of the service."""
        self.page.goto(f"{self._address}{path}")
        return self.page

    def _note_console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.complaints.append(message.text)

    def _note_error(self, error: Error) -> None:
        self.complaints.append(str(error))

    def _note_request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        own = f"{parts.scheme}://{parts.netloc}" == self._address
        if not own and parts.scheme not in {"data", "blob"}:
            self.foreign_requests.append(request.url)
