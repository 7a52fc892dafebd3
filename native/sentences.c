/* Where sentences may start, by the patterns and verdicts of seamline.text.sentences, which names the codes. What is
   rare is left to Python: doubtful gaps, ordinals, clusters of code points beyond ASCII. */

#include "kernels.h"

#include <string.h>

enum { NEAR = 40, LEAD = 6, LONGEST_NOTE = 8, LONGEST_CODE = 200, LATE_CLOSERS = 4 };

/* What is to be asked about a possible start; 0 where it is one. NO is never told to Python. */
enum { DOUBTFUL = 1, NUMBERED = 2, JOINED = 4, NO = 8 };

/* --- characters -------------------------------------------------------------------------------------------------- */

/* What a character may be, several at once. */
enum { STRONG = 1, WEAK = 2, CLOSER = 4, LATE = 8, OPENER = 16, GOES_ON = 32, MARK = STRONG | WEAK };

typedef struct {
    Py_UCS4 point;
    unsigned char class;
} Member;

/* Those beyond ASCII, ascending. */
static const Member WIDE[] = {
    {0x00A1, OPENER}, {0x00AB, LATE | OPENER}, {0x00BB, CLOSER | OPENER}, {0x00BF, OPENER},
    {0x0589, STRONG | GOES_ON}, {0x061F, STRONG | GOES_ON}, {0x06D4, STRONG | GOES_ON}, {0x0964, STRONG | GOES_ON},
    {0x0965, STRONG | GOES_ON}, {0x104B, STRONG | GOES_ON}, {0x1362, STRONG | GOES_ON}, {0x17D4, STRONG | GOES_ON},
    {0x2018, OPENER}, {0x2019, CLOSER}, {0x201C, LATE | OPENER}, {0x201D, CLOSER}, {0x201E, OPENER}, {0x2026, WEAK},
    {0x2039, OPENER}, {0x203A, CLOSER}, {0x3001, GOES_ON}, {0x3002, STRONG | GOES_ON}, {0x3008, OPENER},
    {0x3009, CLOSER}, {0x300A, OPENER}, {0x300B, CLOSER}, {0x300C, OPENER}, {0x300D, CLOSER | GOES_ON},
    {0x300E, OPENER}, {0x300F, CLOSER | GOES_ON}, {0x3010, OPENER}, {0x3011, CLOSER}, {0x3014, OPENER},
    {0x3015, CLOSER}, {0xFF01, STRONG | GOES_ON}, {0xFF08, OPENER}, {0xFF09, CLOSER | GOES_ON}, {0xFF0C, GOES_ON},
    {0xFF0E, STRONG | GOES_ON}, {0xFF1A, GOES_ON}, {0xFF1B, GOES_ON}, {0xFF1F, STRONG | GOES_ON},
    {0xFF61, STRONG | GOES_ON},
};

static const unsigned char NARROW[128] = {
    ['.'] = WEAK | GOES_ON,   ['!'] = WEAK | GOES_ON,   ['?'] = WEAK | GOES_ON, ['"'] = CLOSER | OPENER,
    ['\''] = CLOSER | OPENER, [')'] = CLOSER | GOES_ON, [']'] = CLOSER | GOES_ON, ['}'] = CLOSER | GOES_ON,
    ['*'] = LATE | OPENER,    ['_'] = LATE | OPENER,    ['~'] = LATE | OPENER,  ['`'] = LATE | OPENER,
    ['('] = OPENER,           ['['] = OPENER,           ['{'] = OPENER,         [','] = GOES_ON,
    [';'] = GOES_ON,          [':'] = GOES_ON,
};

