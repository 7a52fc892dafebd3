"""Files that were found lead nowhere before the user trusts them: no text and no key arrives at a service that only an
index or a seamline.toml names. The services are real servers on loopback (`harness.endpoint`) that record
every request; a planted folder is one that another user configuration made."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.endpoint import Endpoint, serving, talking
from seamline.embed.hashing import HashEmbedder

KEY = "sk-plain-secret"
OTHER = "sk-of-the-host"
OWNER = 4242
REMEDY = re.compile(r"run `(seamline trust [^`]+)`")
as_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")


@pytest.fixture
def service() -> Iterator[Endpoint]:
    with serving(HashEmbedder()) as endpoint:
        yield endpoint


@pytest.fixture
def model() -> Iterator[Endpoint]:
    with talking(lambda _: {"texts": ["A text about parcels."], "summary": "A text."}) as endpoint:
        yield endpoint


class User:
    """Somebody at a terminal, with a configuration of their own and a key in the environment."""

    def __init__(self, warm, config: Path, folder: Path) -> None:
        self._warm = warm.at(folder)
        self.config = config
        self.folder = folder
        self.env = {"XDG_CONFIG_HOME": str(config), "SEAMLINE_API_KEY": KEY}

    def __call__(self, *args: str, **env: str):
        return self._warm(*args, env={**self.env, **env})

    def at(self, folder: Path) -> User:
        return User(self._warm, self.config, folder)

    def do(self, remedy: str):
        """What a message says to run."""
        return self(*shlex.split(remedy)[1:])


@pytest.fixture
def user(warm, tmp_path: Path, write) -> User:
    write("docs/guide.md")
    return User(warm, tmp_path / "config", tmp_path / "docs")


@pytest.fixture
def planted(user: User, tmp_path: Path, service: Endpoint) -> User:
    """A folder with an index that names the service, as somebody else made it."""
    somebody = User(user._warm, tmp_path / "elsewhere", user.folder)
    ended = somebody("index", ".", "--embedder", f"openai:hash@{service.url}", "--quiet")
    assert ended.code == 0, ended.err
    service.asked.clear()
    return user


def keys(endpoint: Endpoint) -> set[str]:
    return {asked.headers.get("authorization", "") for asked in endpoint.asked}


def variable(endpoint: Endpoint) -> str:
    return "SEAMLINE_API_KEY_127_0_0_1_" + endpoint.url.split(":")[2].removesuffix("/v1")


def remedy(ended) -> str:
    assert ended.code == 2, (ended.out, ended.err)
    found = REMEDY.search(ended.err)
    assert found, ended.err
    return found[1]


# --- an index that was found -----------------------------------------------------------------------------------------

ASKING = [
    ("search", "parcels"),
    ("search", "parcels", "--legs", "dense", "--json"),
    ("context", "parcels"),
    ("index", "."),
    ("index", ".", "--limit", "512"),
    ("search", "parcels", "--index", ".seamline"),
    ("search", "parcels", "--api-key-env", "SEAMLINE_API_KEY"),
]
NOT_ASKING = [
    ("stats",),
    ("stats", "--json"),
    ("doctor",),
    ("doctor", "--verify"),
    ("search", "parcels", "--legs", "bm25"),
    ("trust", "."),
]


@pytest.mark.parametrize("command", ASKING, ids=" ".join)
def test_a_service_that_only_an_index_names_gets_nothing(planted: User, service: Endpoint, command) -> None:
    (planted.folder / "new.md").write_text("# New\n\nA text that is not indexed yet.\n", encoding="utf-8")
    ended = planted(*command)
    assert service.asked == []
    assert ended.code == 2
    assert f"expected a service that you named or trust, got {service.url} from the index .seamline" in ended.err
    assert "nothing was sent" in ended.err
    assert KEY not in ended.err
    assert remedy(ended) == f"seamline trust {os.path.realpath(planted.folder)} {service.url}"


@pytest.mark.parametrize("command", NOT_ASKING, ids=" ".join)
def test_what_needs_no_vectors_works_and_asks_nothing(planted: User, service: Endpoint, command) -> None:
    ended = planted(*command)
    assert ended.code == 0, ended.err
    assert service.asked == []


def test_a_citation_is_resolved_without_the_service(planted: User, service: Endpoint) -> None:
    found = json.loads(planted("search", "parcels", "--legs", "bm25", "--json").out)["hits"][0]["citations"][0]
    ended = planted("cite", f"{found['id']}@{found['version']}", "--json")
    assert (ended.code, json.loads(ended.out)["status"]) == (0, "current")
    assert service.asked == []


def test_the_command_of_the_message_is_the_one_that_allows_it(planted: User, service: Endpoint) -> None:
    assert planted.do(remedy(planted("search", "parcels"))).code == 0
    assert service.asked == []
    ended = planted("search", "parcels", "--json")
    assert ended.code == 0, ended.err
    assert json.loads(ended.out)["hits"]
    assert len(service.asked) == 1
    assert keys(service) == {""}


def test_the_key_of_a_host_goes_to_that_host(planted: User, service: Endpoint) -> None:
    planted("trust", ".", service.url)
    planted("search", "parcels", **{variable(service): OTHER})
    assert keys(service) == {f"Bearer {OTHER}"}
    service.asked.clear()
    planted("search", "parcels", SEAMLINE_API_KEY_127_0_0_1=OTHER)
    assert keys(service) == {f"Bearer {OTHER}"}
    service.asked.clear()
    planted("search", "parcels", **{variable(service) + "0": OTHER, "SEAMLINE_API_KEY_LOCALHOST": OTHER})
    assert keys(service) == {""}


def test_the_key_of_a_host_in_the_configuration_of_the_user(planted: User, service: Endpoint) -> None:
    planted("trust", ".", service.url)
    config = planted.config / "seamline" / "config.toml"
    host = service.url.split("/")[2]
    config.write_text(f'[keys]\n"{host}" = "{OTHER}"\n', encoding="utf-8")
    config.chmod(0o600)
    assert planted("search", "parcels").code == 0
    config.write_text('[keys]\n"127.0.0.1" = { env = "MINE" }\n', encoding="utf-8")
    assert planted("search", "parcels", MINE=OTHER).code == 0
    assert len(service.asked) == 2
    assert keys(service) == {f"Bearer {OTHER}"}


def test_the_plain_key_goes_along_where_the_user_says_so(planted: User, service: Endpoint) -> None:
    assert planted("trust", ".", service.url, "--with-key").out.endswith(f"{service.url}  with SEAMLINE_API_KEY\n")
    planted("search", "parcels")
    assert keys(service) == {f"Bearer {KEY}"}


def test_a_key_that_a_command_names_goes_to_a_trusted_service(planted: User, service: Endpoint) -> None:
    planted("trust", ".", service.url)
    planted("search", "parcels", "--api-key-env", "MINE", MINE=OTHER)
    assert keys(service) == {f"Bearer {OTHER}"}


def test_trust_is_for_one_folder(planted: User, service: Endpoint, tmp_path: Path) -> None:
    planted("trust", ".", service.url)
    shutil.copytree(planted.folder, tmp_path / "copy")
    other = planted.at(tmp_path / "copy")
    assert remedy(other("search", "parcels")) == f"seamline trust {tmp_path / 'copy'} {service.url}"
    assert service.asked == []


def test_trust_is_for_one_service(planted: User, service: Endpoint) -> None:
    with serving(HashEmbedder()) as good:
        assert planted("trust", ".", good.url).code == 0
        assert remedy(planted("search", "parcels")).endswith(service.url)
        assert good.asked == service.asked == []


@pytest.mark.parametrize(
    "change", [("/v1", "/v1/more"), ("/v1", "/v2"), ("http:", "https:"), ("127.0.0.1", "localhost")]
)
def test_trust_is_for_one_path_scheme_and_host(planted: User, service: Endpoint, change: tuple[str, str]) -> None:
    planted("trust", ".", service.url.replace(*change))
    assert planted("search", "parcels").code == 2
    assert service.asked == []


def test_a_link_to_a_trusted_folder_is_that_folder(planted: User, service: Endpoint, tmp_path: Path) -> None:
    planted("trust", ".", service.url)
    (tmp_path / "link").symlink_to(planted.folder)
    assert planted.at(tmp_path)("search", "parcels", "--index", "link/.seamline").code == 0
    assert len(service.asked) == 1


def test_a_trusted_folder_is_not_trusted_through_an_index_elsewhere(
    planted: User, service: Endpoint, tmp_path: Path
) -> None:
    good = tmp_path / "good"
    good.mkdir()
    (good / ".seamline").symlink_to(planted.folder / ".seamline")
    planted.at(good)("trust", str(good), service.url)
    assert planted.at(good)("search", "parcels").code == 2
    assert service.asked == []


def test_an_index_that_the_user_makes_needs_no_other_step(user: User, service: Endpoint) -> None:
    assert user("index", ".", "--embedder", f"openai:hash@{service.url}").code == 0
    service.asked.clear()
    assert user("search", "parcels").code == 0
    assert user("index", ".").code == 0
    assert keys(service) == {f"Bearer {KEY}"}


def test_a_service_that_the_user_names_for_a_planted_index_is_the_users_word(planted: User, service: Endpoint) -> None:
    (planted.folder / "new.md").write_text("# New\n\nA text that is not indexed yet.\n", encoding="utf-8")
    assert planted("index", ".", "--embedder", f"openai:hash@{service.url}").code == 0
    assert keys(service) == {f"Bearer {KEY}"}
    assert planted("search", "parcels").code == 0


def test_another_service_than_that_of_the_index_is_no_trust_in_it(planted: User, service: Endpoint) -> None:
    with serving(HashEmbedder()) as good:
        ended = planted("index", ".", "--embedder", f"openai:hash@{good.url}")
        assert (ended.code, "made with another embedder" in ended.err) == (1, True)
        assert service.asked == []
    assert planted("trust").out == ""


def test_where_trust_cannot_be_recorded_the_user_is_told(user: User, service: Endpoint, tmp_path: Path) -> None:
    (tmp_path / "config").write_text("no folder", encoding="utf-8")
    ended = user("index", ".", "--embedder", f"openai:hash@{service.url}")
    assert ended.code == 0
    assert "notice: what this index may use cannot be recorded" in ended.err
    assert "cannot be written" in ended.err


# --- a seamline.toml that was found ----------------------------------------------------------------------------------


@pytest.fixture
def configured(user: User, write, model: Endpoint) -> User:
    """A folder below one with a seamline.toml that names a language model."""
    text = f'[derive]\nkinds = ["summary"]\nllm = "openai:m@{model.url}"\n'
    write("seamline.toml", text)
    return user


@pytest.mark.parametrize(
    "command", [("chunk", "guide.md"), ("audit", "guide.md"), ("index", ".", "--embedder", "hash")]
)
def test_a_model_that_only_a_found_file_names_gets_nothing(configured: User, model: Endpoint, command) -> None:
    ended = configured(*command)
    assert model.asked == []
    assert f"got {model.url} from {os.path.join('..', 'seamline.toml')}: nothing was sent" in ended.err
    assert remedy(ended) == f"seamline trust {os.path.realpath(configured.folder.parent)} {model.url}"
    assert not (configured.folder / ".seamline").exists()
    assert configured("doctor").code == 0
    assert model.asked == []


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_trusted_model_is_asked_without_the_plain_key(configured: User, model: Endpoint, jobs: str, write) -> None:
    write("docs/other.md")
    configured.do(remedy(configured("chunk", "guide.md")))
    cache = {"XDG_CACHE_HOME": str(configured.config)}
    ended = configured("chunk", "guide.md", "other.md", "--json", "--jobs", jobs, **cache)
    assert ended.code == 0, ended.err
    assert model.asked
    assert keys(model) == {""}
    model.asked.clear()
    anew = {"XDG_CACHE_HOME": str(configured.config / "anew")}
    configured("chunk", "guide.md", "other.md", "--jobs", jobs, **anew, **{variable(model): OTHER})
    assert keys(model) == {f"Bearer {OTHER}"}


@pytest.mark.parametrize(
    "options",
    [
        ("--config", "../seamline.toml"),
        ("--llm", "openai:m@{url}"),
        ("--set", "derive.llm=openai:m@{url}"),
        ("--no-config", "--derive", "summary", "--llm", "openai:m@{url}"),
    ],
    ids=lambda options: options[0],
)
def test_a_model_that_the_user_names_gets_the_plain_key(configured: User, model: Endpoint, options) -> None:
    named = [option.format(url=model.url) for option in options]
    ended = configured("chunk", "guide.md", *named, XDG_CACHE_HOME=str(configured.config))
    assert ended.code == 0, ended.err
    assert keys(model) == {f"Bearer {KEY}"}


def test_naming_one_model_is_no_trust_in_another(configured: User, model: Endpoint) -> None:
    ended = configured("chunk", "guide.md", "--set", "cut.signal=static")
    assert remedy(ended).endswith(model.url)
    assert model.asked == []


def test_the_embedder_of_a_strategy_is_a_service_too(user: User, service: Endpoint, write) -> None:
    write("docs/seamline.toml", f'[cut]\nstrategy = "semantic"\nsignal = "openai:m@{service.url}"\n')
    assert remedy(user("chunk", "guide.md")).endswith(service.url)
    assert remedy(user("audit", "guide.md")).endswith(service.url)
    assert service.asked == []


def test_an_index_made_by_a_trusted_file_is_trusted_as_well(configured: User, model: Endpoint) -> None:
    """The file is in the folder above, so that trust in it is not trust in the folder of the index."""
    cache = {"XDG_CACHE_HOME": str(configured.config)}
    configured("trust", "..", model.url)
    ended = configured("index", ".", "--embedder", "hash", **cache)
    assert ended.code == 0, ended.err
    model.asked.clear()
    (configured.folder / "new.md").write_text("# New\n\nA text that is not indexed yet.\n", encoding="utf-8")
    ended = configured("index", ".", "--no-config", **cache)
    assert ended.code == 0, ended.err
    assert keys(model) == {""}


def test_a_key_goes_to_one_host(user: User, service: Endpoint, model: Endpoint) -> None:
    """Both are named; the plain key is the embedder's, and the language model does not learn it."""
    named = ("--embedder", f"openai:hash@{service.url}", "--derive", "summary", "--llm", f"openai:m@{model.url}")
    ended = user("index", ".", *named, **{variable(model): OTHER})
    assert ended.code == 0, ended.err
    assert (keys(service), keys(model)) == ({f"Bearer {KEY}"}, {f"Bearer {OTHER}"})


