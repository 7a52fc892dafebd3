/* A hash table with open addressing. Texts repeat their words, so nearly all of them are found. */

#include "pieces.h"

#include <string.h>

enum { FIRST_SLOTS = 1 << 12, REMEMBERED = 1 << 16 };

void words_close(Words *words)
{
    PyMem_Free(words->slots);
    PyMem_Free(words->letters);
    PyMem_Free(words->pieces);
    *words = (Words){.count = 0};
}

static bool is_word(const Words *words, const Entry *entry, const Word *word)
{
    if (entry->hash != word->hash || entry->length != word->length)
        return false;
    const Py_UCS4 *letters = words->letters + entry->letters;
    for (Py_ssize_t i = 0; i < word->length; i++)
        if (letters[i] != PyUnicode_READ(word->kind, word->data, word->start + i))
            return false;
    return true;
}

bool words_find(const Words *words, const Word *word, Pieces *pieces)
{
    if (!words->slot_count || word->length > LONGEST_REMEMBERED)
        return false;
    size_t mask = words->slot_count - 1;
    for (size_t slot = word->hash & mask; words->slots[slot].length; slot = (slot + 1) & mask) {
        const Entry *entry = words->slots + slot;
        if (is_word(words, entry, word)) {
            *pieces = (Pieces){words->pieces + entry->pieces, entry->count};
            return true;
        }
    }
    return false;
}

static void put(Entry *slots, size_t slot_count, Entry entry)
{
    size_t slot = entry.hash & (slot_count - 1);
    while (slots[slot].length)
        slot = (slot + 1) & (slot_count - 1);
    slots[slot] = entry;
}

/* At most half of the slots are taken. */
static bool make_room(Words *words)
{
    if (2 * (words->count + 1) <= words->slot_count)
        return true;
    size_t wanted = words->slot_count ? 2 * words->slot_count : FIRST_SLOTS;
    Entry *slots = PyMem_Calloc(wanted, sizeof *slots);
    if (!slots)
        return PyErr_NoMemory(), false;
    for (size_t i = 0; i < words->slot_count; i++)
        if (words->slots[i].length)
            put(slots, wanted, words->slots[i]);
    PyMem_Free(words->slots);
    words->slots = slots;
    words->slot_count = wanted;
    return true;
}

/* The array with room for so many elements, or NULL with MemoryError set. */
static void *with_room(void *array, size_t *room, size_t wanted, size_t element)
{
    if (wanted <= *room)
        return array;
    void *moved = PyMem_Realloc(array, 2 * wanted * element);
    if (!moved)
        return PyErr_NoMemory();
    *room = 2 * wanted;
    return moved;
}

bool words_add(Words *words, const Word *word, Pieces pieces)
{
    Pieces known;
    if (!word->length || word->length > LONGEST_REMEMBERED || words_find(words, word, &known))
        return true; /* another thread may have been faster */
    if (words->count >= REMEMBERED)
        words_close(words);
    size_t letters = words->letter_count + (size_t)word->length, numbers = words->piece_count + pieces.count;
    void *moved = make_room(words) ? with_room(words->letters, &words->letter_room, letters, sizeof(Py_UCS4)) : NULL;
    if (!moved)
        return false;
    words->letters = moved;
    if (pieces.count && !(moved = with_room(words->pieces, &words->piece_room, numbers, sizeof(int32_t))))
        return false;
    words->pieces = pieces.count ? moved : words->pieces;
    Entry entry = {word->hash, (uint32_t)words->letter_count, (uint32_t)words->piece_count, (uint16_t)word->length,
                   (uint16_t)pieces.count};
    for (Py_ssize_t i = 0; i < word->length; i++)
        words->letters[words->letter_count++] = PyUnicode_READ(word->kind, word->data, word->start + i);
    if (pieces.count)
        memcpy(words->pieces + words->piece_count, pieces.numbers, pieces.count * sizeof *pieces.numbers);
    words->piece_count = numbers;
    put(words->slots, words->slot_count, entry);
    words->count++;
    return true;
}