static unsigned class_of(Py_UCS4 point)
{
    if (point < 128)
        return NARROW[point];
    size_t low = 0, high = sizeof WIDE / sizeof *WIDE;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (WIDE[middle].point == point)
            return WIDE[middle].class;
        if (WIDE[middle].point < point)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

static bool is(Py_UCS4 point, unsigned class)
{
    return class_of(point) & class;
}

static bool is_space(Py_UCS4 point)
{
    return point < 128 ? point == ' ' || (point >= 0x09 && point <= 0x0D) || (point >= 0x1C && point <= 0x1F)
                       : Py_UNICODE_ISSPACE(point);
}

static bool is_word(Py_UCS4 point)
{
    return point == '_' || Py_UNICODE_ISALNUM(point);
}

static bool is_letter(Py_UCS4 point)
{
    return is_word(point) && !Py_UNICODE_ISDECIMAL(point);
}

/* --- a range ----------------------------------------------------------------------------------------------------- */

/* What is looked at, and how far code spans were looked for. */
typedef struct {
    int kind;
    const void *data;
    Py_ssize_t length; /* of the whole text */
    PyObject *titles;  /* abbreviations that never end a sentence */
    PyObject *shorts;  /* those that may */
    Py_ssize_t start;
    Py_ssize_t end;
    Py_ssize_t seen;
    Py_ssize_t code_start; /* the last code span found; both 0 for none */
    Py_ssize_t code_end;
} Range;

static Py_UCS4 point_at(const Range *range, Py_ssize_t at)
{
    return PyUnicode_READ(range->kind, range->data, at);
}

/* The same beyond the range; 0 outside the text. */
static Py_UCS4 text_point(const Range *range, Py_ssize_t at)
{
    return at < range->length ? point_at(range, at) : 0;
}

/* Whether a character of the range stands at a place. */
static bool stands(const Range *range, Py_ssize_t at, Py_UCS4 point)
{
    return at < range->end && point_at(range, at) == point;
}

static bool space_stands(const Range *range, Py_ssize_t at)
{
    return at < range->end && is_space(point_at(range, at));
}

static Py_ssize_t skip_space(const Range *range, Py_ssize_t at)
{
    while (space_stands(range, at))
        at++;
    return at;
}

/* Past a line end, or `at` where none is. */
static Py_ssize_t skip_break(const Range *range, Py_ssize_t at)
{
    if (stands(range, at, '\r'))
        return at + 1 + stands(range, at + 1, '\n');
    return at + stands(range, at, '\n');
}

/* Past a line end and the one after it, with blanks at most between them; `at` where there are no two. */
static Py_ssize_t skip_blank_line(const Range *range, Py_ssize_t at)
{
    Py_ssize_t next = skip_break(range, at);
    if (next == at)
        return at;
    while (stands(range, next, ' ') || stands(range, next, '\t'))
        next++;
    Py_ssize_t after = skip_break(range, next);
    return after > next ? after : at;
}

/* --- code spans -------------------------------------------------------------------------------------------------- */

/* The end of the code span that starts at a run of ticks; 0 where none does. */
static Py_ssize_t code_span(const Range *range, Py_ssize_t at)
{
    if (at > 0 && point_at(range, at - 1) == '`')
        return 0;
    Py_ssize_t ticks = 1 + stands(range, at + 1, '`'), first = at + ticks, next = first;
    while (next < range->end && next - first < LONGEST_CODE) {
        Py_UCS4 point = point_at(range, next);
        if (point == '`' || point == '\n' || (point == '\'' && stands(range, next + 1, '\'')))
            break;
        next++;
    }
    bool closed = next > first && stands(range, next, '`') && (ticks == 1 || stands(range, next + 1, '`'));
    return closed && !stands(range, next + ticks, '`') ? next + ticks : 0;
}

static bool within_code(Range *range, Py_ssize_t at)
{
    while (range->seen < at) {
        Py_ssize_t end = point_at(range, range->seen) == '`' ? code_span(range, range->seen) : 0;
        if (end) {
            range->code_start = range->seen;
            range->code_end = end;
        }
        range->seen = end ? end : range->seen + 1;
    }
    return range->code_start < at && at < range->code_end;
}

/* --- gaps -------------------------------------------------------------------------------------------------------- */

/* A place where a sentence may end: its marks, what closes after them, white space, and where the next would start. */
typedef struct {
    Py_ssize_t mark; /* where the marks start; -1 for a gap without any */
    Py_ssize_t close;
    Py_ssize_t space;
    Py_ssize_t at;
} Gap;

/* Past a note such as `[^12]`, or `at`. */
static Py_ssize_t skip_note(const Range *range, Py_ssize_t at)
{
    Py_ssize_t first = at + 1 + stands(range, at + 1, '^'), next = first;
    while (next < range->end && next - first <= LONGEST_NOTE && is_word(point_at(range, next)))
        next++;
    bool closed = next > first && next - first <= LONGEST_NOTE && stands(range, next, ']');
    return closed ? next + 1 : at;
}

/* Whether white space follows soon, behind other characters that close. */
static bool closes_late(const Range *range, Py_ssize_t at)
{
    Py_ssize_t next = at + 1;
    while (next < range->end && next - at <= LATE_CLOSERS && is(point_at(range, next), CLOSER | LATE))
        next++;
    return space_stands(range, next);
}

static Py_ssize_t skip_closer(const Range *range, Py_ssize_t at)
{
    if (at >= range->end)
        return at;
    Py_UCS4 point = point_at(range, at);
    unsigned class = class_of(point);
    if (class & CLOSER)
        return at + 1;
    bool quoted = stands(range, at + 1, 0xBB) || stands(range, at + 1, 0x203A);
    if ((point == ' ' || point == 0xA0 || point == 0x202F) && quoted && space_stands(range, at + 2))
        return at + 2;
    if (point == '[')
        return skip_note(range, at);
    return class & LATE && closes_late(range, at) ? at + 1 : at;
}

static void read_marks(const Range *range, Py_ssize_t at, Gap *gap)
{
    gap->mark = at;
    while (at < range->end && is(point_at(range, at), MARK))
        at++;
    gap->close = at;
    for (Py_ssize_t next; (next = skip_closer(range, at)) > at;)
        at = next;
    gap->space = at;
    gap->at = skip_space(range, at);
}

static bool is_thai(Py_UCS4 point)
{
    return point >= 0x0E01 && point <= 0x0E4E && point != 0x0E46;
}

static bool starts_thai(Py_UCS4 point)
{
    return (point >= 0x0E01 && point <= 0x0E2E) || (point >= 0x0E40 && point <= 0x0E44);
}

/* The end of blanks between two words of Thai; `at` where there are none such. */
static Py_ssize_t skip_thai(const Range *range, Py_ssize_t at)
{
    if (at == 0 || !is_thai(point_at(range, at - 1)))
        return at;
    Py_ssize_t next = at;
    while (stands(range, next, ' ') || stands(range, next, '\t') || stands(range, next, 0xA0))
        next++;
    return next > at && next < range->end && starts_thai(point_at(range, next)) ? next : at;
}

/* The next place at which a gap could start: a mark, a line end, or a blank. */
static Py_ssize_t next_sign(const Range *range, Py_ssize_t at)
{
    static const bool SIGNS[256] = {['.'] = true, ['!'] = true, ['?'] = true, ['\n'] = true, ['\r'] = true};
    if (range->kind == PyUnicode_1BYTE_KIND) { /* neither other marks nor Thai */
        const Py_UCS1 *points = range->data;
        while (at < range->end && !SIGNS[points[at]])
            at++;
        return at;
    }
    for (; at < range->end; at++) {
        Py_UCS4 point = point_at(range, at);
        if (point < 128 ? SIGNS[point] || point == ' ' || point == '\t' : point == 0xA0 || is(point, MARK))
            break;
    }
    return at;
}

/* The next gap from a place on; false where there is none. */
static bool next_gap(const Range *range, Py_ssize_t from, Gap *gap)
{
    for (Py_ssize_t at = from; (at = next_sign(range, at)) < range->end; at++) {
        Py_UCS4 point = point_at(range, at);
        if (is(point, MARK)) {
            if (at > 0 && is(point_at(range, at - 1), MARK))
                continue;
            read_marks(range, at, gap);
            return true;
        }
        *gap = (Gap){-1, at, at, at};
        Py_ssize_t after = skip_blank_line(range, at);
        gap->at = after > at ? skip_space(range, after) : skip_thai(range, at);
        if (gap->at > at)
            return true;
    }
    return false;
}

/* --- verdicts ---------------------------------------------------------------------------------------------------- */

/* The first character from a place on that opens nothing, of the next few; 0 where there is none. */
static Py_UCS4 lead_of(const Range *range, Py_ssize_t at)
{
    for (Py_ssize_t i = 0; i < LEAD; i++)
        if (!is(text_point(range, at + i), OPENER))
            return text_point(range, at + i);
    return 0;
}

static bool is_number(const Range *range, Py_ssize_t at)
{
    Py_UCS4 first = text_point(range, at), next = text_point(range, at + 1);
    if (Py_UNICODE_ISDECIMAL(first) || first == '(' || first == '[')
        return true;
    bool marked = next && (Py_UNICODE_ISDECIMAL(next) || (next < 128 && strchr(".,:;)", (int)next)));
    return first >= 'A' && first <= 'Z' && marked;
}

/* The word before a point, without what opens around it. */
typedef struct {
    Py_ssize_t start;
    Py_ssize_t end;
} Word;

static Word word_before(const Range *range, Py_ssize_t near, Py_ssize_t stop)
{
    Word word = {stop, stop};
    while (word.end > near && is_space(point_at(range, word.end - 1)))
        word.end--;
    word.start = word.end;
    while (word.start > near && !is_space(point_at(range, word.start - 1)))
        word.start--;
    while (word.start < word.end && is(point_at(range, word.start), OPENER))
        word.start++;
    return word;
}

/* Whether a set of small words has it; -1 with an exception set. The sets are ASCII, and of the letters beyond it only
   the sign of kelvins is ASCII once it is small. */
static int is_among(const Range *range, Word word, PyObject *set)
{
    char letters[NEAR];
    Py_ssize_t size = word.end - word.start;
    for (Py_ssize_t i = 0; i < size; i++) {
        Py_UCS4 point = point_at(range, word.start + i);
        point = point == 0x212A ? 'k' : point;
        if (point >= 128)
            return 0;
        letters[i] = (char)(point >= 'A' && point <= 'Z' ? point + ('a' - 'A') : point);
    }
    PyObject *key = PyUnicode_FromStringAndSize(letters, size);
    int found = key ? PySet_Contains(set, key) : -1;
    Py_XDECREF(key);
    return found;
}

/* Whether a word is numbers of up to three digits, or of letters in ones and twos, with points between them. */
static bool is_dotted(const Range *range, Word word, bool letters)
{
    Py_ssize_t longest = letters ? 2 : 3, length = 0;
    bool points = !letters; /* one number is enough, one group of letters is not */
    for (Py_ssize_t at = word.start; at < word.end; at++) {
        Py_UCS4 point = point_at(range, at);
        if (point == '.') {
            if (!length)
                return false;
            points = true;
            length = 0;
        } else if (++length > longest || !(letters ? is_letter(point) : Py_UNICODE_ISDECIMAL(point))) {
            return false;
        }
    }
    return points && length > 0;
}

/* Whether a single point ends a sentence, and not just an abbreviation, an initial or a number. -1 with an exception
   set. */
static int after_point(const Range *range, const Gap *gap, Py_UCS4 lead)
{
    Py_ssize_t near = gap->mark - NEAR > range->start ? gap->mark - NEAR : range->start;
    Word word = word_before(range, near, gap->mark);
    bool small = Py_UNICODE_ISLOWER(lead);
    if (word.end - word.start == 1 && Py_UNICODE_ISALPHA(point_at(range, word.start)))
        return NO;
    int found = is_among(range, word, range->titles);
    if (found == 0 && (small || is_number(range, gap->at)))
        found = is_among(range, word, range->shorts);
    if (found != 0)
        return found < 0 ? -1 : NO;
    if (is_dotted(range, word, true))
        return small ? NO : DOUBTFUL;
    int ordinal = is_dotted(range, word, false) ? NUMBERED : 0;
    return ordinal | (Py_UNICODE_ISALPHA(lead) && !small ? 0 : DOUBTFUL);
}

/* Marks that need no space after them: those of scripts without spaces, and `?` or `!` within such. */
static int unspaced(const Range *range, const Gap *gap)
{
    Py_UCS4 follow = point_at(range, gap->at), last = point_at(range, gap->close - 1);
    Py_UCS4 before = gap->mark > 0 ? point_at(range, gap->mark - 1) : 0;
    bool part = follow == 0x3068 || follow == 0x3063 || follow == 0x306E || follow == 0x304C;
    if (gap->space > gap->close && part) /* the quotation is part of its sentence */
        return NO;
    if (is(last, STRONG))
        return gap->close - gap->mark == 1 && last == 0xFF0E && Py_UNICODE_ISDIGIT(follow) ? NO : 0;
    return (last == '!' || last == '?') && before >= 0x3040 && follow >= 0x3040 ? 0 : NO;
}

static bool has_blank_line(const Range *range, const Gap *gap)
{
    Range space = *range;
    space.end = gap->at;
    for (Py_ssize_t at = gap->space; at < gap->at; at++)
        if (skip_blank_line(&space, at) > at)
            return true;
    return false;
}

/* What is to be asked about a gap. -1 with an exception set. */
static int judge(const Range *range, const Gap *gap)
{
    if (gap->mark < 0 || has_blank_line(range, gap))
        return 0;
    if (is(point_at(range, gap->at), GOES_ON))
        return NO;
    Py_UCS4 last = point_at(range, gap->close - 1);
    if (is(last, STRONG) || gap->space == gap->at)
        return unspaced(range, gap);
    Py_UCS4 lead = lead_of(range, gap->at);
    bool closed = gap->space > gap->close;
    if (gap->close - gap->mark == 1 && last == '.' && !closed)
        return after_point(range, gap, lead);
    if (Py_UNICODE_ISLOWER(lead))
        return closed || last == '.' || last == 0x2026 ? NO : DOUBTFUL;
    return Py_UNICODE_ISALPHA(lead) ? 0 : DOUBTFUL;
}

/* --- starts ------------------------------------------------------------------------------------------------------ */

typedef struct {
    int64_t *starts;
    unsigned char *codes;
    size_t count, room, code_room;
} Starts;

static bool add_start(Starts *found, Py_ssize_t at, int code)
{
    if (!GROW(found->starts, found->room, found->count + 1) || !GROW(found->codes, found->code_room, found->count + 1))
        return false;
    found->starts[found->count] = at;
    found->codes[found->count++] = (unsigned char)code;
    return true;
}

/* All possible starts of a range but the first. False with an exception set. */
static bool find_starts(Range *range, Starts *found)
{
    Py_ssize_t visible = skip_space(range, range->start);
    Gap gap;
    found->count = 0;
    for (Py_ssize_t from = range->start; next_gap(range, from, &gap); from = gap.at) {
        if (gap.at <= visible || gap.at >= range->end || within_code(range, gap.at))
            continue;
        int code = judge(range, &gap);
        if (code < 0)
            return false;
        bool joined = point_at(range, gap.at - 1) >= 128 || point_at(range, gap.at) >= 128;
        if (code != NO && !add_start(found, gap.at, code | (joined ? JOINED : 0)))
            return false;
    }
    return true;
}

/* The places of the starts that something is to be asked about, each with its code. */
static PyObject *list_open(const Starts *found)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < found->count; i++) {
        if (!found->codes[i])
            continue;
        PyObject *pair = Py_BuildValue("(ni)", (Py_ssize_t)i, (int)found->codes[i]);
        if (!pair || PyList_Append(list, pair) < 0)
            Py_CLEAR(list);
        Py_XDECREF(pair);
    }
    return list;
}

