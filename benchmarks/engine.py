"""The only place where benchmarks touch seamline: when its API changes, only this file follows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.common import LIMIT

PACKERS = ("optimal", "fill", "decay")


def installed() -> bool:
    return find_spec("seamline") is not None


def target_of(limit: int) -> int:
    """The default recipe's 480 of 512, at any limit."""
    return limit * 15 // 16


def texts(tokenizer: str = "o200k_base", limit: int = LIMIT) -> Callable[[str], list[str]]:
    """The default recipe, rendered: peers hand out strings, so the strings are part of the work."""
    import seamline

    def run(text: str) -> list[str]:
        pieces = seamline.chunk(
            text, tokenizer=tokenizer, target=target_of(limit), limit=limit, media_type="text/markdown"
        )
        return [piece.text for piece in pieces]

    run("# Title\n\nA sentence.\n")  # imports and the vocabulary are part of loading, as they are for the peers
    return run


def chunks(text: str, media_type: str, limit: int = LIMIT, packer: str = "optimal") -> Sequence[Any]:
    import seamline
    from seamline.recipe.recipe import Recipe

    return seamline.chunk(
        text,
        recipe=Recipe(packer=packer),  # type: ignore[arg-type]
        target=target_of(limit),
        limit=limit,
        media_type=media_type,
    )


def audit(pieces: Sequence[Any], limit: int) -> Sequence[Any]:
    import seamline

    return seamline.audit(pieces, limit=limit, tokenizer="o200k_base")


def rules() -> list[str]:
    """Everything the audit looks for."""
    from seamline.cut.audit.audit import RULES

    return list(RULES)


def ids(text: str) -> list[str]:
    """Chunk ids of one document that keeps its name while its text changes."""
    import seamline

    return [piece.id for piece in seamline.chunk(seamline.read(text, id="doc", media_type="text/markdown"))]


def block_parse() -> Callable[[str], object]:
    from seamline.parse.markdown.blocks import parse_blocks

    return parse_blocks


def block_parses() -> tuple[Callable[[str], object], Callable[[str], object] | None]:
    """The block parse in Python, and the compiled one where it was built; None is what that leaves to Python."""
    from seamline import native
    from seamline.parse.markdown.blocks import FENCED
    from seamline.parse.markdown.commonmark import parse_blocks
    from seamline.types import Block

    if native.KERNELS is None:
        return parse_blocks, None
    compiled = native.KERNELS.parse_blocks
    return parse_blocks, lambda text: compiled(text, 0, Block, FENCED)


def document(text: str) -> Any:
    import seamline

    return seamline.read(text + "\n", id="doc", media_type="text/markdown")


def embedder(threads: int = 0, window: int = 256) -> Any:
    """The bundled embedding model on so many cores, 0 for all."""
    from seamline.embed.onnx import OnnxEmbedder, OnnxOptions

    model, tokenizer = model_files()
    return OnnxEmbedder(model, tokenizer, OnnxOptions(window=window), threads=threads or None)


def model_files() -> list[str]:
    """The bundled model and its tokenizer, for those who would run it themselves."""
    from seamline.embed.bundled import FOLDER, MINILM

    return [str(FOLDER / name) for name in MINILM.files]


def sentences(text: str, media_type: str) -> list[str]:
    """The sentences of a document's headings and paragraphs, in order, without those of fewer than three letters."""
    import seamline
    from seamline.text.sentences import sentence_starts

    source = seamline.read(text, id="doc", media_type=media_type)
    found = []
    for block in source.blocks:
        if block.kind in ("heading", "paragraph"):
            starts = [*sentence_starts(source.text, block.start, block.end), block.end]
            found += [source.text[start:end].strip() for start, end in pairwise(starts)]
    return [each for each in found if sum(map(str.isalpha, each)) >= 3]


def vocabulary() -> dict[str, int]:
    """The word pieces of the bundled model with their numbers."""
    from pathlib import Path

    from seamline.embed.static import read_vocabulary

    return read_vocabulary(Path(model_files()[1]))


def word_pieces() -> Callable[[str], list[int]]:
    """The numbers of the pieces of a text, as the static embedder reads it."""
    from seamline.embed.static import UNKNOWN, WordPieces

    return WordPieces(vocabulary(), UNKNOWN)


def static() -> Any:
    """The bundled table of words."""
    from seamline.embed.static import StaticEmbedder

    return StaticEmbedder()


def read(text: str, name: str, media_type: str) -> Any:
    import seamline

    return seamline.read(text, id=name, media_type=media_type)


def read_path(file: Path, **options: Any) -> Any:
    """A document of any format; None where its parser refuses the file."""
    import seamline

    try:
        return seamline.read(file, **options)
    except seamline.SeamlineError:
        return None


def leaves(document: Any, strategy: str, limit: int) -> list[Any]:
    """The chunks of the lowest level."""
    import seamline
    from seamline.recipe.recipe import Recipe

    sizes = {"target": target_of(limit), "limit": limit}
    return [one for one in seamline.chunk(document, recipe=Recipe(strategy=strategy), **sizes) if one.level == 0]


def span(start: int, end: int) -> Any:
    from seamline.types import Span

    return Span(start, end)


def page_text(markup: str) -> str:
    """The text of a web page that is in its chunks."""
    import seamline

    document = seamline.read(markup, id="page", media_type="text/html")
    return "\n".join(document.text[piece.start : piece.end] for piece in seamline.chunk(document))
