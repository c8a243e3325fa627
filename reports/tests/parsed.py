"""A page as a test reads it: its elements, its words, and the text of everything that has an id."""

from html.parser import HTMLParser


class Parsed(HTMLParser):
    """A parsed page: elements with attributes, the visible words, and the text of each element with an id."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.words: list[str] = []
        self.by_id: dict[str, str] = {}
        self.h1 = ""
        self._open: list[tuple[str, str]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.tags.append((tag, found))
        self._open.append((tag, found.get("id", "")))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if any(tag in ("script", "style") for tag, _ in self._open):
            return
        self.words.append(data)
        for tag, name in self._open:
            if name:
                self.by_id[name] = self.by_id.get(name, "") + data
            if tag == "h1":
                self.h1 += data

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def tone(self) -> str:
        return next(a["class"].split()[1] for _, a in self.tags if a.get("class", "").startswith("verdict"))

    def tiles(self) -> list[str]:
        return [a["class"] for _, a in self.tags if a.get("class", "").startswith("tile ")]
