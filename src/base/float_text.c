/* base/float_text.c -- decimal text to the nearest float and back, exactly, with integers only.
 *
 * Reading. The first 19 significant digits make an integer w and the text is w * 10^q. With p = the top 128 bits of
 * 5^q, the product w * p knows the value to about 2^-126, below and above: far more than the 53 bits to keep. Only when
 * a midpoint between two floats lies inside that narrow interval the text is compared with the midpoint in big
 * integers.
 * This is the idea of Lemire's and Clinger's readers. float and double are two calls of one function, so a float is
 * rounded once. Printing is the same product the other way around: v * 10^n as an integer and a rest that is known well
 * enough, or else digit by digit in big integers.
 *
 * Laws
 * - No floating-point arithmetic, no locale, no rounding mode.
 * - Time is linear in the text: digits after the first 800 cannot change more than "is there any that is not 0", since
 *   the midpoint of two doubles has at most 768 digits. */
#ifndef XG_BASE_FLOAT_TEXT_C
#define XG_BASE_FLOAT_TEXT_C
#include "number.h"

/* ---- powers of ten ---- */

enum {
    XG_POW5_FIRST = -364,
    XG_POW5_STEP = 28,
    XG_POW5_EXACT = 27
};

/* The top 192 bits of every 28th power of five. Their products with the small powers, cut to 128 bits, equal the cut
 * 128 bits of all powers between (checked for each). */
XG_TABLE const uint64_t xg_pow5_steps[][3] = {
    {0xE1AFA13AFBD14D6Du, 0x82189C09A3A1EC21u, 0x7A43516213C7E04Cu}, /* 5^-364 */
    {0xE3E27A444D8D98B7u, 0xFD1B1B2308169B25u, 0x363B1F2C568DC3E2u}, /* 5^-336 */
    {0xE61ACF033D1A45DFu, 0x6FB92487298E33BDu, 0xADD7728C20B99BD1u}, /* 5^-308 */
    {0xE858AD248F5C22C9u, 0xD1B3400F8F9CFF68u, 0xF910F9F648232F14u}, /* 5^-280 */
    {0xEA9C227723EE8BCBu, 0x465E15A979C1CADCu, 0x0A0CE827EAC11F2Du}, /* 5^-252 */
    {0xECE53CEC4A314EBDu, 0xA4F8BF5635246428u, 0x4609AC5C7899CA36u}, /* 5^-224 */
    {0xEF340A98172AACE4u, 0x86FB897116C87C34u, 0x9C39C1DA4C49278Du}, /* 5^-196 */
    {0xF18899B1BC3F8CA1u, 0xDC44E6C3CB279AC1u, 0xF80F36174730CA34u}, /* 5^-168 */
    {0xF3E2F893DEC3F126u, 0x5A89DBA3C3EFCCFAu, 0xD8ECB58659BE9C90u}, /* 5^-140 */
    {0xF64335BCF065D37Du, 0x4D4617B5FF4A16D5u, 0xAA09501D5954A559u}, /* 5^-112 */
    {0xF8A95FCF88747D94u, 0x75A44C6397CE912Au, 0x33CCA6C06B07B74Du}, /* 5^-84 */
    {0xFB158592BE068D2Eu, 0xEED6E2F0F0D56712u, 0xAC2E4F162CFAD40Au}, /* 5^-56 */
    {0xFD87B5F28300CA0Du, 0x8BCA9D6E188853FCu, 0x76DCB60081CE0FA5u}, /* 5^-28 */
    {0x8000000000000000u, 0x0000000000000000u, 0x0000000000000000u}, /* 5^0 */
    {0x813F3978F8940984u, 0x4000000000000000u, 0x0000000000000000u}, /* 5^28 */
    {0x82818F1281ED449Fu, 0xBFF8F10E7A8921A4u, 0x2000000000000000u}, /* 5^56 */
    {0x83C7088E1AAB65DBu, 0x792667C6DA79E0FAu, 0x0861D3EE22D1CC53u}, /* 5^84 */
    {0x850FADC09923329Eu, 0x03E2CF6BC604DDB0u, 0x74A7EF0198791097u}, /* 5^112 */
    {0x865B86925B9BC5C2u, 0x0B8A2392BA45A9B2u, 0x5C6658D409FB8BF7u}, /* 5^140 */
    {0x87AA9AFF79042286u, 0x90FB44D2F05D0842u, 0xFB118FC9C217A1D2u}, /* 5^168 */
    {0x88FCF317F22241E2u, 0x441FECE3BDF81F03u, 0x12F274928400100Du}, /* 5^196 */
    {0x8A5296FFE33CC92Fu, 0x82BD6B70D99AAA6Fu, 0xBC10C5C5CDA97C8Du}, /* 5^224 */
    {0x8BAB8EEFB6409C1Au, 0x1AD089B6C2F7548Eu, 0x25C7B885BA466E37u}, /* 5^252 */
    {0x8D07E33455637EB2u, 0xDB0B487B6423E1E8u, 0x7EC63730F500B406u}, /* 5^280 */
    {0x8E679C2F5E44FF8Fu, 0x570F09EAA7EA7648u, 0x5961DB50C6D2B886u}, /* 5^308 */
    {0x8FCAC257558EE4E6u, 0x213A4F0AA5E8A7B1u, 0x949063D8A46F0C0Eu}, /* 5^336 */
};
XG_TABLE const uint64_t xg_pow5_small[XG_POW5_STEP] = {
    1u,
    5u,
    25u,
    125u,
    625u,
    3125u,
    15625u,
    78125u,
    390625u,
    1953125u,
    9765625u,
    48828125u,
    244140625u,
    1220703125u,
    6103515625u,
    30517578125u,
    152587890625u,
    762939453125u,
    3814697265625u,
    19073486328125u,
    95367431640625u,
    476837158203125u,
    2384185791015625u,
    11920928955078125u,
    59604644775390625u,
    298023223876953125u,
    1490116119384765625u,
    7450580596923828125u,
};