static PyObject *range_gaps(Range range, PyObject *bounds, Starts *found)
{
    if (!PyTuple_Check(bounds))
        return PyErr_Format(PyExc_TypeError, "expected pairs of start and end");
    if (!PyArg_ParseTuple(bounds, "nn;expected pairs of start and end", &range.start, &range.end))
        return NULL;
    range.start = range.start > 0 ? range.start : 0;
    range.end = range.end < range.length ? range.end : range.length;
    range.seen = range.start;
    if (!find_starts(&range, found))
        return NULL;
    PyObject *starts = list_of(found->starts, (Py_ssize_t)found->count), *open = starts ? list_open(found) : NULL;
    PyObject *pair = open ? PyTuple_Pack(2, starts, open) : NULL;
    Py_XDECREF(starts);
    Py_XDECREF(open);
    return pair;
}

PyObject *sentence_gaps(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t count)
{
    if (count != 4 || !PyUnicode_Check(args[0]) || !PyFrozenSet_CheckExact(args[2]) || !PyFrozenSet_CheckExact(args[3]))
        return PyErr_Format(PyExc_TypeError, "expected a text, ranges, and two frozensets of words");
    PyObject *ranges = PySequence_Tuple(args[1]);
    PyObject *list = ranges ? PyList_New(PyTuple_GET_SIZE(ranges)) : NULL;
    Range range = {
        .kind = (int)PyUnicode_KIND(args[0]),
        .data = PyUnicode_DATA(args[0]),
        .length = PyUnicode_GET_LENGTH(args[0]),
        .titles = args[2],
        .shorts = args[3],
    };
    Starts found = {.count = 0};
    for (Py_ssize_t i = 0; list && i < PyTuple_GET_SIZE(ranges); i++) {
        PyObject *pair = range_gaps(range, PyTuple_GET_ITEM(ranges, i), &found);
        if (pair)
            PyList_SET_ITEM(list, i, pair);
        else
            Py_CLEAR(list);
    }
    PyMem_Free(found.starts);
    PyMem_Free(found.codes);
    Py_XDECREF(ranges);
    return list;
}
