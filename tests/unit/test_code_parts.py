"""Parts of code that is too large: every one is valid by the grammar of its language, however little room there is."""

from __future__ import annotations

import textwrap

import pytest

import seamline
from seamline.cut.split.code_wraps import wrap_of
from seamline.parse import parse_text
from seamline.parse.code import document as code
from seamline.parse.code.languages import BY_NAME
from seamline.recipe.recipe import Recipe
from seamline.types import Budget, Chunk

pytest.importorskip("tree_sitter")


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEAMLINE_ISOLATE", "0")


def cut(source: str, name: str, limit: int) -> list[Chunk]:
    document = parse_text(textwrap.dedent(source).lstrip("\n"), uri=name, media_type="code")
    chunks = seamline.chunk(document, recipe=Recipe(strategy="code", budget=Budget(limit * 15 // 16, limit)))
    assert not seamline.audit(chunks, limit=limit)
    return chunks


def is_valid(text: str, language: str) -> bool:
    return not code._parser(BY_NAME[language]).parse(f"{text}\n".encode()).root_node.has_error


CHAIN = """
    pub fn cli(gctx: &Context) -> Command {
        let usage = build_usage(gctx);
        Command::new("cargo")
            // Subcommands count the order of their arguments on their own.
            .next_display_order(800)
            .allow_external_subcommands(true)
            .override_usage(usage)
            .help_template(cstr!(
                "\\
    Usage: {usage}

    Options:
    {options}

    Commands:
        build    Compile the current package
        check    Analyze the current package and report errors
    "
            ))
            .arg(flag("version", "Print version info and exit").short('V'))
            .arg(
                opt("explain", "Provide a detailed explanation of an error")
                    .value_name("CODE")
                    .global(true),
            )
            .add(Candidates::new(|| {
                let found = read_all(gctx);
                found.into_iter().map(|flag| flag.name).collect()
            }))
    }
"""
ARMS = """
    fn describe(reason: &Reason, units: &Units) -> String {
        match reason {
            Reason::Settings => "settings changed".to_string(),
            Reason::Status(status) => match status {
                Status::Stale => "status stale".to_string(),
                Status::Item(item) => match item {
                    Item::Missing { path } => {
                        let path = path.strip_prefix(root).unwrap_or(path).display();
                        format!("checksum missing: {path}")
                    }
                    Item::Changed {
                        name,
                        previous,
                        current,
                    } => {
                        let old = previous.as_deref().unwrap_or("<unset>");
                        format!("variable changed ({name}): {old} -> {current}")
                    }
                },
                Status::Dependency { unit } => units
                    .get(unit)
                    .map(|u| format!("dependency rebuilt: {}", u.name))
                    .unwrap_or_else(|| format!("dependency rebuilt: unit {unit}")),
            },
            _ => "unknown".to_string(),
        }
    }
"""
TABLE = """
    package shop

    func TestParse(t *testing.T) {
        cases := map[string]struct {
            name  string
            input []Sample
        }{
            "in order, no reset": {
                name: "plain",
                input: []Sample{
                    {1, 40}, // First in order.
                    {4, 30}, // Reset in order.
                    {2, 40}, // First out of order.
                },
            },
            "out of order": {
                name: "odd",
                input: []Sample{
                    {8, 100},
                    {1, 50},
                },
            },
        }
        for name, one := range cases {
            t.Run(name, func(t *testing.T) {
                found, err := Parse(strings.NewReader(`name: "test"
    help: "a histogram with buckets"
    type: HISTOGRAM
    `))
                require.NoError(t, err)
                require.Equal(t, one.input, found)
            })
        }
    }
"""
CLASS = """
    import {
      Directive,
      EmbeddedViewRef,
      Injector,
      TemplateRef,
    } from '@angular/core';

    /** Shows a view. */
    @Directive({
      selector: '[outlet]',
      standalone: true,
    })
    export class Outlet<C = unknown> extends Base implements OnChanges {
      /** Where the view is shown, which may be anywhere below the element that this stands on. */
      private readonly places: Map<string, Place> = new Map();

      constructor(
        private readonly injector: Injector,
        private readonly template: TemplateRef<C>,
      ) {
        super(injector);
      }

      private visit(ast: AST & {name: string; receiver: AST}, kind: Kind<T>['kind']): {a: string} | null {
        const node =
          ast.kind === Kind.TwoWay
            ? ast.nodes[0]
            : ast.node;
        switch (node.type) {
          case Type.INPUT:
            return visitor.visitInput(node as unknown as Value<Value>);
          default:
            return (
              this.places.get(node.name) ?? this.make(node, (place) => {
                place.show();
                return place;
              })
            );
        }
      }
    }
"""
ENUM = """
    package shop;

    enum Strategy implements Hashing {
      /** The first of them, which was there before the second. */
      FIRST() {
        @Override
        public boolean put(Object object, Funnel<Object> funnel, int functions) {
          long hash = murmur().hashObject(object, funnel).asLong();
          return bits.set(hash % bits.size());
        }
      },
      SECOND() {
        @Override
        public boolean put(Object object, Funnel<Object> funnel, int functions) {
          return new Builder()
              .addAll(
                  object,
                  funnel)
              .named("second")
              .build();
        }
      };

      // Modification

      /**
       * Stores something. Some of these allow duplicates, in which case this always adds a new pair.
       *
       * @return whether the size became larger
       */
      abstract boolean put(Object object, Funnel<Object> funnel, int functions);

      private Strategy() {}
    }
"""
SOURCES = [
    ("cli.rs", CHAIN),
    ("arms.rs", ARMS),
    ("table_test.go", TABLE),
    ("outlet.ts", CLASS),
    ("Strategy.java", ENUM),
]
LANGUAGES = {"rs": "rust", "go": "go", "ts": "typescript", "java": "java"}


@pytest.mark.parametrize("limit", [80, 96, 112, 128, 192, 256])
@pytest.mark.parametrize(("name", "source"), SOURCES, ids=[name for name, _ in SOURCES])
def test_every_part_is_valid(name: str, source: str, limit: int) -> None:
    language = LANGUAGES[name.rpartition(".")[2]]
    assert is_valid(textwrap.dedent(source), language)
    for chunk in cut(source, name, limit):
        assert is_valid(chunk.text, language), chunk.text


def test_a_chain_of_calls_is_cut_between_calls_and_says_what_they_are_called_on() -> None:
    chunks = cut(CHAIN, "cli.rs", 128)
    later = [chunk for chunk in chunks if chunk.document.text[chunk.start : chunk.end].lstrip().startswith(".arg")]
    assert later
    assert all('Command::new("cargo")\n' in chunk.text for chunk in later)


def test_rows_of_a_table_share_chunks_where_their_headers_leave_no_room() -> None:
    chunks = cut(TABLE, "table_test.go", 80)
    bodies = [chunk.document.text[chunk.start : chunk.end] for chunk in chunks]
    assert any("{1, 40}" in body and "{4, 30}" in body for body in bodies)


def test_a_comment_that_is_cut_is_a_comment_again() -> None:
    remark = " ".join(f"word{number}" for number in range(90))
    source = f"class A {{\n  // A\n\n  /** {remark}\n   * {remark}\n   */\n  void f();\n}}\n"
    for chunk in cut(source, "A.java", 96):
        assert is_valid(chunk.text, "java"), chunk.text


@pytest.mark.parametrize(
    ("name", "head", "first", "end", "opening"),
    [
        ("a.rs", "fn f() { let x = match foo(|y| { y }) {", "A => 1,", "}; }", "match x {"),
        ("a.rs", "fn f() { Ok(Resolve {", "a: 1,", "}) }", "X {"),
        ("a.rs", "fn f(a: &str) -> Result<Foo> {", "a();", "}", "{"),
        ("a.rs", "fn f() { for x in y {", "a();", "} }", "{"),
        ("a.rs", "impl A {", "fn f() {}", "}", ""),
        ("a.rs", "json!({", "a: 1,", "});", "x! {"),
        ("a.go", "var cases = []struct {}{", "{1, 2},", "}", "_ = T{"),
        ("a.go", "func f() { for _, x := range y {", "a()", "} }", ""),
        ("a.go", "func f() { switch x := y.(type) {", "case int:", "} }", "switch {"),
        ("A.java", "class A { void f() { for (int x : new int[] {1, 2}) {", "a();", "} } }", ""),
        ("A.java", "class A { Runnable f() { return new Runnable() {", "void f() {}", "}; } }", "class _ {"),
        ("A.java", "class A { /* new Foo() */ void f(int a) {", "a();", "} }", ""),
        ("a.ts", "it('the class of it', () => {", "a();", "});", ""),
        ("a.ts", "export class A<T = B> extends C {", "a;", "}", "class _ {"),
        ("a.ts", "class D { f(a: A): {b: string} | C {", "a();", "} }", ""),
        ("a.ts", "const a = {", "b: 1,", "};", "({"),
        ("a.ts", "const a: {", "b: number;", "} = x;", "interface _ {"),
    ],
)
def test_what_stands_between_brackets_is_told_by_their_node(
    name: str, head: str, first: str, end: str, opening: str
) -> None:
    outline = parse_text(f"{head}\n  {first}\n{end}\n", uri=name, media_type="code").code
    assert outline is not None
    group = next(one for one in outline.groups if one.open == len(head))
    assert wrap_of(outline.language, group.kind, group.closers[0]).opening == opening


def test_comments_between_a_bracket_and_what_is_inside_are_no_trouble() -> None:
    lines = "\n".join(f"call({number});" for number in range(80))
    noise = "some words to fill the header " * 40
    chunks = cut(f"class A {{ // A\n /* f */ void f(int a) /* {noise} */ {{\n{lines}\n}}\n}}\n", "A.java", 96)
    bodies = [chunk for chunk in chunks if "words" not in chunk.text]
    assert len(bodies) > 3
    for chunk in bodies:
        assert is_valid(chunk.text, "java"), chunk.text
