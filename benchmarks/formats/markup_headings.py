"""The headings of the LaTeX and reStructuredText samples, written down by a person who read the files.

One line for each: its level, then its title in plain words. A macro that only its class can expand stands with the
words of its arguments.
"""

from __future__ import annotations

LATEX = {
    "1706.03762/background.tex": "",
    "1706.03762/introduction.tex": "",
    "1706.03762/main.tex": """
        1 Introduction
        1 Background
        1 Model Architecture
        1 Why Self-Attention
        1 Training
        1 Results
        1 Conclusion
        4 Acknowledgements
    """,
    "1706.03762/model_architecture.tex": """
        1 Encoder and Decoder Stacks
        3 Encoder:
        3 Decoder:
        1 Attention
        2 Scaled Dot-Product Attention
        2 Multi-Head Attention
        2 Applications of Attention in our Model
        1 Position-wise Feed-Forward Networks
        1 Embeddings and Softmax
        1 Positional Encoding
    """,
    "1706.03762/parameter_attention.tex": "1 Two Feed-Forward Layers = Attention over Parameters",
    "1706.03762/results.tex": """
        1 Machine Translation
        1 Model Variations
        1 English Constituency Parsing
    """,
    "1706.03762/sqrt_d_trick.tex": "1 Justfication of the Scaling Factor in Dot-product Attention",
    "1706.03762/training.tex": """
        1 Training Data and Batching
        1 Hardware and Schedule
        1 Optimizer
        1 Regularization
        3 Residual Dropout
        3 Label Smoothing
    """,
    "1706.03762/visualizations.tex": "1 Attention Visualizations",
    "1706.03762/why_self_attention.tex": "",
    "openlogic/first-order-logic.tex": "1 First-Order Logic",
    "openlogic/formulas.tex": "1 P formula",
    "openlogic/introduction.tex": "1 Introduction to First-Order Logic",
    "openlogic/models-theories.tex": "1 Models and Theories",
    "openlogic/satisfaction.tex": "1 Satisfaction",
    "openlogic/semantic-notions.tex": "1 Semantic Notions",
    "openlogic/sentences.tex": "1 P sentence",
    "openlogic/soundness-completeness.tex": "1 Soundness and Completeness",
    "openlogic/substitution.tex": "1 Substitution",
    "openlogic/syntax.tex": "1 Syntax",
}

RST = {
    "basics.rst": """
        1 reStructuredText Primer
        2 Paragraphs
        2 Inline markup
        2 Lists and Quote-like blocks
        2 Literal blocks
        2 Doctest blocks
        2 Tables
        2 Hyperlinks
        3 External links
        3 Internal links
        2 Sections
        2 Field Lists
        2 Roles
        2 Explicit Markup
        2 Directives
        2 Images
        2 Footnotes
        2 Citations
        2 Substitutions
        2 Comments
        2 HTML Metadata
        2 Source encoding
        2 Gotchas
    """,
    "configuration.rst": """
        1 Configuration
        2 Project tags
        2 Project information
        2 General configuration
        3 Options for figure numbering
        3 Options for highlighting
        3 Options for HTTP requests
        3 Options for internationalisation
        3 Options for markup
        3 Options for Maths
        3 Options for the nitpicky mode
        3 Options for object signatures
        3 Options for source files
        3 Options for smart quotes
        3 Options for templating
        3 Options for warning control
        2 Builder options
        3 Options for HTML output
        3 Options for Single HTML output
        3 Options for HTML help output
        3 Options for Apple Help output
        3 Options for EPUB output
        3 Options for LaTeX output
        3 Options for text output
        3 Options for manual page output
        3 Options for Texinfo output
        3 Options for QtHelp output
        3 Options for XML output
        3 Options for the linkcheck builder
        4 Filtering
        4 HTTP Requests
        2 Domain options
        3 Options for the C domain
        3 Options for the C++ domain
        3 Options for the Javascript domain
        3 Options for the Python domain
        2 Extension options
        2 Example configuration file
    """,
    "directives.rst": """
        1 Directives
        2 Table of contents
        3 Special names
        2 Paragraph-level markup
        3 Admonitions, messages, and warnings
        3 Describing changes between versions
        3 Presentational
        2 Showing code examples
        2 Glossary
        2 Meta-information markup
        2 Index-generating markup
        2 Including content based on tags
        2 Tables
        2 Math
        2 Grammar production displays
    """,
    "domains.rst": """
        1 MOVED: Domains
        2 MOVED: Basic Markup
        2 MOVED: Python Domain
        2 MOVED: C Domain
        2 MOVED: C++ Domain
        2 MOVED: Standard Domain
        2 MOVED: JavaScript Domain
        2 MOVED: reStructuredText Domain
        2 MOVED: Math Domain
        2 MOVED: More domains
    """,
    "field-lists.rst": """
        1 Field Lists
        2 File-wide metadata
        2 Special metadata fields
    """,
    "index.rst": "1 Using Sphinx",
    "installation.rst": """
        1 Installing Sphinx
        2 PyPI package
        2 Conda package
        2 OS-specific package manager
        3 Linux
        4 Debian/Ubuntu
        4 RHEL, CentOS
        4 Other distributions
        3 macOS
        4 Homebrew
        4 MacPorts
        3 Windows
        4 Chocolatey
        2 Docker
        2 Installation of the latest development release
        2 Installation from source
    """,
    "markdown.rst": """
        1 Markdown
        2 Configuration
    """,
    "quickstart.rst": """
        1 Getting started
        2 Setting up the documentation sources
        2 Defining document structure
        2 Adding content
        2 Running the build
        2 Documenting objects
        2 Basic configuration
        2 Autodoc
        2 Intersphinx
        2 More topics to be covered
    """,
    "referencing.rst": """
        1 Cross-references
        2 Syntax
        2 Cross-referencing objects
        2 Cross-referencing arbitrary locations
        2 Cross-referencing documents
        2 Referencing downloadable files
        2 Cross-referencing figures by figure number
        2 Cross-referencing other items of interest
        2 Cross-referencing anything
    """,
    "roles.rst": """
        1 Roles
        2 Cross-references
        2 Inline code highlighting
        2 Math
        2 Other semantic markup
        2 Substitutions
    """,
    "theming.rst": """
        1 HTML theming
        2 Builders
        2 Themes
        3 Using a theme
        3 Builtin themes
        3 Third Party Themes
    """,
}


def expected(tree: str) -> list[tuple[int, str]]:
    """Levels and titles, one after the other."""
    lines = [line.strip() for line in tree.strip().splitlines()]
    return [(int(line[0]), line[2:]) for line in lines]
