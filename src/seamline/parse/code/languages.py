"""Which nodes of a grammar are declarations, imports and the like, language by language."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

Types = Mapping[str, str]
_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """What is known of a language beside its grammar."""

    name: str
    package: str
    """The wheel that holds the grammar, as it is imported."""
    suffixes: tuple[str, ...]
    scopes: Types = field(default_factory=dict)
    """Node types that declare something -> what."""
    imports: frozenset[str] = _NONE
    prefixes: frozenset[str] = _NONE
    """Nodes that belong to the declaration after them: decorators, attributes."""
    wraps: frozenset[str] = _NONE
    """Nodes around one declaration: `export ...`, `template <...> ...`."""
    through: frozenset[str] = _NONE
    """Nodes whose children count as children of the node around them."""
    calls: Types = field(default_factory=dict)
    """Names of calls that declare something, or `import`: `defmodule`, `require`."""
    requires: re.Pattern[bytes] | None = None
    """A statement that reads another file, where the grammar has no node for it: `const fs = require("fs")`."""
    grammar: str = "language"
    """The function of the package that gives the grammar."""


def word_set(names: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(names.split())


def _types(pairs: str) -> Types:
    """`node:type node:type`; a node without a type is named after it."""
    split = (pair.split(":") for pair in pairs.split())
    return {pair[0]: pair[-1] for pair in split}


FUNCTIONS = word_set("arrow_function function_expression generator_function class function_definition")
"""Values that make the variable they are given to a declaration."""
CLASSES = word_set("class interface struct impl trait enum object extension protocol record actor union")
"""What a function is a method of."""
HOLDERS = CLASSES | {"module"}
"""What is told apart however small it is."""
CLOSED_BY_WORD = word_set("ruby elixir julia")
"""Languages whose scopes end with the word `end`."""
_REQUIRE = re.compile(rb"(?:(?:const|let|var)\s[^=;]{1,200}=\s*)?require\s*\(\s*[\"'`]")
_PREPROCESSOR = word_set("preproc_ifdef preproc_if preproc_else preproc_elif linkage_specification declaration_list")
_SCRIPT = _types(
    "function_declaration:function generator_function_declaration:function class_declaration:class"
    " method_definition:method class:class field_definition:method"
)
_TYPED = {
    **_SCRIPT,
    **_types(
        "abstract_class_declaration:class interface_declaration:interface enum_declaration:enum module:module"
        " internal_module:module type_alias_declaration:type public_field_definition:method"
    ),
}
_SCRIPT_WRAPS = word_set("export_statement lexical_declaration variable_declaration expression_statement")
_C = _types(
    "function_definition:function struct_specifier:struct enum_specifier:enum union_specifier:union"
    " type_definition:type"
)

LANGUAGES = (
    Language(
        "python",
        "tree_sitter_python",
        (".py", ".pyi"),
        _types("class_definition:class function_definition:function"),
        word_set("import_statement import_from_statement future_import_statement"),
        wraps=word_set("decorated_definition"),
        through=word_set("block"),
    ),
    Language(
        "javascript",
        "tree_sitter_javascript",
        (".js", ".mjs", ".cjs", ".jsx"),
        _SCRIPT,
        word_set("import_statement"),
        word_set("decorator"),
        _SCRIPT_WRAPS,
        requires=_REQUIRE,
    ),
    Language(
        "typescript",
        "tree_sitter_typescript",
        (".ts", ".mts", ".cts"),
        _TYPED,
        word_set("import_statement"),
        word_set("decorator"),
        _SCRIPT_WRAPS | {"ambient_declaration"},
        requires=_REQUIRE,
        grammar="language_typescript",
    ),
    Language(
        "tsx",
        "tree_sitter_typescript",
        (".tsx",),
        _TYPED,
        word_set("import_statement"),
        word_set("decorator"),
        _SCRIPT_WRAPS | {"ambient_declaration"},
        requires=_REQUIRE,
        grammar="language_tsx",
    ),
    Language(
        "java",
        "tree_sitter_java",
        (".java",),
        _types(
            "class_declaration:class interface_declaration:interface enum_declaration:enum record_declaration:record"
            " annotation_type_declaration:interface method_declaration:method constructor_declaration:method"
            " compact_constructor_declaration:method module_declaration:module"
        ),
        word_set("import_declaration package_declaration"),
        through=word_set("enum_body_declarations"),
    ),
    Language(
        "go",
        "tree_sitter_go",
        (".go",),
        _types("function_declaration:function method_declaration:method type_spec:type type_alias:type"),
        word_set("import_declaration package_clause"),
        wraps=word_set("type_declaration"),
        through=word_set("statement_list"),
    ),
    Language(
        "rust",
        "tree_sitter_rust",
        (".rs",),
        _types(
            "function_item:function impl_item:impl struct_item:struct enum_item:enum union_item:union"
            " trait_item:trait type_item:type mod_item:module macro_definition:macro foreign_mod_item:module"
        ),
        word_set("use_declaration extern_crate_declaration"),
        word_set("attribute_item"),
    ),
    Language("c", "tree_sitter_c", (".c", ".h"), _C, word_set("preproc_include"), through=_PREPROCESSOR),
    Language(
        "cpp",
        "tree_sitter_cpp",
        (".cpp", ".cc", ".cxx", ".hpp", ".hh", ".hxx"),
        {
            **_C,
            **_types(
                "class_specifier:class namespace_definition:module concept_definition:type alias_declaration:type"
            ),
        },
        word_set("preproc_include using_declaration"),
        wraps=word_set("template_declaration"),
        through=_PREPROCESSOR | {"field_declaration_list"},
        requires=re.compile(rb"(?:export\s+)?import\s+[\w.:<\"]+[^;{]*;"),
    ),
    Language(
        "csharp",
        "tree_sitter_c_sharp",
        (".cs",),
        _types(
            "class_declaration:class interface_declaration:interface struct_declaration:struct"
            " record_declaration:record enum_declaration:enum namespace_declaration:module method_declaration:method"
            " constructor_declaration:method destructor_declaration:method property_declaration:property"
            " indexer_declaration:property operator_declaration:method conversion_operator_declaration:method"
            " event_declaration:property delegate_declaration:type local_function_statement:function"
        ),
        word_set("using_directive extern_alias_directive file_scoped_namespace_declaration"),
        wraps=word_set("global_statement"),
        through=_PREPROCESSOR,
    ),
    Language(
        "ruby",
        "tree_sitter_ruby",
        (".rb",),
        _types("class:class module:module method:function singleton_method:function singleton_class:class"),
        through=word_set("body_statement"),
        calls=_types("require:import require_relative:import load:import autoload:import"),
    ),
    Language(
        "php",
        "tree_sitter_php",
        (".php",),
        _types(
            "class_declaration:class interface_declaration:interface trait_declaration:trait enum_declaration:enum"
            " function_definition:function method_declaration:method namespace_definition:module"
        ),
        word_set("namespace_use_declaration namespace_definition php_tag"),
        requires=re.compile(rb"(?:require|include)(?:_once)?\b"),
        grammar="language_php",
    ),
    Language(
        "kotlin",
        "tree_sitter_kotlin",
        (".kt", ".kts"),
        _types(
            "class_declaration:class object_declaration:object companion_object:object function_declaration:function"
            " secondary_constructor:method type_alias:type"
        ),
        word_set("import import_list import_header package_header file_annotation"),
    ),
    Language(
        "swift",
        "tree_sitter_swift",
        (".swift",),
        _types(
            "class_declaration:class protocol_declaration:protocol function_declaration:function"
            " init_declaration:method deinit_declaration:method subscript_declaration:method typealias_declaration:type"
        ),
        word_set("import_declaration"),
        through=word_set("statements"),
    ),
    Language(
        "scala",
        "tree_sitter_scala",
        (".scala", ".sc"),
        _types(
            "class_definition:class object_definition:object trait_definition:trait enum_definition:enum"
            " function_definition:function extension_definition:extension given_definition:object"
            " package_object:object type_definition:type"
        ),
        word_set("import_declaration package_clause"),
        through=word_set("indented_block"),
    ),
    Language(
        "bash",
        "tree_sitter_bash",
        (".sh", ".bash"),
        _types("function_definition:function"),
        requires=re.compile(rb"(?:source|\.)[ \t]"),
    ),
    Language(
        "sql",
        "tree_sitter_sql",
        (".sql",),
        _types(
            "create_table:table create_view:view create_materialized_view:view create_function:function"
            " create_procedure:function create_trigger:trigger create_index:index create_type:type"
        ),
        wraps=word_set("statement"),
    ),
    Language(
        "lua",
        "tree_sitter_lua",
        (".lua",),
        _types("function_declaration:function"),
        wraps=word_set("variable_declaration assignment_statement"),
        through=word_set("block"),
        requires=re.compile(rb"(?:local\s+[\w\s,]{1,200}=\s*)?require\s*[(\"'\[]"),
    ),
    Language(
        "css",
        "tree_sitter_css",
        (".css",),
        _types("rule_set:rule media_statement:rule keyframes_statement:rule supports_statement:rule at_rule:rule"),
        word_set("import_statement charset_statement namespace_statement"),
    ),
    Language(
        "toml",
        "tree_sitter_toml",
        (".toml",),
        _types("table:table table_array_element:table"),
    ),
    Language(
        "yaml",
        "tree_sitter_yaml",
        (".yaml", ".yml"),
        _types("block_mapping_pair:key"),
        through=word_set("stream document block_node block_mapping block_sequence"),
    ),
    Language(
        "haskell",
        "tree_sitter_haskell",
        (".hs",),
        _types("function:function data_type:type newtype:type type_synonym:type class:class instance:class"),
        word_set("import header"),
        word_set("signature haddock"),
        through=word_set("imports declarations class_declarations instance_declarations"),
    ),
    Language(
        "elixir",
        "tree_sitter_elixir",
        (".ex", ".exs"),
        prefixes=word_set("unary_operator"),
        through=word_set("do_block"),
        calls=_types(
            "defmodule:module defprotocol:module defimpl:module def:function defp:function defmacro:macro"
            " defmacrop:macro alias:import import:import require:import use:import"
        ),
    ),
    Language(
        "julia",
        "tree_sitter_julia",
        (".jl",),
        _types("function_definition:function macro_definition:macro struct_definition:struct module_definition:module"),
        word_set("import_statement using_statement"),
        through=word_set("block"),
        requires=re.compile(rb"include\s*\("),
    ),
    Language(
        "xml",
        "tree_sitter_xml",
        (".xml",),
        _types("element:element"),
        through=word_set("document content prolog"),
        grammar="language_xml",
    ),
)
BY_NAME = {one.name: one for one in LANGUAGES}
BY_SUFFIX = {suffix: one for one in LANGUAGES for suffix in one.suffixes}
