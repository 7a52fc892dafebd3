/* One pass over the document by its tokenizer; after it, the tokens of most ranges are the difference of two sums.
 *
 * Cuts right after a line end leave the words on both sides as they are, unless the next line is blank or starts with a
 * slash. And a cut inside a line changes only the word it is in, unless it is in or at white space.
 */

#include "meter.h"

#include "growth.h"

enum { VERY_LONG = 4096 }; /* bytes of a word that is counted only where somebody asks for it */

/* --- marks ------------------------------------------------------------------------------------------------------- */

/* Whether a line that starts with this byte is surely not blank, and takes nothing of the line above. */
static bool starts_apart(uint8_t byte)
{
    bool wide_space = byte == 0xC2 || byte == 0xE1 || byte == 0xE2 || byte == 0xE3; /* or another code point */
    return byte > ' ' && byte != '/' && !wide_space;
}

static bool add_mark(Meter *meter, Mark mark)
{
    if (!GROW(meter->marks, meter->mark_room, meter->mark_count + 1))
        return false;
    meter->marks[meter->mark_count++] = mark;
    return true;
}

/* Moves on by one word, and leaves a mark where counts add up behind it. */
static bool mark_word(Meter *meter, Mark *mark, size_t end, size_t tokens)
{
    Bytes text = meter->text->bytes;
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
    return true;
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
    uint8_t last = end > mark->byte ? meter->text->bytes.data[end - 1] : 0;
    bool visible = last > ' ' && last < 0x7F;
    if (!visible || index + 1 >= meter->mark_count || next->stretch != mark->stretch || next->word <= mark->byte ||
        next->word > end)
        return plain_range(meter, mark->byte, end);
    Py_ssize_t word = plain_range(meter, next->word, end);
    return word < 0 ? -1 : word + (Py_ssize_t)(next->before - mark->tokens);
}

static Py_ssize_t counted_range(Meter *meter, size_t start, size_t end)
{
    size_t low = marks_before(meter, start), high = marks_before(meter, end + 1);
    if (low >= high || meter->marks[low].stretch != meter->marks[high - 1].stretch)
        return plain_range(meter, start, end);
    Py_ssize_t first = plain_range(meter, start, meter->marks[low].byte);
    Py_ssize_t last = first < 0 ? -1 : line_part(meter, high - 1, end);
    return last < 0 ? -1 : first + last + (Py_ssize_t)(meter->marks[high - 1].tokens - meter->marks[low].tokens);
}

/* --- any range --------------------------------------------------------------------------------------------------- */

bool meter_open(Meter *meter, const Text *text, PyObject *count)
{
    *meter = (Meter){.text = text};
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
