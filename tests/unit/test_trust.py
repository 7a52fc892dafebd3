"""What trust covers, which key goes where, and how a program allows what an index names."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

import seamline
from harness.endpoint import Endpoint, serving
from seamline import IndexConfig, Trust, TrustError
from seamline.embed.hashing import HashEmbedder
from seamline.errors import ConfigError, StoreError
from seamline.recipe.recipe import Recipe
from seamline.trust.access import (
    Access,
    FoundModels,
    access_of_caller,
    admit,
    check_owner,
    covers,
    service_url,
    targets_of_model,
)
from seamline.trust.keys import Keys, personal_key, variables
from seamline.trust.records import TrustRecord, add_record, all_records, records_of, remove_record, trust_folder
from seamline.trust.user_config import own_users

KEY = "sk-secret"


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user who trusts nothing yet."""
    folder = tmp_path / "config"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))
    monkeypatch.setenv("APPDATA", str(folder))
    return folder / "seamline"


@pytest.fixture
def service() -> Iterator[Endpoint]:
    with serving(HashEmbedder()) as endpoint:
        yield endpoint


@pytest.fixture
def planted(tmp_path: Path, service: Endpoint) -> Path:
    """An index that names the service."""
    place = tmp_path / "docs" / ".seamline"
    with seamline.open_index(place, config=IndexConfig(embedder=f"openai:hash@{service.url}")) as index:
        index.add("a.md", "# Parcels\n\nHow parcels are sent.\n")
    service.asked.clear()
    return place


def keys(endpoint: Endpoint) -> set[str]:
    return {asked.headers.get("authorization", "") for asked in endpoint.asked}


# --- a program -------------------------------------------------------------------------------------------------------


def test_a_key_does_not_go_where_only_the_index_says(planted: Path, service: Endpoint) -> None:
    with seamline.open_index(planted, key=KEY) as index:
        assert index.stats().documents == 1
        assert index.search("parcels", options=seamline.SearchOptions(legs="bm25")).hits
        for use in (lambda: index.search("parcels"), lambda: index.context("parcels"), lambda: index.add("b.md", "B")):
            with pytest.raises(TrustError, match="in Python, pass `trust=`"):
                use()
        assert [head.doc for head in index.documents()] == ["a.md"]
    assert service.asked == []


def test_a_program_allows_a_service_for_one_call(planted: Path, service: Endpoint) -> None:
    with seamline.open_index(planted, key=KEY, trust=Trust(services=(service.url,))) as index:
        assert index.search("parcels").hits
    assert keys(service) == {f"Bearer {KEY}"}
    assert all_records() == []
    with seamline.open_index(planted) as index, pytest.raises(TrustError):
        index.search("parcels")


def test_a_shape_that_names_the_service_allows_it(planted: Path, service: Endpoint) -> None:
    with seamline.open_index(planted, key=KEY, config=IndexConfig(embedder=f"openai:hash@{service.url}")) as index:
        assert index.search("parcels").hits
    assert keys(service) == {f"Bearer {KEY}"}


def test_a_shape_that_names_another_does_not(planted: Path, service: Endpoint) -> None:
    with pytest.raises(StoreError, match="another embedder"):
        seamline.open_index(planted, key=KEY, config=IndexConfig(embedder="hash"))
    assert service.asked == []


def test_what_the_user_trusts_counts_for_programs(planted: Path, service: Endpoint) -> None:
    add_record(TrustRecord(trust_folder(planted), service.url))
    with seamline.open_index(planted, key=KEY) as index:
        assert service.asked == []
        assert index.search("parcels").hits
    assert keys(service) == {f"Bearer {KEY}"}


