/* One pass over the document by its tokenizer; after it, the tokens of most ranges are the difference of two sums.
 *
 * Cuts right after a line end leave the words on both sides as they are, unless the next line is blank or starts with a
 * slash. And a cut inside a line changes only the word it is in, unless it is in or at white space.
 */

#include "meter.h"

#include "growth.h"

enum {
    VERY_LONG = 4096, /* bytes of a word that is counted only where somebody asks for it */
    FEW = 24,         /* bytes that are counted sooner than looked up */
    OWN_WORDS = 4,    /* of a range, before it must be in step with the document */
    UNKNOWN = -2,
};

/* --- marks ------------------------------------------------------------------------------------------------------- */

/* Whether a line that starts with this byte is surely not blank, and takes nothing of the line above. */
static bool starts_apart(uint8_t byte)
{
    bool wide_space = byte == 0xC2 || byte == 0xE1 || byte == 0xE2 || byte == 0xE3; /* or another code point */
    return byte > ' ' && byte != '/' && !wide_space;
}

static bool is_visible(uint8_t byte)
{
    return byte > ' ' && byte < 0x7F;
}

static bool add_mark(Meter *meter, Mark mark)
{
    if (!GROW(meter->marks, meter->mark_room, meter->mark_count + 1))
        return false;
    meter->marks[meter->mark_count++] = mark;
    return true;
}

/* Notes where a word starts; a very long one, without a count, makes all of them useless. */
static bool note_word(Meter *meter, size_t byte, size_t before, bool counted)
{
    if (!meter->keeps_words)
        return true;
    if (!counted || before > UINT32_MAX) {
        meter->keeps_words = false;
        meter->word_count = 0;
        return true;
    }
    if (!GROW(meter->words, meter->word_room, meter->word_count + 1))
        return false;
    meter->words[meter->word_count++] = (WordMark){(uint32_t)byte, (uint32_t)before};
    return true;
}

/* Moves on by one word, and leaves a mark where counts add up behind it. */
static bool mark_word(Meter *meter, Mark *mark, size_t end, size_t tokens)
{
    Bytes text = meter->text->bytes;
    if (!note_word(meter, mark->byte, mark->tokens, tokens > 0))
        return false;
    mark->word = mark->byte;
    mark->before = mark->tokens;
    mark->byte = end;
    mark->tokens += tokens;
    mark->stretch += tokens == 0;
    bool apart = end == text.size || (text.data[end - 1] == '\n' && starts_apart(text.data[end]));
    return !apart || add_mark(meter, *mark);
}

static bool mark_lines(Meter *meter)
{
    Bytes text = meter->text->bytes;
    Mark mark = {0, 0, 0, 0, 0};
    Words words;
    if (!add_mark(meter, mark))
        return false;
    while (mark.byte < text.size) {
        if (!next_words(&meter->counter->vocabulary, text, mark.byte, VERY_LONG, &words))
            return PyErr_NoMemory(), false;
        for (size_t i = 0; i < words.count; i++)
            if (!mark_word(meter, &mark, words.ends[i], words.tokens[i]))
                return false;
    }
    return note_word(meter, mark.byte, mark.tokens, true);
}

