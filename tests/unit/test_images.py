"""Pictures as data, and what a vision model says of them."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from office_files import docx, odf, packed, pptx
from pdf_maker import PageMaker, pdf, rows

import seamline
from harness.endpoint import Reply, completing, said, talking
from seamline.api import read
from seamline.enrich.vision import describe_images
from seamline.errors import ConfigError
from seamline.llm.client import ChatModel
from seamline.parse import parse_bytes
from seamline.protocols import LanguageModel, ModelReply
from seamline.text.figures import find_images
from seamline.types import Document

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg=="
)
PAGE = """# Pumps

![a pump](img/pump.png "side view"){width=300 height=200}

Figure 3: The pump of the north station.

`![no](code.png)`

<figure><img src="img/valve.png" alt="a valve" width="40" height=50><figcaption>The <b>valve</b></figcaption></figure>

```
![in code](code.png)
```

![far](https://example.org/far.png) ![up](../secret.png)
"""


def images(text: str, name: str) -> list[tuple[str, str, str, float, float]]:
    return [one[:5] for one in find_images(parse_bytes(text.encode(), uri=name))]


# --- as data ----------------------------------------------------------------------------------------------------------


def test_pictures_of_markdown_have_address_text_caption_and_size() -> None:
    found = images(PAGE, "a.md")
    assert found[0] == ("img/pump.png", "a pump", "Figure 3: The pump of the north station.", 300, 200)
    assert ("img/valve.png", "a valve", "The valve", 40, 50) in found
    assert not any("in code" in alt for _, alt, *_ in found)


def test_pictures_of_latex_and_rst_have_theirs() -> None:
    latex = "\\documentclass{article}\\begin{document}\n\\begin{figure}\n\\includegraphics[width=120pt]{pump.png}\n"
    latex += "\\caption{The pump}\n\\end{figure}\n\\end{document}\n"
    assert images(latex, "a.tex") == [("pump.png", "", "The pump", 120, 0)]
    rst = "Pumps\n=====\n\n.. image:: pump.png\n   :alt: a pump\n   :width: 300px\n\nText.\n"
    assert images(rst, "a.rst") == [("pump.png", "a pump", "", 300, 0)]


def test_pictures_of_a_web_page_have_theirs() -> None:
    page = "<main><p>Text.</p><figure><img src='a.png' alt='a pump'><figcaption>The pump</figcaption></figure></main>"
    assert [one[:3] for one in images(page, "a.html")] == [("a.png", "a pump", "The pump")]


@pytest.mark.parametrize(
    ("tag", "size"),
    [
        ('<img src="a.png" alt="a pump" width="300" height="200px">', (300, 200)),
        ('<img src="a.png" alt="a pump" style="color:red; width: 120.5px;height:80px">', (120.5, 80)),
        ('<img src="a.png" alt="a pump" width="50%">', (0, 0)),
    ],
)
def test_pictures_of_a_web_page_have_the_size_that_it_gives(tag: str, size: tuple[float, float]) -> None:
    for around in ("<p>{}</p>", "<figure>{}<figcaption>The pump</figcaption></figure>", "<ul><li>{}</li></ul>"):
        (found,) = images(f"<main><p>Text.</p>{around.format(tag)}<p>More.</p></main>", "a.html")
        assert (found[0], found[3:5]) == ("a.png", size)


def test_pictures_of_office_files_have_the_size_they_are_shown_in() -> None:
    blip = '<a:blip r:embed="rI"/>'
    word = docx(
        '<w:p><w:r><w:drawing><wp:inline><wp:extent cx="1270000" cy="635000"/><wp:docPr id="1"'
        ' name="x" descr="A duck"/>'
        f"<a:graphic><a:graphicData><pic:pic><pic:blipFill>{blip}</pic:blipFill></pic:pic></a:graphicData></a:graphic>"
        "</wp:inline></w:drawing></w:r></w:p>",
        targets={"rI": ("image", "media/1.png")},
    )
    slide = (
        f'<p:pic><p:nvPicPr><p:cNvPr id="1" name="x" descr="A duck"/></p:nvPicPr><p:blipFill>{blip}'
        f"</p:blipFill><p:spPr>"
        '<a:xfrm><a:ext cx="1270000" cy="635000"/></a:xfrm></p:spPr></p:pic>'
    )
    slides = pptx([slide], {1: {"rI": ("image", "../media/1.png")}})
    frame = (
        '<text:p><draw:frame svg:width="100pt" svg:height="50pt"><draw:image xlink:href="Pictures/1.png"/>'
        "<svg:desc>A duck</svg:desc></draw:frame></text:p>"
    )
    for name, data in (("a.docx", word), ("a.pptx", slides), ("a.odt", odf(frame))):
        (found,) = find_images(parse_bytes(data, uri=name))
        assert (found.alt, found.width, found.height) == ("A duck", 100, 50), name


def test_pictures_of_a_document_in_an_archive_have_file_and_size() -> None:
    page = '<p class="title">T</p><p><img src="images/image1.png" alt="" style="width: 40.00px; height: 30.00px;"></p>'
    data = packed({"Doc.html": f"<html><body>{page}</body></html>", "images/image1.png": PNG})
    (found,) = find_images(parse_bytes(data, uri="a.zip"))
    assert (found.uri, found.width, found.height) == ("images/image1.png", 40, 30)


def test_pictures_of_a_pdf_have_their_page_caption_and_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEAMLINE_ISOLATE", "0")
    page = PageMaker().lines(72, 72, rows(4)).picture(72, 150, 272, 250)
    page.text(72, 270, "Figure 1: A grey picture").lines(72, 320, rows(4))
    found = find_images(parse_bytes(pdf(page), uri="a.pdf"))
    assert [(one.uri, one.caption) for one in found] == [("a.pdf#page=1", "Figure 1: A grey picture")]


def test_chunks_know_the_pictures_they_show() -> None:
    recipe = seamline.Recipe(enrich=("images",))
    chunks = seamline.chunk(PAGE, recipe=recipe, filename="a.md")
    shown = [one.uri for chunk in chunks for one in (chunk.facts.images if chunk.facts else None) or ()]
    assert shown == ["img/pump.png", "img/valve.png", "https://example.org/far.png", "../secret.png"]
    record = chunks[0].facts.to_dict() if chunks[0].facts else {}
    assert record["images"][0]["alt"] == "a pump"


# --- described --------------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "docs" / "img").mkdir(parents=True)
    (tmp_path / "secret.png").write_bytes(PNG)
    (tmp_path / "docs" / "img" / "pump.png").write_bytes(PNG)
    (tmp_path / "docs" / "img" / "valve.png").write_bytes(b"no picture")
    (tmp_path / "docs" / "a.md").write_text(PAGE)
    return tmp_path


def describe(document: Document, model: LanguageModel | None) -> Any:
    return describe_images(document, seamline.chunk(document), lambda text: len(text.split()), model)


def test_a_vision_model_writes_a_text_about_the_chunk_with_the_picture(folder: Path) -> None:
    def answer(body: Mapping[str, Any]) -> dict[str, Any]:
        return said('{"description": "A red pump\\n with two valves"}')

    document = read(folder / "docs" / "a.md")
    with completing(answer) as server:
        made = describe(document, ChatModel(server.url, "eyes"))
    [text] = made.derived
    assert (text.kind, text.text, text.model.startswith("openai:eyes")) == (
        "image-description",
        "A red pump with two valves",
        True,
    )
    assert document.text[text.spans[0].start : text.spans[0].end].startswith("![a pump]")
    [asked] = server.asked
    content = asked.body["messages"][-1]["content"]
    assert content[1]["image_url"]["url"] == "data:image/png;base64," + base64.b64encode(PNG).decode()
    assert "Figure 3: The pump of the north station." in content[0]["text"]


def test_what_is_elsewhere_or_no_picture_is_neither_opened_nor_fetched(folder: Path) -> None:
    with completing(lambda _: said('{"description": "x"}')) as server:
        made = describe(read(folder / "docs" / "a.md"), ChatModel(server.url, "eyes"))
    told = {notice.message.split(":")[0]: notice.message for notice in made.notices}
    assert "nothing is fetched" in told["https"]
    assert "outside the folder" in told["../secret.png"]
    assert "no PNG" in told["img/valve.png"]
    assert len(server.asked) == 1


def test_a_link_out_of_the_folder_is_not_followed(folder: Path) -> None:
    (folder / "docs" / "img" / "pump.png").unlink()
    (folder / "docs" / "img" / "pump.png").symlink_to(folder / "secret.png")
    with completing(lambda _: said('{"description": "x"}')) as server:
        made = describe(read(folder / "docs" / "a.md"), ChatModel(server.url, "eyes"))
    assert not made.derived
    assert not server.asked


def test_an_answer_that_cannot_be_used_is_told(folder: Path) -> None:
    with talking(lambda _: "no JSON", [Reply(400, b'{"error": {"message": "image too large"}}')]) as server:
        made = describe(read(folder / "docs" / "a.md"), ChatModel(server.url, "eyes"))
    assert not made.derived
    assert any(notice.code == "llm-too-long" for notice in made.notices)


def test_without_a_model_it_is_refused_with_the_remedy(folder: Path) -> None:
    with pytest.raises(ConfigError, match=r"none was given: name one by --llm"):
        describe(read(folder / "docs" / "a.md"), None)


def test_a_model_that_reads_no_pictures_is_refused(folder: Path) -> None:
    class Blind:
        name = "blind"

        def complete(self, system: str, prompt: str, schema: Mapping[str, Any]) -> ModelReply:
            raise NotImplementedError

    with pytest.raises(ConfigError, match="reads no pictures"):
        describe(read(folder / "docs" / "a.md"), Blind())