/* The top 128 bits (rounded down; the first bit is 1) of 10^q for -364 <= q < 364; with 0 <= q <= 27 they are exact and
 * low is 0. */
XG_INLINE_FAST uint64_t xg_pow10_top(int q, uint64_t *low) {
    const uint64_t *b = xg_pow5_steps[(unsigned)(q - XG_POW5_FIRST) / XG_POW5_STEP];
    uint64_t five = xg_pow5_small[(unsigned)(q - XG_POW5_FIRST) % XG_POW5_STEP], h0, h1, h2, l0, l1, l2;
    int n;
    if (five == 1) {
        *low = b[1];
        return b[0];
    }
    h0 = xg_mul_wide(b[0], five, &l0);
    h1 = xg_mul_wide(b[1], five, &l1);
    h2 = xg_mul_wide(b[2], five, &l2);
    l1 += h2;
    h1 += l1 < h2;
    l0 += h1;
    h0 += l0 < h1;
    n = xg_leading_zeros(h0); /* 1 <= n, for five < 2^63 */
    *low = l0 << n | l1 >> (64 - n);
    return h0 << n | l0 >> (64 - n);
}
XG_INLINE int xg_pow10_log2(int q) { return (q * 217706) >> 16; } /* floor(log2(10^q)) in that range */

/* ---- big integers: just enough of them ---- */

enum {
    XG_BIG_LIMBS = 112,
    XG_BIG_DIGITS = 800
}; /* 800 digits, or 54 bits times 5^1162, take 88 limbs */
typedef struct xg_big {
    int n;
    uint32_t limb[XG_BIG_LIMBS];
} xg_big;

