"""Web pages: how much of the content is kept, and how much of the menus goes, beside trafilatura.

Pages of five kinds (news, docs, wiki, shop, forum) are written here in five ways: with `main`, with `article`, with one
block that is named so, with names that say nothing and a heading above `main`, and without any of these. What is
content and what is not is known from how they are made. Words are counted with repetition. On the last way nothing may
be dropped. The saved page of the data follows: there, content is what an independent reader (html.parser of Python)
finds in the element that the page itself names.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable
from html.parser import HTMLParser
from typing import NamedTuple

from benchmarks import engine
from benchmarks.common import need, options, prose, save, table, verdict

WAYS = ("main", "article", "named", "hard", "none")
LEAST_KEPT, LEAST_DROPPED = 0.99, 0.90
MENU = [
    *("Home", "News", "World", "Business", "Technology", "Sport", "Culture", "Opinion", "Video", "Weather", "Travel"),
    *("Science", "Health", "About us", "Contact", "Jobs", "Help centre", "Imprint", "Privacy policy", "Terms of use"),
    *("Cookie settings", "Newsletter", "Sitemap", "Accessibility", "Press", "Log in", "Sign up"),
]
LANGUAGES = [
    "Deutsch",
    "English",
    "Español",
    "Français",
    "Nederlands",
    "Polski",
    "Svenska",
    "Русский",
    "中文",
    "日本語",
]
INSIDE = ("share-buttons", "navbox", "catlinks", "pagination", "toolbar")
COOKIES = "We use cookies and similar technologies to show you advertisements. Accept all. Reject. Manage your choices."
_WORD = re.compile(r"\w+")


class Page(NamedTuple):
    kind: str
    way: str
    markup: str
    content: list[str]
    menus: list[str]


class Maker:
    """Writes one page and keeps what is content and what is not."""

    def __init__(self, kind: str, way: str, sentences: list[str], seed: int) -> None:
        self.kind, self.way = kind, way
        self.content: list[str] = []
        self.menus: list[str] = []
        self._sentences = sentences
        self._heading = ""
        self._random = random.Random(seed)

    def text(self, count: int) -> str:
        said = " ".join(self._random.sample(self._sentences, count))
        self.content.append(said)
        return said

    def own(self, text: str) -> str:
        self.content.append(text)
        return text

    def title(self, text: str) -> str:
        """The heading of the page, which the hard way has above its content."""
        heading = f"<h1>{self.own(text)}</h1>"
        if self.way != "hard":
            return heading
        self._heading = f"<header class=c7><div>{heading}</div></header>"
        return ""

    def menu(self, labels: list[str], *, tag: str, name: str) -> str:
        self.menus += labels
        items = "".join(f'<li><a href="/{n}">{label}</a></li>' for n, label in enumerate(labels))
        opening = tag if self.way != "none" else "div"
        if self.way == "hard":  # names that a build made up; what is inside the content says what it is
            opening, name = (tag, name) if tag in ("nav", "aside") or name in INSIDE else ("div", "css-1x9k2")
        return f'<{opening} class="{name}"><ul>{items}</ul></{opening}>'

    def note(self, text: str, name: str) -> str:
        self.menus.append(text)
        return f'<div class="{name}"><p>{text}</p><button>OK</button></div>'

    def _lead(self) -> str:
        """Running text beside the content that is none."""
        said = "You are reading the archive of our site, which volunteers keep alive. Please consider a donation."
        self.menus.append(said)
        return f"<div class=css-3><p>{said}</p></div>"

    def frame(self, body: str, *, inside: str = "") -> str:
        """A whole page; `inside` stands in the content and is none."""
        head = self.menu(self._random.sample(MENU, 14), tag="nav", name="top-links")
        side = self.menu(self._random.sample(MENU, 9), tag="aside", name="sidebar")
        foot = self.menu(self._random.sample(MENU, 12), tag="footer", name="site-footer")
        other = self.menu(LANGUAGES, tag="nav", name="languages")
        banner = self.note(COOKIES, "cookie-banner")
        lead = self._lead() if self.way == "hard" else ""
        opening, close = {
            "main": ("<main>", "</main>"),
            "article": ("<div class='wrap'><article>", "</article></div>"),
            "named": ('<div id="content">', "</div>"),
            "hard": (f"{self._heading}<div class=css-8>{lead}<main class=css-9>", "</main></div>"),
            "none": ("<div class='x1'>", "</div>"),
        }[self.way]
        return (
            f"<!doctype html><html lang=en><head><title>A page</title></head><body>{banner}<div class=top>{head}{other}"
            f"</div><div class=middle>{side}{opening}{body}{inside}{close}</div>{foot}</body></html>"
        )


def news(page: Maker) -> str:
    paragraphs = "".join(f"<p>{page.text(3)}</p>" for _ in range(6))
    quote = f"<blockquote><p>{page.text(1)}</p><footer>{page.own('A spokeswoman')}</footer></blockquote>"
    share = page.menu(["Share", "Tweet", "Copy link", "Print"], tag="div", name="share-buttons")
    related = page.menu(["More on this story", "Ten things we learnt", "Live updates"], tag="aside", name="related")
    picture = f"<figure><img src=a.jpg alt='{page.own('A harbour')}'><figcaption>{page.text(1)}</figcaption></figure>"
    title = f"{page.title('Harbour opens after storm')}<p class=byline>{page.own('By our reporter')}</p>"
    return page.frame(f"{title}{share}{picture}{paragraphs}{quote}", inside=related)


def docs(page: Maker) -> str:
    crumbs = page.menu(["Docs", "Guides", "Install"], tag="nav", name="breadcrumbs")
    contents = page.menu(["On this page", "Requirements", "Steps", "Problems"], tag="nav", name="toc")
    note = f"<aside class='admonition note'><p>{page.text(2)}</p></aside>"
    code = f"<pre><code>{page.own('pip install seam')}</code></pre>"
    rows = "".join(f"<tr><td>{page.own(f'option{n}')}</td><td>{page.text(1)}</td></tr>" for n in range(5))
    head = f"<tr><th>{page.own('Name')}</th><th>{page.own('Meaning')}</th></tr>"
    parts = "".join(f"<h2>{page.own(f'Step {n}')}</h2><p>{page.text(3)}</p>" for n in range(4))
    pager = page.menu(["Previous: Overview", "Next: Configure"], tag="nav", name="pagination")
    return page.frame(
        f"{crumbs}{contents}<h1>{page.own('Install')}</h1>{note}{code}<table>{head}{rows}</table>{parts}{pager}"
    )


def wiki(page: Maker) -> str:
    hat = f"<div class='hatnote'>{page.own('This page is about the bird.')}</div>"
    links = f"<p>{page.text(2)} <a href=/a>{page.own('Waterfowl')}</a> {page.text(1)}</p>"
    parts = "".join(f"<h2>{page.own(f'Part {n}')}</h2><p>{page.text(4)}</p>" for n in range(4))
    also = "".join(f"<li><a href=/{n}>{page.own(f'See {n}')}</a></li>" for n in range(4))
    box = page.menu(["Birds", "Reptiles", "Mammals", "Fishes", "Insects", "Amphibians"], tag="div", name="navbox")
    tags = page.menu(["Ducks", "Game birds", "Hidden categories"], tag="div", name="catlinks")
    more = f"<h2>{page.own('See also')}</h2><ul>{also}</ul>"
    return page.frame(f"{page.title('Duck')}{hat}{links}{parts}{more}", inside=box + tags)


def shop(page: Maker) -> str:
    price = f"<p class=price>{page.own('EUR 49.90, delivery in 3 days')}</p><p>{page.text(2)}</p>"
    facts = "".join(f"<dt>{page.own(f'Fact {n}')}</dt><dd>{page.text(1)}</dd>" for n in range(4))
    reviews = "".join(f"<div class=review><p>{page.text(2)}</p></div>" for _ in range(4))
    others = page.menu(["Kettle blue", "Kettle red", "Teapot", "Filter", "Cups"], tag="aside", name="recommended")
    letter = page.note("Subscribe to our newsletter and save ten percent on your next order.", "newsletter")
    return page.frame(f"{page.title('Kettle, green')}{price}<dl>{facts}</dl>{reviews}", inside=others + letter)


def forum(page: Maker) -> str:
    posts = ""
    for n in range(6):
        quote = f"<blockquote><p>{page.text(1)}</p></blockquote>"
        posts += f"<div class=post><h3>{page.own(f'user{n}')}</h3><p>{page.text(2)}</p>{quote}</div>"
    pages = page.menu(["1", "2", "3", "Next page"], tag="div", name="pagination")
    actions = page.menu(["Reply", "Quote", "Report", "Follow topic"], tag="div", name="toolbar")
    return page.frame(f"{page.title('My pump does not start')}{actions}{posts}", inside=pages)


KINDS: dict[str, Callable[[Maker], str]] = {"news": news, "docs": docs, "wiki": wiki, "shop": shop, "forum": forum}


def make(kind: str, way: str, sentences: list[str], seed: int) -> Page:
    maker = Maker(kind, way, sentences, seed)
    markup = KINDS[kind](maker)
    return Page(kind, way, markup, maker.content, maker.menus)


def words(texts: list[str]) -> Counter[str]:
    return Counter(word.lower() for text in texts for word in _WORD.findall(text))


def score(page: Page, got: str) -> tuple[float, float]:
    """The shares of content words that are kept, and of menu words that are not."""
    content, menus, found = words(page.content), words(page.menus), words([got])
    kept = (content & found).total() / max(content.total(), 1)
    left = (menus & (found - content)).total() / max(menus.total(), 1)
    return kept, 1 - left


class SavedPage(HTMLParser):
    """The words of a saved page inside and outside of one element, by its id."""

    VOID = frozenset(
        ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
    )
    SKIPPED = frozenset(("script", "style", "noscript", "template"))

    def __init__(self, name: str, beside: tuple[str, ...]) -> None:
        super().__init__()
        self.content: list[str] = []
        self.menus: list[str] = []
        self._name, self._beside = name, beside
        self._stack: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self.VOID:
            return
        given = dict(attrs)
        role = self._stack[-1][1] if self._stack else "menu"
        names = (given.get("class") or "").split()
        if tag in self.SKIPPED or "display:none" in (given.get("style") or ""):
            role = "none"
        elif given.get("id") == self._name or tag == "h1":
            role = "content"
        elif role == "content" and any(one in names for one in self._beside):
            role = "menu"
        self._stack.append((tag, role))

    def handle_endtag(self, tag: str) -> None:
        while self._stack and any(one == tag for one, _ in self._stack):
            if self._stack.pop()[0] == tag:
                return

    def handle_data(self, data: str) -> None:
        role = self._stack[-1][1] if self._stack else "none"
        if any(tag in ("head",) for tag, _ in self._stack):
            return
        if role == "content":
            self.content.append(data)
        elif role == "menu":
            self.menus.append(data)


def trafilatura_text(markup: str) -> str:
    import trafilatura

    return trafilatura.extract(markup, include_comments=True, include_tables=True, favor_recall=True) or ""


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--pages", type=int, default=8, metavar="N", help="pages of each kind and way")
    args = parser.parse_args()
    sentences = [one for sample in prose(args.data)[:6] for one in re.findall(r"[A-Z][^.!?\n]{40,160}\.", sample.text)][
        :3000
    ]
    ours = engine.page_text
    peers: dict[str, Callable[[str], str]] = {"seamline": ours}
    try:
        import trafilatura  # noqa: F401

        peers["trafilatura"] = trafilatura_text
    except ImportError:
        print("trafilatura is not installed: pip install trafilatura")
    rows, results, failed = [], [], False
    made = {(k, w): [make(k, w, sentences, n) for n in range(args.pages)] for k in KINDS for w in WAYS}
    saved = need(args.data / "documents" / "html" / "wiki_duck.html").read_text(encoding="utf-8")
    reader = SavedPage("mw-content-text", ("navbox", "noprint", "mw-editsection", "catlinks", "printfooter"))
    reader.feed(saved)
    made["wiki_duck.html", "main"] = [Page("saved", "main", saved, reader.content, reader.menus)]
    for (kind, way), pages in made.items():
        row: list[object] = [f"{kind}, {way}"]
        for who, read in peers.items():
            scores = [score(page, read(page.markup)) for page in pages]
            kept, dropped = (min(one[i] for one in scores) for i in (0, 1))
            row += [f"{kept:.1%}", f"{dropped:.1%}"]
            results.append({"page": kind, "way": way, "who": who, "kept": kept, "dropped": dropped})
            if who == "seamline":
                ok = kept >= LEAST_KEPT and (dropped >= LEAST_DROPPED if way != "none" else kept > 0.999)
                failed = failed or not ok
        rows.append((*row, verdict(ok)))
    headers = ["page (worst of its kind)"]
    for who in peers:
        headers += [f"{who} kept", "dropped"]
    print(table((*headers, "bar"), rows))
    save(args.json, "pages", results)
    if failed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
