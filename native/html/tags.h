/* The elements of HTML: how each is put into the tree, and what it is to a reader. */

#ifndef SEAMLINE_HTML_TAGS_H
#define SEAMLINE_HTML_TAGS_H

/* How a start tag is put into the tree. */
typedef enum {
    OTHER,      /* inside a line, nothing special about it */
    REFUSED,    /* rules of its own that are not worth having here */
    ROOT,       /* html, head, body */
    HEADISH,    /* void, and at home in the head */
    RAWTEXT,    /* text up to its end tag, whatever it looks like */
    RCDATA,     /* the same, with character references */
    NOSCRIPTED, /* in the head only with links in it, in the body like others */
    BLOCKISH,   /* ends an open paragraph */
    TITLED,     /* h1 to h6: as blocks, and not in each other */
    PREISH,     /* as blocks, and a line end after the start tag is none */
    FORMED,
    LISTED,     /* li: ends the one before */
    TERMED,     /* dd, dt: end the ones before */
    FORMATTING, /* b, i and the like: misnested ones are taken apart, which is refused here */
    ONCE,       /* as these, and not in each other: a, nobr, button, select */
    TABLED,
    PART,       /* of a table */
    VOID,       /* no content */
    VOID_BLOCK, /* hr */
    OPTIONED,
    RUBY,
    DRAWING,    /* svg */
    ENCLOSED,   /* nothing inside has to do with what is around */
} Rule;

/* What an element is to the walk over the page. */
typedef enum {
    INLINE, BLOCK, APART, HEADING, VERBATIM, LISTS, TERM, ITEM, QUOTE, FIGURE, CAPTION, TABLE_, RULED, BREAK, IMAGE,
    FIELD, UNREAD,
} Role;

enum {
    SPECIAL = 1, /* the search for an open li, dd or dt ends here */
    IMPLIED = 2, /* its end tag may be left out */
    BORDER = 4,  /* a paragraph around it is not ended by blocks inside */
    UNSHOWN = 8, /* no reader sees what is in it */
    HEAVY = 16,  /* no part of a heading */
};

