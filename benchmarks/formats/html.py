"""HTML: is the tree that of html5lib, are all words of a page there, and what does it cost beside the bare parse.

Pages are those of `documents/html` and the chapters of `documents/epub`. Judged: the same elements in the same order as
html5lib; at least as many of the words that a browser shows as the best peer finds. CPU time beside turbohtml's pass
over the same source and words without menus beside trafilatura are shown, not judged: there is no bar for the one and
no truth for the other.
"""

from __future__ import annotations

import re
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.common import need, options, save, table, verdict
from seamline.parse.html.page import parse
from seamline.parse.parser_types import ParseInput
from seamline.recipe.recipe import ParseOptions

ROUNDS = 15
_WORD = re.compile(r"\w+")
_NO_BREAK = "a abbr b bdi cite code em font i label q s small span strong sub sup time u wbr"
_INLINE = frozenset(_NO_BREAK.split())
_UNSEEN = ("script", "style", "template", "noscript")


class Page(NamedTuple):
    name: str
    markup: str


def pages(data: Path) -> Iterator[Page]:
    for path in sorted(need(data / "documents" / "html").iterdir()):
        yield Page(path.name, path.read_text(encoding="utf-8"))
    for path in sorted(need(data / "documents" / "epub").iterdir()):
        with zipfile.ZipFile(path) as book:
            for name in sorted(book.namelist()):
                if name.endswith(".xhtml"):
                    yield Page(f"{path.stem}/{Path(name).name}", book.read(name).decode())