XG_FN void xg_big_mul_add(xg_big *b, uint32_t factor, uint32_t carry) {
    uint64_t t = carry;
    int i;
    for (i = 0; i < b->n; i++) {
        t += (uint64_t)b->limb[i] * factor;
        b->limb[i] = (uint32_t)t;
        t >>= 32;
    }
    XLAGPU_ASSERT(!t || b->n < XG_BIG_LIMBS);
    if (t) b->limb[b->n++] = (uint32_t)t;
}
XG_FN void xg_big_set(xg_big *b, uint64_t v) {
    b->n = 0;
    while (v) {
        b->limb[b->n++] = (uint32_t)v;
        v >>= 32;
    }
}
XG_FN void xg_big_mul_pow5(xg_big *b, int n) {
    for (; n >= 13; n -= 13) xg_big_mul_add(b, 1220703125u, 0);
    while (n-- > 0) xg_big_mul_add(b, 5, 0);
}
XG_FN void xg_big_shift(xg_big *b, int bits) {
    int words = bits / 32, i;
    if (!b->n) return;
    xg_big_mul_add(b, (uint32_t)1 << (bits % 32), 0);
    XLAGPU_ASSERT(b->n + words <= XG_BIG_LIMBS);
    for (i = b->n; i-- > 0;) b->limb[i + words] = b->limb[i];
    memset(b->limb, 0, (size_t)words * 4);
    b->n += words;
}
XG_FN int xg_big_compare(const xg_big *a, const xg_big *b) {
    int i;
    if (a->n != b->n) return a->n < b->n ? -1 : 1;
    for (i = a->n; i-- > 0;)
        if (a->limb[i] != b->limb[i]) return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}
XG_FN void xg_big_subtract(xg_big *a, const xg_big *b) { /* a >= b */
    int64_t t = 0;
    int i;
    for (i = 0; i < a->n; i++) {
        t += (int64_t)a->limb[i] - (i < b->n ? (int64_t)b->limb[i] : 0);
        a->limb[i] = (uint32_t)t;
        t = t < 0 ? -1 : 0;
    }
    while (a->n && !a->limb[a->n - 1]) a->n--;
}

/* ---- scanning ---- */

typedef struct xg_decimal {
    uint64_t digits;  /* up to 19 significant ones */
    int64_t exponent; /* the value is digits * 10^exponent, or, if there are more, less than one unit above it */
    bool negative, more;
    const char *first, *end; /* if more: the digits in the text, point included */
    int64_t last_exponent;   /* of the last of them */
} xg_decimal;

XG_INLINE bool xg_is_digit(char c) { return (unsigned char)(c - '0') < 10; }

/* Eight digits at once; the first is in the lowest byte. */
XG_INLINE_FAST uint64_t xg_digits8_value(uint64_t v) {
    v -= 0x3030303030303030u;
    v = v * 10 + (v >> 8); /* pairs in every other byte */
    return (((v & 0x000000FF000000FFu) * 0x000F424000000064u) +
               ((v >> 16 & 0x000000FF000000FFu) * 0x0000271000000001u)) >>
           32;
}
/* Appends the digits at p to *w (modulo 2^64) and returns where they end. Runs of less than eight are read without a
 * branch on their length. */
XG_INLINE_FAST const char *xg_read_digits(const char *p, const char *end, uint64_t *w) {
    XG_TABLE const uint32_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
    while (end - p >= 8) {
        uint64_t eight, t;
        int n;
        memcpy(&eight, p, 8);
        t = eight ^ 0x3030303030303030u;
        /* the lowest bit marks the first byte that is no digit */
        t = (t | (t + 0x7676767676767676u)) & 0x8080808080808080u;
        if (t) {
            n = xg_trailing_zeros(t) >> 3;
            if (n) *w = *w * powers[n] + xg_digits8_value(eight << (64 - 8 * n) | 0x3030303030303030u >> (8 * n));
            return p + n;
        }
        *w = *w * 100000000u + xg_digits8_value(eight);
        p += 8;
    }
    while (p < end && xg_is_digit(*p)) *w = *w * 10 + (uint64_t)(*p++ - '0');
    return p;
}

/* More than 19 digits were written: keep the first 19 significant ones, if there are that many. */
XG_NOINLINE XG_FN void xg_decimal_cut(xg_decimal *d, const char *first, const char *end) {
    int64_t after = 0, n = 0;
    const char *p;
    while (first < end && (*first == '0' || *first == '.')) first++;
    d->digits = 0;
    d->first = first;
    d->end = end;
    for (p = first; p < end && n < 19; p++)
        if (*p != '.') {
            d->digits = d->digits * 10 + (uint64_t)(*p - '0');
            n++;
        }
    after = end - p;
    if (after && memchr(p, '.', (size_t)after)) after--;
    d->exponent += after;
    d->more = after > 0;
}

