/* Merging a long word: the pair of the lowest rank comes from a heap, so that the time grows little faster than the
   word. A pair in the heap may be stale, its parts merged with others since; it is dropped when its turn comes. */

#include "ranks.h"

#include <stdlib.h>

typedef struct {
    uint32_t rank;
    uint32_t at;
    uint32_t end;
} Pair;

typedef struct {
    const Vocabulary *vocabulary;
    Bytes word;
    uint32_t *next; /* where the part that starts here ends; 0 where none starts any more */
    uint32_t *previous;
    Pair *heap;
    size_t size;
} Merge;

static inline bool comes_before(Pair left, Pair right)
{
    return left.rank < right.rank || (left.rank == right.rank && left.at < right.at);
}

static void push(Merge *merge, Pair pair)
{
    size_t at = merge->size++;
    while (at > 0 && comes_before(pair, merge->heap[(at - 1) / 2])) {
        merge->heap[at] = merge->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    merge->heap[at] = pair;
}

static Pair pop(Merge *merge)
{
    Pair top = merge->heap[0], last = merge->heap[--merge->size];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < merge->size; at = child) {
        if (child + 1 < merge->size && comes_before(merge->heap[child + 1], merge->heap[child]))
            child++;
        if (!comes_before(merge->heap[child], last))
            break;
        merge->heap[at] = merge->heap[child];
    }
    merge->heap[at] = last;
    return top;
}

/* Pushes the part at `at` with the one after it, where both together are a token. */
static void offer(Merge *merge, uint32_t at)
{
    uint32_t middle = merge->next[at];
    if (middle >= merge->word.size)
        return;
    uint32_t end = merge->next[middle];
    uint32_t rank = rank_of(merge->vocabulary, merge->word, at, end);
    if (rank != NO_RANK)
        push(merge, (Pair){rank, at, end});
}

static size_t run(Merge *merge)
{
    size_t parts = merge->word.size;
    for (uint32_t i = 0; i < merge->word.size; i++) {
        merge->next[i] = i + 1;
        merge->previous[i] = i - 1;
    }
    for (uint32_t i = 0; i < merge->word.size; i++)
        offer(merge, i);
    while (merge->size > 0) {
        Pair pair = pop(merge);
        uint32_t middle = merge->next[pair.at];
        if (!middle || middle >= merge->word.size || merge->next[middle] != pair.end)
            continue;
        merge->next[pair.at] = pair.end;
        merge->next[middle] = 0;
        if (pair.end < merge->word.size)
            merge->previous[pair.end] = pair.at;
        parts--;
        offer(merge, pair.at);
        if (pair.at > 0)
            offer(merge, merge->previous[pair.at]);
    }
    return parts;
}

size_t merged_long(const Vocabulary *vocabulary, Bytes word)
{
    if (word.size >= UINT32_MAX / 4)
        return 0;
    Merge merge = {vocabulary, word, NULL, NULL, NULL, 0};
    merge.next = malloc(word.size * sizeof *merge.next);
    merge.previous = malloc(word.size * sizeof *merge.previous);
    merge.heap = malloc(3 * word.size * sizeof *merge.heap); /* each merge offers two pairs, and takes one part away */
    size_t parts = merge.next && merge.previous && merge.heap ? run(&merge) : 0;
    free(merge.next);
    free(merge.previous);
    free(merge.heap);
    return parts;
}