def test_programs_read_no_key_from_the_environment(
    planted: Path, service: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SEAMLINE_API_KEY", *variables(service.url)):
        monkeypatch.setenv(name, KEY)
    for given, sent in (("", {""}), (Keys(personal=True), {f"Bearer {KEY}"})):
        service.asked.clear()
        with seamline.open_index(planted, key=given, trust=Trust(services=(service.url,))) as index:
            index.search("parcels")
        assert keys(service) == sent


def test_vectors_of_other_dimensions_than_the_index_has_are_refused(planted: Path) -> None:
    """Nothing is asked when the index is opened, so the first answer is looked at."""

    class Short(HashEmbedder):
        def embed(self, texts):
            return super().embed(texts)[:, :8]

    settings = seamline.open_index(planted).settings
    assert settings.dimensions == HashEmbedder().dimensions
    with serving(Short()) as other:
        from seamline.embed import load

        embedder = load(f"openai:hash@{other.url}", expected=settings.dimensions)
        assert embedder.dimensions == settings.dimensions
        assert other.asked == []
        with pytest.raises(seamline.ProviderError, match="have 8 dimensions, not 256"):
            embedder.embed(["a"])


def test_a_model_file_that_only_the_index_names_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from seamline.embed.indexed import RefusedEmbedder, embedder_of

    with seamline.open_index(tmp_path / "x", config=IndexConfig(embedder="hash")) as index:
        settings = index.settings
    from dataclasses import replace

    found = replace(settings, embedder=str(tmp_path / "none.onnx"))
    access = admit(FoundModels(str(tmp_path), "the index", (found.embedder,)), Trust(), Keys())
    assert isinstance(embedder_of(found, access), RefusedEmbedder)
    allowed = admit(FoundModels(str(tmp_path), "the index", (found.embedder,)), Trust(files=(found.embedder,)), Keys())
    with pytest.raises(ConfigError, match="no such"):
        embedder_of(found, allowed)


def test_an_index_with_a_tokenizer_elsewhere_reads_it_only_if_trusted(tmp_path: Path) -> None:
    place = tmp_path / "docs" / ".seamline"
    made = IndexConfig(Recipe(tokenizer="estimate"), "hash")
    with seamline.open_index(place, config=made) as index:
        index.add("a.md", "# A\n\nText.\n")
    outside = str(tmp_path / "t.json")
    found = FoundModels(trust_folder(place), "the index", (outside,))
    with pytest.raises(TrustError, match="it was not opened"):
        admit(found, Trust(), Keys()).require(outside)
    admit(found, Trust(files=(outside,)), Keys()).require(outside)
    inside = str(tmp_path / "docs" / "t.json")
    admit(FoundModels(trust_folder(place), "the index", (inside,)), Trust(), Keys()).require(inside)


# --- addresses -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "form"),
    [
        ("https://Example.ORG", "https://example.org/v1"),
        ("https://example.org:443/v1/", "https://example.org/v1"),
        ("http://example.org:443/v1", "http://example.org:443/v1"),
        ("http://127.0.0.1:80/x/y", "http://127.0.0.1/x/y"),
        ("http://[::1]/v1", "http://[::1]/v1"),
        ("http://[::1]:8080/v1", "http://[::1]:8080/v1"),
    ],
)
def test_an_address_has_one_form(given: str, form: str) -> None:
    assert service_url(given) == form
    assert service_url(form) == form


@pytest.mark.parametrize(
    ("trusted", "target", "covered"),
    [
        ("https://h/v1", "https://h/v1", True),
        ("https://h/v1", "https://h/v1/embeddings", True),
        ("https://h/v1", "https://h/v10", False),
        ("https://h/v1", "https://h/v1/../admin", False),
        ("https://h/v1", "https://h/v1/%2e%2e/admin", False),
        ("https://h/v1", "https://h/v1/..%5cadmin", False),
        ("https://h/v1/a", "https://h/v1", False),
        ("https://h/v1", "http://h/v1", False),
        ("https://h/v1", "https://h:8443/v1", False),
        ("https://h/v1", "https://h.evil/v1", False),
        ("/models/a.onnx", "/models/a.onnx", True),
        ("/models", "/models/a.onnx", False),
        ("owner", "https://h/v1", False),
    ],
)
def test_what_trust_covers(trusted: str, target: str, covered: bool) -> None:
    assert covers(trusted, target) is covered


def test_where_names_lead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    here = os.path.realpath(tmp_path)
    for name in ("minilm", "static", "hash", "o200k_base", "estimate"):
        assert targets_of_model(name) == ((), (), (), ())
    assert targets_of_model("openai:m").services == ("https://api.openai.com/v1",)
    assert targets_of_model("openai:m@https://h/v1?dimensions=8").services == ("https://h/v1",)
    assert targets_of_model("a/b.ONNX?pooling=cls") == ((), (f"{here}/a/b.ONNX",), (), ())
    assert targets_of_model("a/b.onnx?tokenizer=c/t.json") == ((), (f"{here}/a/b.onnx",), (f"{here}/c/t.json",), ())
    assert targets_of_model("c/t.json") == ((), (), (f"{here}/c/t.json",), ())
    # Read as a service by one loader and as a file by the other: both need trust.
    assert targets_of_model("openai:m@https://h/x.onnx")[:2] == (
        ("https://h/x.onnx",),
        (f"{here}/openai:m@https:/h/x.onnx",),
    )


# --- keys ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "names"),
    [
        ("https://api.openai.com/v1", ("SEAMLINE_API_KEY_API_OPENAI_COM",)),
        ("https://api-openai.com/v1", ("SEAMLINE_API_KEY_API__OPENAI_COM",)),
        ("http://127.0.0.1:8080/v1", ("SEAMLINE_API_KEY_127_0_0_1_8080", "SEAMLINE_API_KEY_127_0_0_1")),
        ("https://h:443/v1", ("SEAMLINE_API_KEY_H",)),
        ("http://[::1]:8080/v1", ()),
        ("https://a_b/v1", ()),
    ],
)
def test_the_variables_of_a_host(url: str, names: tuple[str, ...]) -> None:
    assert variables(url) == names