# --- files that found files name -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["../outside.json", "{tmp}/outside.json", "link.json"])
def test_a_tokenizer_outside_of_the_folder_is_not_opened(user: User, write, tmp_path: Path, name: str) -> None:
    write("outside.json", "no tokenizer")
    (user.folder / "link.json").symlink_to(tmp_path / "outside.json")
    write("docs/seamline.toml", f'tokenizer = "{name.format(tmp=tmp_path)}"\n')
    ended = user("chunk", "guide.md")
    assert f"got {tmp_path / 'outside.json'} from seamline.toml: it was not opened" in ended.err
    user.do(remedy(ended))
    assert "is not a tokenizer.json" in user("chunk", "guide.md").err


def test_a_tokenizer_inside_of_the_folder_is_read(user: User, write) -> None:
    write("docs/sub/inside.json", "no tokenizer")
    write("docs/seamline.toml", 'tokenizer = "sub/inside.json"\n')
    assert "inside.json is not a tokenizer.json" in user("chunk", "guide.md").err


@pytest.mark.parametrize("name", ["inside.onnx", "../outside.onnx", "inside.onnx?tokenizer=../t.json"])
def test_a_model_file_is_not_opened_wherever_it_is(user: User, write, name: str) -> None:
    for file in ("docs/inside.onnx", "outside.onnx", "t.json"):
        write(file, "no model")
    write("docs/seamline.toml", f'[cut]\nstrategy = "semantic"\nsignal = "{name}"\n')
    ended = user("chunk", "guide.md")
    assert "it was not opened" in ended.err
    user.do(remedy(ended))
    if "?" in name:
        user.do(remedy(user("chunk", "guide.md")))
    assert "it was not opened" not in user("chunk", "guide.md").err