/* Returns the end of the number at p, or p when there is none. */
XG_APART XG_INLINE_FAST const char *xg_decimal_scan(const char *p, const char *end, xg_decimal *d) {
    const char *start = p, *first, *point, *last;
    int64_t n;
    d->digits = 0;
    d->exponent = 0;
    d->more = false;
    d->first = d->end = NULL;
    if (p == end) return p;
    d->negative = *p == '-';
    p += d->negative | (*p == '+');
    first = p;
    if (p < end && xg_is_digit(*p)) { /* one digit in front of the point is the usual thing */
        d->digits = (uint64_t)(*p++ - '0');
        if (p < end && xg_is_digit(*p)) p = xg_read_digits(p, end, &d->digits);
    }
    n = p - first;
    if (p < end && *p == '.') {
        point = ++p;
        p = xg_read_digits(p, end, &d->digits);
        d->exponent = point - p;
        n += p - point;
    }
    if (n == 0) return start;
    last = p;
    if (p < end && (*p == 'e' || *p == 'E')) {
        const char *e = p + 1;
        bool minus = e < end && *e == '-';
        int64_t v = 0;
        if (e < end && (*e == '-' || *e == '+')) e++;
        if (e < end && xg_is_digit(*e)) {
            for (; e < end && xg_is_digit(*e); e++)
                if (v < (int64_t)1 << 56) v = v * 10 + (*e - '0');
            d->exponent += minus ? -v : v;
            p = e;
        }
    }
    d->last_exponent = d->exponent;
    if (XG_UNLIKELY(n > 19)) xg_decimal_cut(d, first, last);
    return p;
}

/* ---- decimal to binary ---- */

/* odd * 2^exponent, half way between two floats */
typedef struct xg_midpoint {
    uint64_t odd;
    int exponent;
} xg_midpoint;

/* The first XG_BIG_DIGITS digits of the text and a 1 for any others that are not 0; returns the exponent. */
XG_FN int64_t xg_decimal_to_big(const xg_decimal *d, xg_big *b) {
    int64_t exponent;
    const char *p;
    int n = 0;
    xg_big_set(b, 0);
    for (p = d->first; p < d->end && n < XG_BIG_DIGITS; p++)
        if (*p != '.') {
            xg_big_mul_add(b, 10, (uint32_t)(*p - '0'));
            n++;
        }
    exponent = d->last_exponent + (d->end - p);
    if (p < d->end && memchr(p, '.', (size_t)(d->end - p))) exponent--;
    while (p < d->end && (*p == '0' || *p == '.')) p++;
    if (p == d->end) return exponent;
    xg_big_mul_add(b, 10, 1);
    return exponent - 1;
}

/* The sign of d - m. */
XG_NOINLINE XG_FN int xg_decimal_compare(const xg_decimal *d, xg_midpoint m) {
    xg_big left, right;
    int64_t q = d->exponent;
    int shift;
    if (d->more)
        q = xg_decimal_to_big(d, &left);
    else
        xg_big_set(&left, d->digits);
    xg_big_set(&right, m.odd);
    if (q >= 0)
        xg_big_mul_pow5(&left, (int)q);
    else
        xg_big_mul_pow5(&right, (int)-q);
    shift = (int)q - m.exponent;
    xg_big_shift(shift > 0 ? &left : &right, shift > 0 ? shift : -shift);
    return xg_big_compare(&left, &right);
}

/* The bits of the nearest float of a format (infinity when the value is beyond), or false, the bits of the float below
 * and the midpoint to compare with. [high low, + error) holds the value in units of 2^unit, high having its first bit
 * set. */