#define TAGS(X) \
    X(HTML, "html", ROOT, BLOCK, SPECIAL | BORDER) \
    X(HEAD, "head", ROOT, UNREAD, SPECIAL) \
    X(BODY, "body", ROOT, BLOCK, SPECIAL) \
    X(META, "meta", HEADISH, INLINE, SPECIAL) \
    X(LINK, "link", HEADISH, INLINE, SPECIAL) \
    X(BASE, "base", HEADISH, INLINE, SPECIAL) \
    X(TITLE, "title", RCDATA, APART, SPECIAL) \
    X(STYLE, "style", RAWTEXT, UNREAD, SPECIAL) \
    X(SCRIPT, "script", RAWTEXT, UNREAD, SPECIAL) \
    X(NOSCRIPT, "noscript", NOSCRIPTED, INLINE, SPECIAL | UNSHOWN) \
    X(IFRAME, "iframe", RAWTEXT, INLINE, SPECIAL | UNSHOWN) \
    X(NOEMBED, "noembed", RAWTEXT, INLINE, SPECIAL | UNSHOWN) \
    X(TEXTAREA, "textarea", RCDATA, APART, SPECIAL) \
    X(ADDRESS, "address", BLOCKISH, BLOCK, SPECIAL) \
    X(ARTICLE, "article", BLOCKISH, BLOCK, SPECIAL) \
    X(ASIDE, "aside", BLOCKISH, BLOCK, SPECIAL) \
    X(BLOCKQUOTE, "blockquote", BLOCKISH, QUOTE, SPECIAL | HEAVY) \
    X(CENTER, "center", BLOCKISH, BLOCK, SPECIAL) \
    X(DETAILS, "details", BLOCKISH, BLOCK, SPECIAL) \
    X(DIALOG, "dialog", BLOCKISH, BLOCK, 0) \
    X(DIR, "dir", BLOCKISH, LISTS, SPECIAL) \
    X(DIV, "div", BLOCKISH, BLOCK, SPECIAL) \
    X(DL, "dl", BLOCKISH, LISTS, SPECIAL | HEAVY) \
    X(FIELDSET, "fieldset", BLOCKISH, BLOCK, SPECIAL) \
    X(FIGCAPTION, "figcaption", BLOCKISH, CAPTION, SPECIAL) \
    X(FIGURES, "figure", BLOCKISH, FIGURE, SPECIAL) \
    X(FOOTER, "footer", BLOCKISH, BLOCK, SPECIAL) \
    X(HEADER, "header", BLOCKISH, BLOCK, SPECIAL) \
    X(HGROUP, "hgroup", BLOCKISH, BLOCK, SPECIAL) \
    X(MAIN, "main", BLOCKISH, BLOCK, SPECIAL) \
    X(MENU, "menu", BLOCKISH, LISTS, SPECIAL) \
    X(NAV, "nav", BLOCKISH, BLOCK, SPECIAL) \
    X(OL, "ol", BLOCKISH, LISTS, SPECIAL | HEAVY) \
    X(P, "p", BLOCKISH, BLOCK, SPECIAL | IMPLIED) \
    X(SEARCH, "search", BLOCKISH, BLOCK, SPECIAL) \
    X(SECTION, "section", BLOCKISH, BLOCK, SPECIAL) \
    X(SUMMARY, "summary", BLOCKISH, BLOCK, SPECIAL) \
    X(UL, "ul", BLOCKISH, LISTS, SPECIAL | HEAVY) \
    X(H1, "h1", TITLED, HEADING, SPECIAL | HEAVY) \
    X(H2, "h2", TITLED, HEADING, SPECIAL | HEAVY) \
    X(H3, "h3", TITLED, HEADING, SPECIAL | HEAVY) \
    X(H4, "h4", TITLED, HEADING, SPECIAL | HEAVY) \
    X(H5, "h5", TITLED, HEADING, SPECIAL | HEAVY) \
    X(H6, "h6", TITLED, HEADING, SPECIAL | HEAVY) \
    X(PRE, "pre", PREISH, VERBATIM, SPECIAL | HEAVY) \
    X(LISTING, "listing", PREISH, VERBATIM, SPECIAL) \
    X(FORM, "form", FORMED, BLOCK, SPECIAL) \
    X(LEGEND, "legend", OTHER, BLOCK, 0) \
    X(LI, "li", LISTED, ITEM, SPECIAL | IMPLIED) \
    X(DD, "dd", TERMED, TERM, SPECIAL | IMPLIED) \
    X(DT, "dt", TERMED, TERM, SPECIAL | IMPLIED) \
    X(A, "a", ONCE, INLINE, 0) \
    X(NOBR, "nobr", ONCE, INLINE, 0) \
    X(BUTTON, "button", ONCE, APART, SPECIAL | BORDER) \
    X(SELECT, "select", ONCE, APART, SPECIAL) \
    X(B, "b", FORMATTING, INLINE, 0) \
    X(BIG, "big", FORMATTING, INLINE, 0) \
    X(CODE, "code", FORMATTING, INLINE, 0) \
    X(EM, "em", FORMATTING, INLINE, 0) \
    X(FONT, "font", FORMATTING, INLINE, 0) \
    X(I, "i", FORMATTING, INLINE, 0) \
    X(S, "s", FORMATTING, INLINE, 0) \
    X(SMALL, "small", FORMATTING, INLINE, 0) \
    X(STRIKE, "strike", FORMATTING, INLINE, 0) \
    X(STRONG, "strong", FORMATTING, INLINE, 0) \
    X(TT, "tt", FORMATTING, INLINE, 0) \
    X(U, "u", FORMATTING, INLINE, 0) \
    X(TABLE, "table", TABLED, TABLE_, SPECIAL | BORDER | HEAVY) \
    X(CAPTIONS, "caption", PART, BLOCK, SPECIAL | BORDER) \
    X(COLGROUP, "colgroup", PART, INLINE, SPECIAL) \
    X(COL, "col", PART, INLINE, SPECIAL) \
    X(TBODY, "tbody", PART, BLOCK, SPECIAL) \
    X(THEAD, "thead", PART, BLOCK, SPECIAL) \
    X(TFOOT, "tfoot", PART, BLOCK, SPECIAL) \
    X(TR, "tr", PART, BLOCK, SPECIAL) \
    X(TD, "td", PART, BLOCK, SPECIAL | BORDER) \
    X(TH, "th", PART, BLOCK, SPECIAL | BORDER) \
    X(AREA, "area", VOID, INLINE, SPECIAL) \
    X(BR, "br", VOID, BREAK, SPECIAL) \
    X(EMBED, "embed", VOID, INLINE, SPECIAL) \
    X(IMG, "img", VOID, IMAGE, SPECIAL) \
    X(INPUT, "input", VOID, FIELD, SPECIAL) \
    X(PARAM, "param", VOID, INLINE, SPECIAL) \
    X(SOURCE, "source", VOID, INLINE, SPECIAL) \
    X(TRACK, "track", VOID, INLINE, SPECIAL) \
    X(WBR, "wbr", VOID, INLINE, SPECIAL) \
    X(HR, "hr", VOID_BLOCK, RULED, SPECIAL) \
    X(OPTION, "option", OPTIONED, APART, IMPLIED) \
    X(OPTGROUP, "optgroup", OPTIONED, APART, IMPLIED) \
    X(RB, "rb", RUBY, INLINE, IMPLIED) \
    X(RP, "rp", RUBY, INLINE, IMPLIED) \
    X(RT, "rt", RUBY, INLINE, IMPLIED) \
    X(RTC, "rtc", RUBY, INLINE, IMPLIED) \
    X(SVG, "svg", DRAWING, INLINE, 0) \
    X(TEXT_, "text", OTHER, APART, 0) \
    X(DESC, "desc", OTHER, APART, 0) \
    X(VIDEO, "video", OTHER, INLINE, UNSHOWN) \
    X(AUDIO, "audio", OTHER, INLINE, UNSHOWN) \
    X(CANVAS, "canvas", OTHER, INLINE, UNSHOWN) \
    X(DATALIST, "datalist", OTHER, INLINE, UNSHOWN) \
    X(TIME, "time", OTHER, INLINE, 0) \
    X(SPAN, "span", OTHER, INLINE, 0) \
    X(SUB, "sub", OTHER, INLINE, 0) \
    X(SUP, "sup", OTHER, INLINE, 0) \
    X(VAR, "var", OTHER, INLINE, 0) \
    X(RUBIES, "ruby", OTHER, INLINE, 0) \
    X(OBJECT, "object", ENCLOSED, INLINE, SPECIAL | BORDER | UNSHOWN) \
    X(APPLET, "applet", ENCLOSED, INLINE, SPECIAL | BORDER) \
    X(MARQUEE, "marquee", ENCLOSED, INLINE, SPECIAL | BORDER) \
    X(TEMPLATE, "template", ENCLOSED, INLINE, SPECIAL | BORDER | UNSHOWN) \
    X(MATH, "math", REFUSED, INLINE, 0) \
    X(FRAMESET, "frameset", REFUSED, INLINE, 0) \
    X(FRAME, "frame", REFUSED, INLINE, 0) \
    X(IMAGE_, "image", REFUSED, INLINE, 0) \
    X(XMP, "xmp", REFUSED, INLINE, 0) \
    X(PLAINTEXT, "plaintext", REFUSED, INLINE, 0) \
    X(NOFRAMES, "noframes", REFUSED, INLINE, 0) \
    X(BASEFONT, "basefont", REFUSED, INLINE, 0) \
    X(BGSOUND, "bgsound", REFUSED, INLINE, 0) \
    X(KEYGEN, "keygen", REFUSED, INLINE, 0) \
    X(MENUITEM, "menuitem", REFUSED, INLINE, 0) \
    X(FOREIGNOBJECT, "foreignobject", REFUSED, INLINE, 0)