@pytest.mark.parametrize(
    "text", ['tokenizer = "a\\u0000.json"', '[cut]\nsignal = "a\\u0000.onnx"', "[derive]\nllm = 3"]
)
def test_names_that_can_be_no_file_or_model_are_told(user: User, write, text: str) -> None:
    write("docs/seamline.toml", f"{text}\n")
    ended = user("chunk", "guide.md")
    assert (ended.code, "error: " in ended.err, "internal" in ended.err) == (2, True, False), ended.err


def test_a_language_of_ocr_is_no_path(user: User, write) -> None:
    write("docs/seamline.toml", '[parse]\nocr_language = "../../evil"\n')
    ended = user("chunk", "guide.md")
    assert (ended.code, "expected the name of a language" in ended.err) == (2, True)


# --- owners ----------------------------------------------------------------------------------------------------------


@as_root
@pytest.mark.parametrize("given", ["seamline.toml", "."])
def test_a_configuration_of_another_user_is_not_used(user: User, write, given: str) -> None:
    write("docs/seamline.toml", "[budget]\nlimit = 64\n")
    os.chown(user.folder / given, OWNER, OWNER)
    ended = user("chunk", "guide.md")
    assert (ended.code, ended.out) == (2, "")
    assert f"which belongs to user number {OWNER}: it was not used" in ended.err
    assert "failed    seamline.toml" in user("doctor").out
    assert user("chunk", "guide.md", "--no-config").code == 0
    assert user("chunk", "guide.md", "--config", "seamline.toml").code == 0
    assert user("chunk", "guide.md", SUDO_UID=str(OWNER)).code == 0
    assert user("chunk", "guide.md", SUDO_UID="0").code == 2
    user.do(remedy(ended))
    assert user("chunk", "guide.md").code == 0
    assert user("trust", ".", "--owner", "--remove").code == 0
    assert user("chunk", "guide.md").code == 2


