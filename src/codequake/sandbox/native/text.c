/* The record of a clean program: what it printed, as JSON strings in ASCII, one a line. */
#include <stdlib.h>
#include <string.h>

#include "worker.h"

static char buffer[1 << 15];
static size_t buffered;

static void flush(void)
{
    write_record(buffer, buffered);
    buffered = 0;
}

static void put(const char *bytes, size_t size)
{
    if (size > sizeof buffer - buffered)
        flush();
    memcpy(buffer + buffered, bytes, size);
    buffered += size;
}

static void put_unit(unsigned unit)
{
    char escape[8];
    put(escape, (size_t)snprintf(escape, sizeof escape, "\\u%04x", unit));
}

static void put_character(unsigned character)
{
    if (character < 0x10000) {
        put_unit(character);
    } else {
        put_unit(0xd800 + ((character - 0x10000) >> 10));
        put_unit(0xdc00 + ((character - 0x10000) & 0x3ff));
    }
}

/* Decode one character of UTF-8 that is not ASCII; return its bytes.  Broken text is a doubt. */
static size_t put_encoded(const unsigned char *bytes, size_t left)
{
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    const size_t size = *bytes >= 0xf0 ? 4 : *bytes >= 0xe0 ? 3 : 2;
    if (*bytes < 0xc2 || *bytes > 0xf4 || size > left)
        doubt("prints what is no UTF-8");
    unsigned character = *bytes & (0x7fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            doubt("prints what is no UTF-8");
        character = character << 6 | (bytes[i] & 0x3f);
    }
    if (character < least[size] || character > 0x10ffff
        || (character >= 0xd800 && character < 0xe000))
        doubt("prints what is no UTF-8");
    put_character(character);
    return size;
}

static void put_string(const struct printed *printed)
{
    static const char plain[] = "\"\\\n\r\t\b\f", letters[] = "\"\\nrtbf";
    const unsigned char *bytes = (const unsigned char *)printed->text;
    put("\"", 1);
    for (size_t i = 0; i < printed->size;) {
        const unsigned char byte = bytes[i];
        const char *special = byte ? strchr(plain, byte) : NULL;
        if (byte >= 0x80) {
            i += put_encoded(bytes + i, printed->size - i);
            continue;
        }
        if (special)
            put((char[]){'\\', letters[special - plain]}, 2);
        else if (byte < 0x20)
            put_unit(byte);
        else
            put((const char *)bytes + i, 1);
        i++;
    }
    put("\"", 1);
}

void write_clean(uint32_t count, const struct printed *printed)
{
    put("+", 1);
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            put("\n", 1);
        put_string(&printed[i]);
    }
    flush();
}