/* How many marks are before a byte. */
static size_t marks_before(const Meter *meter, size_t byte)
{
    size_t low = 0, high = meter->mark_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (meter->marks[middle].byte < byte)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static Py_ssize_t plain_range(Meter *meter, size_t start, size_t end)
{
    return start < end ? counter_tokens(meter->counter, (Bytes){meter->text->bytes.data + start, end - start}) : 0;
}

/* Tokens from a mark to `end`, which is before the next mark. */
static Py_ssize_t line_part(Meter *meter, size_t index, size_t end)
{
    const Mark *mark = meter->marks + index, *next = mark + 1;
    bool visible = end > mark->byte && is_visible(meter->text->bytes.data[end - 1]);
    if (!visible || index + 1 >= meter->mark_count || next->stretch != mark->stretch || next->word <= mark->byte ||
        next->word > end)
        return plain_range(meter, mark->byte, end);
    Py_ssize_t word = plain_range(meter, next->word, end);
    return word < 0 ? -1 : word + (Py_ssize_t)(next->before - mark->tokens);
}

/* --- ranges by words --------------------------------------------------------------------------------------------- */

/* How many words start before a byte. */
static size_t words_before(const Meter *meter, size_t byte)
{
    size_t low = 0, high = meter->word_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (meter->words[middle].byte < byte)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The tokens of the range's own words up to one that the document has too: where a word starts depends on what follows
   only, so from there on both have the same. `start` moves there, and `first` is that word. */
static Py_ssize_t own_words(Meter *meter, size_t *start, size_t end, size_t *first)
{
    Py_ssize_t total = 0;
    *first = words_before(meter, *start);
    for (int i = 0; meter->words[*first].byte != *start; i++) {
        size_t next = meter->counter->vocabulary.word_end(meter->text->bytes, *start);
        if (i == OWN_WORDS || next >= end)
            return UNKNOWN;
        Py_ssize_t tokens = plain_range(meter, *start, next);
        if (tokens < 0)
            return -1;
        total += tokens;
        *start = next;
        while (meter->words[*first].byte < next)
            ++*first;
    }
    return total;
}

/* Tokens of a range by the sums of its words; UNKNOWN where its ends do not allow it. What a range cuts off changes only
   the word it cuts into, unless that is white space. */
static Py_ssize_t range_by_words(Meter *meter, size_t start, size_t end)
{
    Bytes text = meter->text->bytes;
    size_t stop = end, first;
    bool whole_line = end == text.size || text.data[end - 1] == '\n';
    while (!whole_line && stop > start && text.data[stop - 1] == ' ')
        stop--; /* blanks at the end are a word of their own */
    if (end - start < FEW || stop - start < FEW || (!whole_line && !is_visible(text.data[stop - 1])))
        return UNKNOWN;
    Py_ssize_t head = own_words(meter, &start, stop, &first);
    size_t last = words_before(meter, stop);
    bool cut = meter->words[last].byte != stop; /* into a word, which is counted again */
    last -= cut;
    if (head < 0 || last < first || (cut && whole_line))
        return head == -1 ? -1 : UNKNOWN;
    Py_ssize_t total = head + (Py_ssize_t)(meter->words[last].tokens - meter->words[first].tokens);
    Py_ssize_t word = cut ? plain_range(meter, meter->words[last].byte, stop) : 0;
    Py_ssize_t blanks = word < 0 ? -1 : plain_range(meter, stop, end);
    return blanks < 0 ? -1 : total + word + blanks;
}

static Py_ssize_t counted_range(Meter *meter, size_t start, size_t end)
{
    Py_ssize_t by_words = meter->word_count ? range_by_words(meter, start, end) : UNKNOWN;
    if (by_words != UNKNOWN)
        return by_words;
    size_t low = marks_before(meter, start), high = marks_before(meter, end + 1);
    if (low >= high || meter->marks[low].stretch != meter->marks[high - 1].stretch)
        return plain_range(meter, start, end);
    Py_ssize_t first = plain_range(meter, start, meter->marks[low].byte);
    Py_ssize_t last = first < 0 ? -1 : line_part(meter, high - 1, end);
    return last < 0 ? -1 : first + last + (Py_ssize_t)(meter->marks[high - 1].tokens - meter->marks[low].tokens);
}

/* --- any range --------------------------------------------------------------------------------------------------- */

bool meter_open(Meter *meter, const Text *text, PyObject *count, bool keeps_words)
{
    *meter = (Meter){.text = text, .keeps_words = keeps_words && text->bytes.size <= UINT32_MAX};
    if (Py_IS_TYPE(count, &CounterType)) {
        meter->counter = (Counter *)count;
        return mark_lines(meter);
    }
    if (Py_IS_TYPE(count, &EstimateType))
        meter->estimate = (Estimate *)count;
    else
        meter->call = count;
    return true;
}

void meter_close(Meter *meter)
{
    PyMem_Free(meter->marks);
    PyMem_Free(meter->words);
    PyMem_Free(meter->scratch);
}

static Py_ssize_t called(Meter *meter, PyObject *string)
{
    Py_ssize_t tokens = string ? called_tokens(meter->call, string) : -1;
    Py_XDECREF(string);
    return tokens;
}

Py_ssize_t meter_range(Meter *meter, Py_ssize_t start, Py_ssize_t end)
{
    if (meter->call)
        return called(meter, PyUnicode_Substring(meter->text->string, start, end));
    if (meter->estimate)
        return estimate_tokens(meter->estimate, text_bytes(meter->text, start, end));
    return counted_range(meter, text_byte(meter->text, start), text_byte(meter->text, end));
}

/* --- text put together ------------------------------------------------------------------------------------------- */

void meter_begin(Meter *meter)
{
    meter->scratch_size = 0;
}

bool meter_add(Meter *meter, Bytes part)
{
    if (!GROW(meter->scratch, meter->scratch_room, meter->scratch_size + part.size))
        return false;
    if (part.size)
        memcpy(meter->scratch + meter->scratch_size, part.data, part.size);
    meter->scratch_size += part.size;
    return true;
}

bool meter_add_string(Meter *meter, PyObject *string)
{
    Py_ssize_t size;
    const char *data = PyUnicode_AsUTF8AndSize(string, &size);
    return data && meter_add(meter, (Bytes){(const uint8_t *)data, (size_t)size});
}

Py_ssize_t meter_count(Meter *meter)
{
    Bytes text = {meter->scratch, meter->scratch_size};
    if (meter->call)
        return called(meter, PyUnicode_DecodeUTF8((const char *)text.data, (Py_ssize_t)text.size, NULL));
    return meter->estimate ? estimate_tokens(meter->estimate, text) : counter_tokens(meter->counter, text);
}