XG_INLINE_FAST bool xg_decimal_round(
    const xg_decimal *d, int mantissa_bits, int bias, uint64_t *bits, xg_midpoint *middle) {
    uint64_t w = d->digits, high, low, top, carry, rest, half, kept, unused, error_high;
    int q, n, unit, drop, exponent;
    bool exact;
    *bits = 0;
    if (w == 0 || d->exponent < -343) return true;
    *bits = (uint64_t)(2 * bias + 1) << mantissa_bits;
    if (d->exponent > 308) return true;
    q = (int)d->exponent;
    n = xg_leading_zeros(w);
    w <<= n;
    top = xg_pow10_top(q, &carry);
    high = xg_mul_wide(w, top, &low);
    carry = xg_mul_wide(w, carry, &unused);
    low += carry;
    high += low < carry;
    unit = xg_pow10_log2(q) - n - 63;
    exact = q >= 0 && q <= XG_POW5_EXACT && !d->more;
    error_high = d->more ? (uint64_t)1 << (n + 1) : 0;
    if (!(high >> 63)) {
        high = high << 1 | low >> 63;
        low <<= 1;
        unit--;
    }
    exponent = unit + 127;
    if (exponent > bias) return true;
    *bits = 0;
    drop = 127 - mantissa_bits + (exponent < 1 - bias ? 1 - bias - exponent : 0);
    if (drop > 129) return true;
    middle->exponent = unit + drop - 1;
    middle->odd = 1;
    if (drop >= 128) return false;
    kept = high >> (drop - 64);
    middle->odd = 2 * kept + 1;
    *bits = kept + (exponent < 1 - bias ? 0 : (uint64_t)(exponent + bias - 1) << mantissa_bits);
    rest = high & (((uint64_t)1 << (drop - 64)) - 1);
    half = (uint64_t)1 << (drop - 65);
    if (rest >= half) {
        if (rest == half && low == 0) {
            *bits += exact && (kept & 1);
            return exact;
        }
        *bits += 1;
        return true;
    }
    if (exact) return true;
    rest += error_high + (low + 4 < 4);
    return rest < half || (rest == half && low + 4 == 0);
}

XG_INLINE_FAST uint64_t xg_decimal_bits(const xg_decimal *d, int mantissa_bits, int bias) {
    xg_midpoint middle;
    uint64_t bits;
    if (XG_UNLIKELY(!xg_decimal_round(d, mantissa_bits, bias, &bits, &middle))) {
        int side = xg_decimal_compare(d, middle);
        bits += side > 0 || (side == 0 && (middle.odd & 2));
    }
    return bits;
}

/* inf and nan, with a sign or without: the bytes read; *special is 1 or 2, *negative the sign. */
XG_FN size_t xg_float_word(const char *p, size_t n, int *special, bool *negative) {
    size_t at = n && (*p == '-' || *p == '+');
    *negative = at && *p == '-';
    if (n < at + 3) return 0;
    if (memcmp(p + at, "inf", 3) == 0)
        *special = 1;
    else if (memcmp(p + at, "nan", 3) == 0)
        *special = 2;
    else
        return 0;
    return at + 3;
}

/* The bits of the format with so many bits of mantissa; the infinity's are those of the largest exponent. */
XG_FN size_t xg_float_parse_bits(const char *p, size_t n, int mantissa_bits, int bias, uint64_t *bits, bool *overflow) {
    const uint64_t infinity = (uint64_t)(2 * bias + 1) << mantissa_bits;
    xg_decimal d;
    const char *end = xg_decimal_scan(p, p + n, &d);
    int special = 0;
    *overflow = false;
    if (end == p) {
        n = xg_float_word(p, n, &special, &d.negative);
        if (!n) return 0;
        *bits = infinity | (special == 1 ? 0 : (uint64_t)1 << (mantissa_bits - 1));
        end = p + n;
    } else {
        *bits = xg_decimal_bits(&d, mantissa_bits, bias);
        *overflow = *bits == infinity;
    }
    *bits |= (uint64_t)d.negative * (infinity + ((uint64_t)1 << mantissa_bits));
    return (size_t)(end - p);
}
XG_FN size_t xg_float_parse(const char *p, size_t n, double *out, bool *overflow) {
    uint64_t bits;
    n = xg_float_parse_bits(p, n, 52, 1023, &bits, overflow);
    if (n) memcpy(out, &bits, 8);
    return n;
}
XG_FN size_t xg_float_parse32(const char *p, size_t n, float *out, bool *overflow) {
    uint64_t bits;
    uint32_t word;
    n = xg_float_parse_bits(p, n, 23, 127, &bits, overflow);
    word = (uint32_t)bits;
    if (n) memcpy(out, &word, 4);
    return n;
}

/* ---- binary to decimal ---- */

enum {
    XG_DIGITS_FAST = 17,
    XG_DIGITS_MAX = 40
};

