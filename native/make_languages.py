"""Writes src/seamline/enrich/models/languages.npy from the model of py3langid: `python native/make_languages.py`.

The model is the same, in another form. Its automaton of 104,583 states is the tree it was built from, with links back,
instead of a table of 256 moves a state; its weights are those that differ from the least one of their language, a
sixth of all. That is 9 MB as they are used, instead of 68 MB that have to be unpacked first.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from py3langid.langid import MODEL_FILE, LanguageIdentifier

FILE = Path(__file__).parents[1] / "src/seamline/enrich/models/languages.npy"


def tree(moves: Any, rows: Any, outputs: Any) -> list[Any]:
    """Of each state, in the order of their depth: its first child, its link back, its feature and its byte. One more
    stands at the end, with the end of the children."""
    order, label, back, first = [0], [0], [0], []
    number = {0: 0}
    for at, state in enumerate(order):  # which grows
        first.append(len(order))
        for byte, target in enumerate(moves[rows[state]].tolist()):
            if target not in number:
                number[target] = len(order)
                order.append(target)
                label.append(byte)
                back.append(number[int(moves[rows[order[back[at]]]][byte])] if at else 0)
    states = np.array(order)
    first.append(len(order))
    proved(moves, rows, states, np.array(label), np.array(first), np.array(back))
    features = np.asarray(outputs)[states]
    columns = [first, [*back, 0], [*features.tolist(), -1], [*label, 0]]
    return [np.array(columns, np.int32).T.copy()]


def proved(moves: Any, rows: Any, states: Any, label: Any, first: Any, back: Any) -> None:
    """Raise unless the automaton moves to a child, or else as the state does that it links back to."""
    for at in range(1, len(states)):
        mine, other = moves[rows[states[at]]], moves[rows[states[back[at]]]]
        differs = np.flatnonzero(mine != other)
        if not set(differs.tolist()) <= set(label[first[at] : first[at + 1]].tolist()):
            raise SystemExit(f"state {at} is not one of such a tree")


def weights(table: Any) -> list[Any]:
    """Where the weights of each feature start, their languages, how far they are above the least weight of their
    language in steps of 1/512, and the least weights."""
    least = table.min(axis=0)
    features, languages = np.nonzero(table != least)
    starts = np.searchsorted(features, np.arange(len(table) + 1)).astype(np.uint32)
    steps = 512 * (table.astype(float) - least)[features, languages]
    if steps.max() >= 1 << 16 or (steps != np.round(steps)).any():
        raise SystemExit("the weights of this model cannot be written so")
    return [starts, languages.astype(np.uint8), steps.astype(np.uint16), least]


def main() -> None:
    model = LanguageIdentifier.from_model_file(MODEL_FILE)
    moves = np.frombuffer(model.tk_nextmove, np.uint32).reshape(-1, 256)
    FILE.parent.mkdir(exist_ok=True)
    with FILE.open("wb") as file:
        for array in (
            *tree(moves, list(model.tk_row), model.tk_output),
            *weights(model.nb_ptc),
            model.nb_pc,
            np.array(model.nb_classes),
        ):
            np.save(file, array)
            print(array.dtype, array.shape)


if __name__ == "__main__":
    main()
