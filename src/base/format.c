/* base/format.c -- messages into buffers of fixed size. */
#ifndef XG_BASE_FORMAT_C
#define XG_BASE_FORMAT_C
#include "base.h"

/* Digits of v before `end`, in base 10 or 16; returns their start. */
XG_FN char *xg_digits(char *end, uint64_t v, unsigned base, bool upper) {
    const char *set = upper ? "0123456789ABCDEF" : "0123456789abcdef";
    if (base == 10) {
        for (; v > UINT32_MAX; v /= 10) *--end = (char)('0' + v % 10);
        {
            uint32_t w = (uint32_t)v;
            do *--end = (char)('0' + w % 10);
            while ((w /= 10) != 0);
        }
        return end;
    }
    do *--end = set[v % base];
    while ((v /= base) != 0);
    return end;
}
/* One conversion of the subset; *f points behind '%' and is left behind the conversion. text gets where it is. */
XG_FN size_t xg_format_one(const char **f, va_list *args, char spare[72], const char **text) {
    const char *p = *f;
    bool zero = false, precise = false;
    int width = 0, precision = 0, longs = 0;
    char *end = spare + 72, *s = end;
    size_t n;
    if (*p == '0') {
        zero = true;
        p++;
    }
    if (*p == '*') {
        width = va_arg(*args, int);
        p++;
    } else
        while (*p >= '0' && *p <= '9') width = width * 10 + (*p++ - '0');
    if (*p == '.') {
        precise = true;
        if (*++p == '*') {
            precision = va_arg(*args, int);
            p++;
        } else
            while (*p >= '0' && *p <= '9') precision = precision * 10 + (*p++ - '0');
    }
    for (; *p == 'l' || *p == 'z'; p++) longs += *p == 'z' ? 8 : 1;
    if (*p == 's') {
        const char *z = va_arg(*args, const char *);
        if (!z) z = "(null)";
        for (n = 0; (!precise || n < (size_t)precision) && z[n]; n++) {}
        *text = z;
        *f = p + 1;
        return n;
    }
    if (*p == 'c')
        *--s = (char)va_arg(*args, int);
    else if (*p == 'd' || *p == 'i') {
        int64_t v = longs >= 8   ? (int64_t)va_arg(*args, ptrdiff_t)
                    : longs == 2 ? (int64_t)va_arg(*args, long long)
                    : longs == 1 ? (int64_t)va_arg(*args, long)
                                 : (int64_t)va_arg(*args, int);
        s = xg_digits(s, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, 10, false);
        while (zero && end - s < width - (v < 0)) *--s = '0';
        if (v < 0) *--s = '-';
    } else if (*p == 'u' || *p == 'x' || *p == 'X') {
        uint64_t v = longs >= 8   ? (uint64_t)va_arg(*args, size_t)
                     : longs == 2 ? (uint64_t)va_arg(*args, unsigned long long)
                     : longs == 1 ? (uint64_t)va_arg(*args, unsigned long)
                                  : (uint64_t)va_arg(*args, unsigned);
        s = xg_digits(s, v, *p == 'u' ? 10 : 16, *p == 'X');
        while (zero && end - s < width && s > spare + 1) *--s = '0';
    } else
        *--s = *p ? *p : '%';
    while (end - s < width && s > spare) *--s = ' ';
    *text = s;
    *f = *p ? p + 1 : p;
    return (size_t)(end - s);
}
XG_FN size_t xg_vformat(char *out, size_t cap, const char *format, va_list args) {
    size_t total = 0;
    char spare[72];
    va_list copy;
    va_copy(copy, args);
    while (*format) {
        const char *text = format;
        size_t n = 1;
        if (*format == '%') {
            format++;
            n = xg_format_one(&format, &copy, spare, &text);
        } else {
            while (format[n] && format[n] != '%') n++;
            format += n;
        }
        if (total + 1 < cap) memcpy(out + total, text, XG_MIN(n, cap - 1 - total));
        total += n;
    }
    va_end(copy);
    if (cap) out[total < cap ? total : cap - 1] = 0;
    return total;
}
XG_FN size_t xg_format(char *out, size_t cap, const char *format, ...) {
    va_list args;
    size_t n;
    va_start(args, format);
    n = xg_vformat(out, cap, format, args);
    va_end(args);
    return n;
}

#endif /* XG_BASE_FORMAT_C */