def cpu(work: Callable[[], object]) -> float:
    """Seconds of CPU time, the least of many rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.lower()))


def share(found: Counter[str], wanted: Counter[str]) -> float:
    return (found & wanted).total() / max(wanted.total(), 1)


# --- the reference ------------------------------------------------------------------------------------------------


def reference(markup: str) -> Any:
    import html5lib  # type: ignore[import-untyped]

    return html5lib.parse(markup, treebuilder="etree", namespaceHTMLElements=False)


def elements(root: Any) -> list[str]:
    """Tags in document order, without namespaces."""
    return [node.tag.rsplit("}", 1)[-1] for node in root.iter() if isinstance(node.tag, str)]


def shown(root: Any) -> str:
    """All text in the body that is no script and not hidden; blocks are apart from each other, words are not."""
    body = root.find("body")
    out: list[str] = []
    stack = [(body, False)] if body is not None else []
    while stack:
        node, is_done = stack.pop()
        gap = "" if node.tag in _INLINE else " "
        if is_done:
            out += [gap, node.tail or ""]
        elif not _is_hidden(node):
            out += [gap, node.text or ""]
            stack.extend(pair for child in reversed(node) for pair in ((child, True), (child, False)))
    return "".join(out)


def _is_hidden(node: Any) -> bool:
    style = node.get("style", "").replace(" ", "")
    return (
        not isinstance(node.tag, str)
        or node.tag in _UNSEEN
        or node.get("hidden") is not None
        or "display:none" in style
    )


# --- peers --------------------------------------------------------------------------------------------------------


def _ours(markup: str) -> str:
    return parse(ParseInput(b"", markup)).text


def _selectolax(markup: str) -> str:
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(markup)
    tree.strip_tags(list(_UNSEEN))
    return tree.body.text(separator=" ") if tree.body is not None else ""


def _trafilatura(markup: str) -> str:
    from trafilatura import extract

    return str(extract(markup, favor_recall=True, include_comments=True, include_tables=True) or "")


def _turbohtml(markup: str) -> str:
    import turbohtml

    return str(turbohtml.parse(markup).to_markdown())


READERS = {
    "seamline": (_ours, "seamline"),
    "turbohtml to_markdown": (_turbohtml, "turbohtml"),
    "selectolax text": (_selectolax, "selectolax"),
    "trafilatura, all it can": (_trafilatura, "trafilatura"),
}


# --- measures -----------------------------------------------------------------------------------------------------


def trees(found: list[Page]) -> dict[str, Any]:
    import turbohtml

    unlike = [
        page.name
        for page in found
        if [node.tag for node in turbohtml.parse(page.markup).iter_elements()] != elements(reference(page.markup))
    ]
    print(f"trees: {len(found) - len(unlike)} of {len(found)} pages have the elements of html5lib in its order")
    for name in unlike:
        print(f"  differs: {name}")
    return {"pages": len(found), "unlike": unlike, "ok": not unlike}


def recovered(found: list[Page]) -> dict[str, Any]:
    wanted = [words(shown(reference(page.markup))) for page in found]
    rows: list[tuple[object, ...]] = []
    figures = {}
    for name, (read, package) in READERS.items():
        if find_spec(package) is None:
            rows.append((name, "not installed", ""))
            continue
        got = [words(read(page.markup)) for page in found]
        hits = sum((one & other).total() for one, other in zip(got, wanted, strict=True))
        recall = hits / sum(one.total() for one in wanted)
        extra = sum(one.total() for one in got) - hits
        figures[name] = {"recall": recall, "extra": extra}
        rows.append((name, f"{recall:.4f}", extra))
    ok = all(figures["seamline"]["recall"] >= one["recall"] for one in figures.values())
    total = sum(one.total() for one in wanted)
    print(f"\nwords: of {total:,} that a browser shows in the body (html5lib's tree)")
    print(table(("reader", "recall", "words more"), rows))
    return {"readers": figures, "ok": ok}


def speed(found: list[Page]) -> dict[str, Any]:
    import turbohtml

    large = [page for page in found if len(page.markup) >= 10_000]
    rows = []
    ours = bare = 0.0
    size = 0
    for page in large:
        own = cpu(lambda markup=page.markup: parse(ParseInput(b"", markup)))  # type: ignore[misc]
        pass_ = cpu(lambda markup=page.markup: turbohtml.parse(markup, source_locations=True))  # type: ignore[misc]
        ours, bare, size = ours + own, bare + pass_, size + len(page.markup)
        rows.append((page.name, len(page.markup), f"{own * 1e3:.2f}", f"{pass_ * 1e3:.2f}", f"{own / pass_:.2f}"))
    for name, (read, package) in READERS.items():
        if name != "seamline" and find_spec(package) is not None:
            other = sum(cpu(lambda markup=page.markup, read=read: read(markup)) for page in large)  # type: ignore[misc]
            rows.append((name, size, f"{other * 1e3:.2f}", "", f"{other / bare:.1f}"))
    ratio = ours / bare
    markdown = sum(cpu(lambda markup=page.markup: _turbohtml(markup)) for page in large)  # type: ignore[misc]
    print("\nspeed: CPU ms on pages of 10 kB and more, and times turbohtml's bare pass with locations")
    print(table(("page or peer", "characters", "ms", "bare ms", "times"), rows))
    print(f"seamline {size / ours / 1e6:.1f} MB/s, {ratio:.2f} times the bare pass")
    print(f"{ours / markdown:.2f} times turbohtml's parse and to_markdown, which says nothing of places")
    return {"times": ratio, "times_markdown": ours / markdown, "mb_per_s": size / ours / 1e6}


def without_menus(found: list[Page]) -> dict[str, Any]:
    if find_spec("trafilatura") is None:
        return {}
    from trafilatura import extract

    page = max(found, key=lambda one: len(one.markup))
    content = words(extract(page.markup, include_comments=False) or "")
    out = {}
    for mode in ("keep", "remove"):
        got = words(parse(ParseInput(b"", page.markup, reading=ParseOptions(boilerplate=mode))).text)
        precision, recall = share(content, got), share(got, content)
        out[mode] = {"precision": precision, "recall": recall}
    print(f"\nboilerplate on {page.name}, against what trafilatura takes for its content (not judged)")
    print(
        table(
            ("mode", "precision", "recall"), [(mode, *(f"{v:.3f}" for v in one.values())) for mode, one in out.items()]
        )
    )
    return out


def main() -> None:
    arguments = options(__doc__).parse_args()
    found = list(pages(arguments.data))
    figures = {"trees": trees(found), "words": recovered(found)}
    bars = [(name, verdict(bool(one["ok"]))) for name, one in figures.items()]
    figures["speed"] = speed(found)
    figures["boilerplate"] = without_menus(found)
    print()
    print(table(("bar", "verdict"), bars))
    save(arguments.json, "formats.html", figures)
    raise SystemExit(any(word == "FAIL" for _, word in bars))


if __name__ == "__main__":
    main()