@as_root
@pytest.mark.parametrize("given", [".seamline", ".seamline/planted"])
@pytest.mark.parametrize("named", [(), ("--index", ".seamline")], ids=["found", "named"])
def test_an_index_of_another_user_is_not_used(user: User, write, given: str, named: tuple[str, ...]) -> None:
    assert user("index", ".", "--embedder", "hash").code == 0
    write("docs/.seamline/planted", "something")
    os.chown(user.folder / given, OWNER, OWNER)
    for command in (("search", "parcels"), ("stats",), ("index", ".")):
        ended = user(*command, *named)
        assert f"which belongs to user number {OWNER}: it was not used" in ended.err
        assert remedy(ended) == f"seamline trust {os.path.realpath(user.folder)} --owner"
    assert user("doctor", *named).code == 1
    assert user("search", "parcels", *named, SUDO_UID=str(OWNER)).code == 0
    user.do(remedy(ended))
    assert user("search", "parcels", *named).code == 0


@as_root
def test_trust_in_an_owner_is_no_trust_in_a_service(planted: User, service: Endpoint) -> None:
    os.chown(planted.folder / ".seamline", OWNER, OWNER)
    assert planted.do(remedy(planted("search", "parcels"))).code == 0
    assert remedy(planted("search", "parcels")).endswith(service.url)
    assert service.asked == []