def test_a_key_of_the_port_comes_before_that_of_the_host(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config.mkdir(parents=True)
    file = config / "config.toml"
    file.write_text('[keys]\n"H:81" = "c"\nh = "d"\n"[::1]:82" = "e"\n', encoding="utf-8")
    file.chmod(0o600)
    monkeypatch.setenv("SEAMLINE_API_KEY_H_80", "a")
    monkeypatch.setenv("SEAMLINE_API_KEY_G", "b")
    found = [
        personal_key(url) for url in ("https://h:80", "https://g:80", "https://h:81", "https://h", "http://[::1]:82")
    ]
    assert found == ["a", "b", "c", "d", "e"]
    assert personal_key("https://i") == ""


def admitted(trust: Trust, given: Keys, *names: str) -> Access:
    return admit(FoundModels("/nowhere", "a file", names), trust, given, names)


A, B = "openai:m@https://a/v1", "openai:m@https://b/v1"


@pytest.mark.parametrize(
    ("trust", "given", "expected"),
    [
        (Trust(), Keys(plain=KEY), {}),
        (Trust(services=("https://b",)), Keys(plain=KEY), {"b": KEY}),
        (Trust(services=("https://b", "https://a")), Keys(plain=KEY), {"a": KEY}),
        (Trust(), Keys(given=KEY), {"a": KEY}),
        (Trust(services=("https://b",)), Keys("given", KEY), {"a": "given", "b": KEY}),
        (Trust(services=("https://a",)), Keys("given", KEY), {"a": "given"}),
    ],
)
def test_a_key_without_a_host_goes_to_one(trust: Trust, given: Keys, expected: dict[str, str]) -> None:
    assert admitted(trust, given, A, B).keys == expected


def test_keys_are_not_shown() -> None:
    access = access_of_caller([A, B], KEY)
    assert (access.key(A), access.key(B)) == (KEY, "")
    assert KEY not in repr(access) + repr(Keys(KEY, KEY))
    assert pickle.loads(pickle.dumps(access)) == access


def test_the_models_of_a_recipe_do_not_share_a_key() -> None:
    from harness.endpoint import talking
    from seamline.pipeline import make_runtime

    with serving(HashEmbedder()) as other, talking(lambda _: {"n": 1}) as model:
        recipe = Recipe(llm=f"openai:m@{model.url}", signal=f"openai:m@{other.url}")
        parts = make_runtime(recipe, access=access_of_caller([recipe.llm, recipe.signal], KEY))
        parts.embedder.embed(["a"])
        assert parts.llm is not None
        parts.llm.complete("system", "prompt", {"type": "object"})
        assert (keys(model), keys(other)) == ({f"Bearer {KEY}"}, {""})


# --- records and owners ----------------------------------------------------------------------------------------------


def test_records_come_and_go(tmp_path: Path) -> None:
    one, two = TrustRecord(str(tmp_path), "https://a/v1", key=True), TrustRecord(str(tmp_path / "ü"), "owner")
    for record in (one, two, one):
        add_record(record)
    assert all_records() == [one, two]
    assert records_of(str(tmp_path)) == [one]
    remove_record(one)
    remove_record(one)
    assert all_records() == [two]


def test_an_index_and_the_file_beside_it_are_one_folder(tmp_path: Path) -> None:
    (tmp_path / "docs" / ".seamline").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "docs" / ".seamline")
    real = os.path.realpath(tmp_path / "docs")
    assert {trust_folder(tmp_path / name) for name in ("docs", "docs/.seamline", "link")} == {real}
    assert trust_folder("postgresql://ada@h/db") == "postgresql://ada@h/db"


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owner by number")
def test_whose_files_are_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / ".seamline"
    place.mkdir()
    real = os.stat(place).st_uid
    check_owner(place)
    monkeypatch.setattr(os, "geteuid", lambda: 4242)
    if real == 0:
        check_owner(place)  # files of root are used: root can change everything anyway
        os.chown(place, 4343, -1)
    with pytest.raises(TrustError, match="expected files of your own"):
        check_owner(place)
    monkeypatch.setenv("SUDO_UID", str(os.stat(place).st_uid))
    with pytest.raises(TrustError):  # the variable counts for root alone
        check_owner(place)
    check_owner(place, Trust(owner=True))
    check_owner(tmp_path / "missing")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    check_owner(place)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owner by number")
@pytest.mark.parametrize("given", ["", "x", "-1", "٣", "9" * 30])
def test_a_strange_caller_of_sudo_is_nobody(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setenv("SUDO_UID", given)
    assert own_users() == {0}


def test_where_files_have_no_owner_nothing_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "geteuid", raising=False)
    assert own_users() == frozenset()
    check_owner(tmp_path)