/* significand * 2^exponent = 0.d1d2d3... * 10^(k+1): the first `count` digits, rounded, as an integer; false when only
 * big integers can tell. */
XG_FN bool xg_float_digits_fast(uint64_t significand, int exponent, int count, uint64_t *digits, int *k) {
    XG_TABLE const uint64_t powers[] = {1u, 10u, 100u, 1000u, 10000u, 100000u, 1000000u, 10000000u, 100000000u,
        1000000000u, 10000000000u, 100000000000u, 1000000000000u, 10000000000000u, 100000000000000u, 1000000000000000u,
        10000000000000000u, 100000000000000000u};
    int n = xg_leading_zeros(significand), q, drop;
    uint64_t w = significand << n, high, low, top, carry, unused, rest, half;
    exponent -= n;
    *k = ((exponent + 63) * 78913) >> 18; /* floor(log10) or one less: then a second round */
    for (;; ++*k) {
        q = count - 1 - *k;
        top = xg_pow10_top(q, &carry);
        high = xg_mul_wide(w, top, &low);
        carry = xg_mul_wide(w, carry, &unused);
        low += carry;
        high += low < carry;
        drop = -(xg_pow10_log2(q) - 63 + exponent); /* 64 < drop < 128, since the integer part has 1 to 60 bits */
        *digits = high >> (drop - 64);
        rest = high & (((uint64_t)1 << (drop - 64)) - 1);
        half = (uint64_t)1 << (drop - 65);
        if (rest == half && low == 0) {
            if (q < 0 || q > XG_POW5_EXACT) return false;
            *digits += *digits & 1;
        } else if (rest >= half)
            ++*digits;
        else if (rest == half - 1 && low + 2 < 2 && !(q >= 0 && q <= XG_POW5_EXACT))
            return false;
        if (*digits < powers[count]) return true;
        if (*digits == powers[count]) {
            *digits = powers[count - 1];
            ++*k;
            return true;
        } /* 9.97 became 10.0 */
    }
}

/* The digits of n / d, which is at least 1 and less than 10, and then the rest decides how to round. Returns true if a
 * carry left the first digit. */
XG_FN bool xg_big_digits(xg_big *n, const xg_big *d, char *out, int count) {
    int i, side;
    for (i = 0; i < count; i++) {
        if (i) xg_big_mul_add(n, 10, 0);
        for (out[i] = '0'; xg_big_compare(n, d) >= 0; out[i]++) xg_big_subtract(n, d);
    }
    xg_big_mul_add(n, 2, 0);
    side = xg_big_compare(n, d);
    if (side < 0 || (side == 0 && !((out[count - 1] - '0') & 1))) return false;
    for (i = count; i-- > 0;) {
        if (out[i] != '9') {
            out[i]++;
            return false;
        }
        out[i] = '0';
    }
    out[0] = '1';
    return true;
}

XG_FN int xg_float_digits_slow(uint64_t significand, int exponent, int count, char *out) {
    int k = ((exponent + 63 - xg_leading_zeros(significand)) * 78913) >> 18;
    for (;; k++) {
        xg_big n, d, ten;
        xg_big_set(&n, significand);
        xg_big_set(&d, 1);
        xg_big_mul_pow5(k < 0 ? &n : &d, k < 0 ? -k : k);
        if (exponent > k)
            xg_big_shift(&n, exponent - k);
        else
            xg_big_shift(&d, k - exponent);
        ten = d;
        xg_big_mul_add(&ten, 10, 0);
        if (xg_big_compare(&n, &ten) < 0) return k + xg_big_digits(&n, &d, out, count);
    }
}

/* `count` digits of a finite v that is not 0, and the decimal exponent of the first. */
XG_FN int xg_float_digits(double v, int count, char *out) {
    uint64_t bits, significand, digits;
    int exponent, k, i;
    memcpy(&bits, &v, 8);
    exponent = (int)(bits >> 52 & 2047);
    significand = bits & 0xFFFFFFFFFFFFFu;
    if (exponent)
        significand |= (uint64_t)1 << 52;
    else
        exponent = 1;
    exponent -= 1075;
    if (count > XG_DIGITS_FAST || !xg_float_digits_fast(significand, exponent, count, &digits, &k))
        return xg_float_digits_slow(significand, exponent, count, out);
    for (i = count; i-- > 0; digits /= 10) out[i] = (char)('0' + digits % 10);
    return k;
}

