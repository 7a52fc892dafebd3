"""What the elements of JATS and DocBook are. Both call most things by other names, so that one table serves both."""

from __future__ import annotations

import re
from collections.abc import Mapping


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SECTIONS = _words(
    "sec app ack abstract trans-abstract ref-list glossary notes bio book part chapter appendix preface article"
    " section sect1 sect2 sect3 sect4 sect5 simplesect refentry refsect1 refsect2 refsect3 refsection"
    " refsynopsisdiv bibliography dedication acknowledgements colophon partintro glossdiv bibliodiv topic qandadiv"
)
TITLES = _words("title article-title label subtitle bridgehead refname")
LISTS = _words("list itemizedlist orderedlist simplelist procedure substeps calloutlist segmentedlist")
TERM_LISTS = _words("def-list variablelist glosslist qandaset")
ITEMS = _words(
    "list-item listitem member step callout def-item varlistentry glossentry qandaentry ref biblioentry bibliomixed"
)
TERMS = _words("term glossterm question")
CODE = _words("code preformat programlisting screen literallayout synopsis cmdsynopsis funcsynopsis programlistingco")
QUOTES = _words("disp-quote blockquote epigraph verse-group")
BOXES: Mapping[str, str] = {
    "boxed-text": "", "sidebar": "", "note": "Note", "tip": "Tip", "warning": "Warning", "caution": "Caution",
    "important": "Important", "danger": "Danger",
}  # fmt: skip
"""Blocks beside the text, and what they are called where they have no title."""
FIGURES = _words("fig figure informalfigure mediaobject graphic inlinemediaobject")
TABLES = _words("table-wrap informaltable table")
FORMULAS = _words("disp-formula equation informalequation")
NOTES = _words("fn footnote")
EXAMPLES = _words("example informalexample")
HIDDEN = _words(
    "indexterm remark toc index journal-meta front-stub processing-meta permissions history custom-meta-group"
    " counts self-uri article-categories contrib-group aff author-notes pub-date volume issue fpage lpage"
    " elocation-id kwd-group funding-group article-id related-article legalnotice revhistory copyright authorgroup"
    " author editor pubdate releaseinfo keywordset subjectset cover areaspec tocentry"
)
"""Elements that are metadata, or made for programs."""
INFOS = _words(
    "info articleinfo bookinfo chapterinfo sectioninfo partinfo appendixinfo refentryinfo front article-meta"
)
INLINE = _words(
    "bold italic sub sup sc monospace underline overline strike roman sans-serif xref ext-link email uri named-"
    " content styled-content inline-formula math tex-math break institution year source volume issue fpage lpage"
    " name surname given-names string-name person-group etal pub-id collab emphasis literal link ulink filename"
    " command option parameter replaceable userinput computeroutput prompt varname constant function classname"
    " methodname type application productname guilabel guimenu guibutton guimenuitem menuchoice keycap keycombo"
    " acronym abbrev citetitle citation quote firstterm phrase tag sgmltag envar systemitem superscript subscript"
    " trademark footnoteref inlineequation anchor co wordasword date personname firstname othername interfacename"
    " returnvalue property token symbol package hardware medialabel optional errorname errorcode errortype"
    " exceptionname markup milestone-start milestone-end target fax country day month season lb volume-series"
    " edition publisher-name publisher-loc issue-title chapter-title part-title conf-name comment annotation"
    " trans-title role degrees prefix suffix"
)
"""Elements inside of running text."""

JATS = re.compile(
    rb"<!DOCTYPE\s+article\b[^>]{0,300}(?:JATS|NLM)|<article\b[^>]{0,2000}(?:article-type|dtd-version)\s*=",
    re.IGNORECASE,
)
DOCBOOK = re.compile(
    rb"<!DOCTYPE\s+\w+\s[^>]{0,300}DocBook|<(?:\w+:)?\w+\b[^>]{0,2000}\bhttp://docbook\.org/ns/docbook", re.IGNORECASE
)


def article_format(head: bytes) -> str:
    """The name of the format that the start of XML is in; empty for another."""
    if JATS.search(head):
        return "jats"
    return "docbook" if DOCBOOK.search(head) else ""
