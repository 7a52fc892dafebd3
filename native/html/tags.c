/* Names of elements and attributes, found by hashing. */

#include "tags.h"

#include <string.h>

const TagInfo TAG_INFO[TAG_COUNT] = {
    [UNKNOWN] = {"", OTHER, INLINE, 0},
    [TEXT] = {"", OTHER, INLINE, 0},
#define X(id, name, rule, role, flags) [id] = {name, rule, role, flags},
    TAGS(X)
#undef X
};

static const char *const ATTRIBUTE_NAMES[ATTRIBUTE_COUNT] = {
    "",
#define X(id, name) name,
    ATTRIBUTES(X)
#undef X
};

#define SLOTS 1024u /* a power of two, far more than there are names, so that most are found at once */

typedef struct {
    char name[LONGEST_NAME + 1];
    unsigned char length, value;
} Slot;

static Slot tags[SLOTS], attributes[SLOTS];

static unsigned hash(const char *name, int length) {
    unsigned first = (unsigned char)name[0], last = (unsigned char)name[length - 1];
    unsigned middle = (unsigned char)name[length / 2];
    return (first * 37u + last * 101u + middle * 11u + (unsigned)length * 257u) % SLOTS;
}

static void add(Slot *slots, const char *name, int value) {
    int length = (int)strlen(name);
    unsigned at = hash(name, length);
    while (slots[at].length) at = (at + 1) % SLOTS;
    memcpy(slots[at].name, name, (size_t)length);
    slots[at].length = (unsigned char)length;
    slots[at].value = (unsigned char)value;
}

static int find(const Slot *slots, const char *name, int length) {
    for (unsigned at = hash(name, length); slots[at].length; at = (at + 1) % SLOTS) {
        if (slots[at].length == length && !memcmp(slots[at].name, name, (size_t)length)) return slots[at].value;
    }
    return 0;
}

void prepare_names(void) {
    memset(tags, 0, sizeof tags);
    memset(attributes, 0, sizeof attributes);
    for (int tag = TEXT + 1; tag < TAG_COUNT; tag++) add(tags, TAG_INFO[tag].name, tag);
    for (int one = 1; one < ATTRIBUTE_COUNT; one++) add(attributes, ATTRIBUTE_NAMES[one], one);
}

int tag_named(const char *name, int length) { return find(tags, name, length); }
int attribute_named(const char *name, int length) { return find(attributes, name, length); }