/* Lays digits out as %g does: no zeros at the end, an exponent when it is below -4 or not below `count`. */
XG_FN void xg_float_put_digits(xg_buf *b, const char *digits, int count, int k) {
    char t[XG_DIGITS_MAX + 16];
    size_t n = 0;
    int used = count, i;
    while (used > 1 && digits[used - 1] == '0') used--;
    if (k < -4 || k >= count) {
        t[n++] = digits[0];
        if (used > 1) t[n++] = '.';
        for (i = 1; i < used; i++) t[n++] = digits[i];
        t[n++] = 'e';
        t[n++] = k < 0 ? '-' : '+';
        if (k < 0) k = -k;
        if (k >= 100) t[n++] = (char)('0' + k / 100);
        t[n++] = (char)('0' + k / 10 % 10);
        t[n++] = (char)('0' + k % 10);
    } else if (k < 0) {
        t[n++] = '0';
        t[n++] = '.';
        for (i = -1; i > k; i--) t[n++] = '0';
        for (i = 0; i < used; i++) t[n++] = digits[i];
    } else {
        for (i = 0; i < used || i <= k; i++) {
            if (i == k + 1) t[n++] = '.';
            t[n++] = i < used ? digits[i] : '0';
        }
    }
    xg_put(b, t, n);
}

XG_FN void xg_float_print_g(xg_buf *b, double v, int digits) {
    char t[XG_DIGITS_MAX];
    uint64_t bits;
    int k;
    memcpy(&bits, &v, 8);
    if (bits >> 63) xg_putc(b, '-');
    if (v != v) {
        xg_puts(b, "nan");
        return;
    }
    if (v == 0) {
        xg_putc(b, '0');
        return;
    }
    if ((bits >> 52 & 2047) == 2047) {
        xg_puts(b, "inf");
        return;
    }
    digits = XG_MAX(1, XG_MIN(digits, XG_DIGITS_MAX));
    k = xg_float_digits(v, digits, t);
    xg_float_put_digits(b, t, digits, k);
}

/* Whether the first `count` digits read back as the same f32 or f64. */
XG_FN bool xg_float_digits_suffice(const xg_float_format *f, uint64_t magnitude, const char *digits, int count, int k) {
    xg_decimal d;
    int i;
    memset(&d, 0, sizeof d);
    for (i = 0; i < count; i++) d.digits = d.digits * 10 + (uint64_t)(digits[i] - '0');
    d.exponent = k - count + 1;
    return xg_decimal_bits(&d, f->mantissa_bits, f->bias) == magnitude;
}

XG_FN void xg_float_print(xg_buf *b, xlagpu_type t, uint64_t bits) {
    const xg_float_format *f = xg_float_format_of(t);
    double v = xg_float_decode(t, bits);
    uint64_t fraction = bits & (((uint64_t)1 << f->mantissa_bits) - 1),
             magnitude = bits & (((uint64_t)1 << (f->bits - 1)) - 1);
    char digits[XG_DIGITS_MAX];
    if (v != v && f->has_infinity && fraction != (uint64_t)1 << (f->mantissa_bits - 1)) {
        xg_printf(b, bits >> (f->bits - 1) & 1 ? "-nan(0x%llx)" : "nan(0x%llx)", (unsigned long long)fraction);
        return;
    }
    if (f->digits_short < f->digits_full && magnitude && magnitude <= f->max_bits) {
        int k = xg_float_digits(v, f->digits_short, digits);
        if (xg_float_digits_suffice(f, magnitude, digits, f->digits_short, k)) {
            if (v < 0) xg_putc(b, '-');
            xg_float_put_digits(b, digits, f->digits_short, k);
            return;
        }
    }
    /* 5.9e-39 is a little more, which rounds up */
    if (f->type == XLAGPU_F8E8M0FNU && bits == 0) {
        xg_float_print_g(b, v, 17);
        return;
    }
    xg_float_print_g(b, v, f->digits_full);
}

#endif /* XG_BASE_FLOAT_TEXT_C */
