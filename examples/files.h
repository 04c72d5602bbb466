/* files.h -- what the examples share: reading a file, writing a picture as PNG. */
#ifndef EXAMPLES_FILES_H
#define EXAMPLES_FILES_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The whole file, malloc'ed, with a 0 behind it; NULL when it cannot be read. */
static inline char *read_file(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    long n = -1;
    if (f && fseek(f, 0, SEEK_END) == 0) n = ftell(f);
    if (n >= 0 && fseek(f, 0, SEEK_SET) == 0) text = (char *)malloc((size_t)n + 1);
    if (text) {
        *size = fread(text, 1, (size_t)n, f);
        text[*size] = 0;
    }
    if (f) fclose(f);
    return text;
}

/* ---- PNG, not compressed: chunks with a CRC, in them zlib's stored blocks, one a row ---- */

static inline uint32_t png_crc(uint32_t crc, const unsigned char *p, size_t n) {
    int k;
    for (crc = ~crc; n--; p++)
        for (crc ^= *p, k = 0; k < 8; k++) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
    return ~crc;
}
static inline void png_word(unsigned char *to, uint32_t value) {
    int k;
    for (k = 0; k < 4; k++) to[k] = (unsigned char)(value >> (24 - 8 * k));
}
/* data has eight bytes of room in front: its length and name go there. */
static inline void png_chunk(FILE *f, const char *name, unsigned char *data, uint32_t n) {
    unsigned char crc[4];
    int k;
    png_word(data, n);
    for (k = 0; k < 4; k++) data[4 + k] = (unsigned char)name[k];
    png_word(crc, png_crc(0, data + 4, n + 4));
    fwrite(data, 1, n + 8, f);
    fwrite(crc, 1, 4, f);
}
/* rgb: height rows of width pixels of three bytes; width at most 21,000. Returns 0 when the file was written. */
static inline int write_png(const char *path, const unsigned char *rgb, int width, int height) {
    static const unsigned char signature[8] = {137, 'P', 'N', 'G', 13, 10, 26, 10};
    size_t row = (size_t)width * 3 + 1, at = 10, i;
    unsigned char *data = (unsigned char *)calloc(8 + 2 + (row + 5) * (size_t)height + 4, 1), head[8 + 13] = {0};
    uint32_t a = 1, b = 0; /* Adler-32 */
    FILE *f = data ? fopen(path, "wb") : NULL;
    int y, bad;
    if (!f) {
        free(data);
        return 1;
    }
    png_word(head + 8, (uint32_t)width);
    png_word(head + 12, (uint32_t)height);
    head[16] = 8; /* bits */
    head[17] = 2; /* RGB */
    data[8] = 0x78;
    data[9] = 1;
    for (y = 0; y < height; y++) {
        data[at] = y + 1 == height; /* the last block */
        data[at + 1] = (unsigned char)row;
        data[at + 2] = (unsigned char)(row >> 8);
        data[at + 3] = (unsigned char)~data[at + 1];
        data[at + 4] = (unsigned char)~data[at + 2];
        for (at += 5, i = 0; i < row; i++, at++) { /* first the row's filter: 0 */
            data[at] = i ? rgb[(size_t)y * (row - 1) + i - 1] : 0;
            a = (a + data[at]) % 65521;
            b = (b + a) % 65521;
        }
    }
    png_word(data + at, b << 16 | a);
    fwrite(signature, 1, sizeof signature, f);
    png_chunk(f, "IHDR", head, 13);
    png_chunk(f, "IDAT", data, (uint32_t)(at + 4 - 8));
    png_chunk(f, "IEND", head, 0);
    free(data);
    bad = ferror(f);
    return fclose(f) != 0 || bad;
}
#endif