# --- what the user trusts --------------------------------------------------------------------------------------------


def test_what_a_folder_names_and_what_is_trusted(planted: User, service: Endpoint, tmp_path: Path) -> None:
    ended = planted("trust", ".")
    assert ended.out == f"refused  {service.url}\n"
    assert ended.lines == [f"seamline: to trust it, run `seamline trust {planted.folder} {service.url}`"]
    assert planted("trust").lines == ["seamline: nothing is trusted; `seamline trust FOLDER` shows what a folder names"]
    assert planted("trust", ".", service.url).out == f"{planted.folder}  {service.url}\n"
    assert planted("trust", ".seamline").out == f"trusted  {service.url}\n"
    row = {"folder": str(planted.folder), "target": service.url, "key": False}
    assert json.loads(planted("trust", "--json").out) == row
    assert json.loads(planted("trust", ".", "--json").out) == {**row, "trusted": True}
    assert f"trusted for {planted.folder}" in planted("doctor").out
    assert planted("trust", ".", "--remove").code == 0
    assert planted("trust").out == ""
    assert (
        f"optional  trust                   {service.url} is not trusted for {planted.folder}" in planted("doctor").out
    )
    assert service.asked == []


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--owner",), 2, "expected a folder beside --owner"),
        (("missing", "https://example.org"), 2, "expected a folder, got missing"),
        ((".", "missing.onnx"), 2, "expected the URL of a service or a file"),
        ((".", "ftp://example.org"), 2, "expected an address like https://"),
        ((".", "https://ada:secret@example.org/v1"), 2, "a key is given apart"),
        ((".", "guide.md", "--with-key"), 2, "a file needs no key"),
        ((".", "--with-key"), 2, "expected the URL of a service"),
        ((".", "https://example.org", "--remove"), 1, "https://example.org/v1 was not trusted for"),
        (("missing", "--remove"), 1, "anything was not trusted for"),
    ],
)
def test_mistakes(user: User, arguments: tuple[str, ...], code: int, message: str) -> None:
    ended = user("trust", *arguments)
    assert (ended.code, message in ended.err, "secret" in ended.err) == (code, True, False), ended.err
    assert user("trust").out == ""