/* A tag that is not in the table, and a node that is no element. */
enum { UNKNOWN, TEXT,
#define X(id, name, rule, role, flags) id,
    TAGS(X)
#undef X
    TAG_COUNT
};

/* What is known of one tag. */
typedef struct {
    const char *name;
    unsigned char rule, role, flags;
} TagInfo;

extern const TagInfo TAG_INFO[TAG_COUNT];

/* The attributes that say something about the text, the others are passed over. */
#define ATTRIBUTES(X) \
    X(ID, "id") X(NAME, "name") X(CLASS, "class") X(HIDDEN, "hidden") X(STYLED, "style") X(ALT, "alt") \
    X(TYPE, "type") X(VALUE, "value") X(START, "start") X(REVERSED, "reversed") X(ROLE, "role") \
    X(COLSPAN, "colspan") X(ROWSPAN, "rowspan") X(LANG, "lang") X(XML_LANG, "xml:lang") X(CONTENT, "content") \
    X(PROPERTY, "property") X(ITEMPROP, "itemprop") X(HTTP_EQUIV, "http-equiv") X(REL, "rel") X(HREF, "href") \
    X(PUBDATE, "pubdate") X(DATETIME, "datetime") X(DATA_LANG, "data-lang") X(DATA_LANGUAGE, "data-language") \
    X(SHADOW, "shadowrootmode") X(SRC, "src")

enum { NO_ATTRIBUTE,
#define X(id, name) ATTR_##id,
    ATTRIBUTES(X)
#undef X
    ATTRIBUTE_COUNT
};

#define LONGEST_NAME 15 /* characters of a name in the tables */

/* Fill the tables that find names; once, before anything else. */
void prepare_names(void);

/* The tag or attribute with a name in lower case; UNKNOWN and NO_ATTRIBUTE are both 0. */
int tag_named(const char *name, int length);
int attribute_named(const char *name, int length);

#endif
