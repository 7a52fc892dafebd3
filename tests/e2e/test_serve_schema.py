"""Everything that the OpenAPI document allows is asked: no server errors, no answers that it does not describe."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings

import seamline
from harness.server import RunningServer, bearer, running, tokens
from seamline.server.guard import GuardRules
from seamline.server.limits import ServerLimits
from seamline.server.openapi import OPERATIONS

schemathesis = pytest.importorskip("schemathesis")
FEW = settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
    database=None,
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    folder: Path = tmp_path_factory.mktemp("schema")
    index = seamline.open_index(folder / "kb", config=seamline.IndexConfig(embedder="hash"))
    index.add_many([("a.md", "# Pumps\n\nThe pump is red."), ("b.md", "# Fans\n\nThe fan is loud.")])
    with running({"kb": index}, GuardRules(tokens(), limits=ServerLimits(rate=0))) as server:
        yield server


@pytest.mark.slow
def test_all_that_the_schema_allows(server: RunningServer) -> None:
    schema = schemathesis.openapi.from_url(f"{server.url}/openapi.json")
    checks = [
        schemathesis.checks.not_a_server_error,
        schemathesis.specs.openapi.checks.status_code_conformance,
        schemathesis.specs.openapi.checks.content_type_conformance,
        schemathesis.specs.openapi.checks.response_schema_conformance,
    ]
    asked: dict[str, int] = {}
    answers: dict[int, int] = {}

    def make_check(caller: str) -> Callable[[Any], None]:
        def check(case: Any) -> None:
            response = case.call(headers=bearer(caller))
            case.validate_response(response, checks=checks)
            answers[response.status_code] = answers.get(response.status_code, 0) + 1
            asked[case.path] = asked.get(case.path, 0) + 1

        return check

    for found in schema.get_all_operations():
        operation = found.ok()
        if operation.path.endswith("/events"):  # a stream that has no end
            continue
        for caller in ("write", "tenant"):
            for mode in (schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE):
                try:
                    strategy = operation.as_strategy(generation_mode=mode)
                except schemathesis.errors.InvalidSchema:  # nothing of it can be wrong
                    continue
                _run(make_check(caller), strategy)
    paths = {one.path for one in OPERATIONS} - {"/events", "/openapi.json"}  # it reads the last one itself
    print(f"{sum(asked.values())} requests of {len(asked)} paths: {answers}")
    assert paths <= set(asked)
    assert set(answers) >= {200, 404, 422}
    assert not [line for line in server.log.lines if line["event"] == "failure"]


def _run(check: Callable[[Any], None], strategy: Any) -> None:
    from hypothesis import given
    from hypothesis.errors import Unsatisfiable

    try:
        FEW(given(case=strategy)(check))()
    except Unsatisfiable:  # an operation without parameters has no wrong ones
        return