def test_what_is_trusted_is_for_the_user_alone(planted: User, service: Endpoint) -> None:
    planted("trust", ".", service.url)
    (record,) = (planted.config / "seamline" / "trust").iterdir()
    assert record.stat().st_mode & 0o777 == 0o600
    assert record.parent.stat().st_mode & 0o777 == 0o700
    record.chmod(0o620)
    ended = planted("search", "parcels")
    assert (ended.code, "expected that only you can read and change it; run `chmod 600`" in ended.err) == (2, True)
    record.chmod(0o600)
    record.write_text("[]", encoding="utf-8")
    assert "expected what `seamline trust` writes" in planted("search", "parcels").err
    assert service.asked == []


@as_root
def test_trust_that_another_user_recorded_does_not_count(planted: User, service: Endpoint) -> None:
    planted("trust", ".", service.url)
    (record,) = (planted.config / "seamline" / "trust").iterdir()
    os.chown(record, OWNER, OWNER)
    ended = planted("search", "parcels")
    assert (ended.code, f"got one of user number {OWNER}" in ended.err) == (2, True)
    assert service.asked == []


def test_a_configuration_in_the_folder_itself_is_not_the_users(planted: User, service: Endpoint) -> None:
    """A relative XDG_CONFIG_HOME would lead into the folder that is worked on."""
    planted("trust", ".", service.url)
    shutil.copytree(planted.config, planted.folder / "config")
    ended = planted("search", "parcels", XDG_CONFIG_HOME="config", HOME=str(planted.folder / "nobody"))
    assert ended.code == 2
    assert service.asked == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[keys]\n'127.0.0.1' = 3\n", "expected a key or"),
        ("[keys]\n'127.0.0.1' = { env = 'A', more = 1 }\n", "expected a key or"),
        ("keys = 3\n", "expected one table, [keys]"),
        ("[budget]\nlimit = 64\n", "expected one table, [keys], got budget"),
        ("[keys", "expected TOML"),
    ],
)
def test_a_broken_configuration_of_the_user_is_told(planted: User, service: Endpoint, text: str, message: str) -> None:
    planted("trust", ".", service.url)
    config = planted.config / "seamline" / "config.toml"
    config.write_text(text, encoding="utf-8")
    config.chmod(0o600)
    ended = planted("search", "parcels")
    assert (ended.code, message in ended.err) == (2, True), ended.err
    config.chmod(0o644)
    assert "run `chmod 600`" in planted("search", "parcels").err
    assert service.asked == []


def test_a_strange_folder_in_the_message_is_safe_to_paste(user: User, service: Endpoint, tmp_path: Path, write) -> None:
    write("a $(touch pwned)'b/guide.md")
    write("a $(touch pwned)'b/seamline.toml", f'[derive]\nllm = "openai:m@{service.url}/$(id)"\n')
    strange = user.at(tmp_path / "a $(touch pwned)'b")
    words = shlex.split(remedy(strange("chunk", "guide.md")))
    assert words == ["seamline", "trust", str(strange.folder), f"{service.url}/$(id)"]
