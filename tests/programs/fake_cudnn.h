/* fake_cudnn.h -- the functions of cuDNN that we look up, over host memory: libraries.c builds it.
 *
 * Descriptors keep their attributes as they were set. Each is refused that has another type than cuDNN's, or that the
 * descriptor does not have; a descriptor that lacks one that it must have, or whose tensors do not fit each other, is
 * not completed, and only complete ones can be attributes. A plan computes its operations in their order, in f64. Of
 * the engines the first two have notes (products of 10 bits; sums in no order), the third needs memory. */
#include <math.h>
enum {
    DATA_TYPE = 1,
    BOOLEAN = 2,
    INT64 = 3,
    FLOAT = 4,
    DOUBLE = 5,
    POINTER = 6,
    DESCRIPTOR = 15,
    REQUIRED = 1,
    BAD = 2000,
    INCOMPLETE = 2004,
    UNSUPPORTED = 3000,
    RANK = 5
};
/* kind, name, type (two for numbers of which either may be), whether it must be there */
static const int attribute_rows[][5] = {
    {17, 900, INT64, INT64, 1}, {17, 901, 1, 1, 1}, {17, 902, INT64, INT64, 1}, {17, 903, INT64, INT64, 1},
    {17, 906, INT64, INT64, 1}, {17, 907, 2, 2, 0}, {17, 908, 2, 2, 0},                         /* tensor */
    {1, 100, 1, 1, 1}, {1, 101, 7, 7, 1}, {1, 102, INT64, INT64, 1}, {1, 103, INT64, INT64, 1}, /* window */
    {1, 104, INT64, INT64, 1}, {1, 105, INT64, INT64, 1}, {1, 106, INT64, INT64, 1}, {10, 700, FLOAT, DOUBLE, 1},
    {10, 701, FLOAT, DOUBLE, 1}, {10, 702, 15, 15, 1}, {10, 703, 15, 15, 1}, /* forward */
    {10, 704, 15, 15, 1}, {10, 705, 15, 15, 1}, {12, 706, FLOAT, DOUBLE, 1}, {12, 707, FLOAT, DOUBLE, 1},
    {12, 708, 15, 15, 1}, {12, 709, 15, 15, 1}, /* data */
    {12, 710, 15, 15, 1}, {12, 711, 15, 15, 1}, {11, 712, FLOAT, DOUBLE, 1}, {11, 713, FLOAT, DOUBLE, 1},
    {11, 714, 15, 15, 1}, {11, 715, 15, 15, 1}, /* filter */
    {11, 716, 15, 15, 1}, {11, 717, 15, 15, 1}, {0, 0, 14, 14, 1}, {0, 1, 1, 1, 1}, {0, 4, DOUBLE, DOUBLE, 0},
    {0, 9, INT64, INT64, 0}, /* pointwise */
    {13, 750, 15, 15, 1}, {13, 751, 15, 15, 1}, {13, 752, 15, 15, 0}, {13, 753, 15, 15, 1}, {13, 758, 15, 15, 0},
    {18, 1500, 1, 1, 1}, {19, 1520, 15, 15, 1}, {19, 1521, 15, 15, 1}, {19, 1522, 15, 15, 1}, /* matmul */
    {19, 1523, 15, 15, 1}, {21, 1600, 18, 18, 1}, {21, 1601, 1, 1, 1}, {22, 1610, 15, 15, 1},
    {22, 1611, 15, 15, 1}, /* reduction */
    {22, 1612, 15, 15, 1}, {29, 2000, 27, 27, 1}, {29, 2001, 28, 28, 1}, {29, 2002, 15, 15, 1}, {29, 2003, 15, 15, 0},
    {29, 2004, 15, 15, 0}, {29, 2005, 15, 15, 1}, {29, 2006, 15, 15, 0}, {29, 2007, 15, 15, 1},
    {29, 2013, 15, 15, 1},                                                                         /* norm */
    {15, 800, 0, 0, 1}, {15, 801, 15, 15, 1},                                                      /* graph */
    {4, 200, 8, 8, 1}, {4, 201, 15, 15, 1},                                                        /* advice */
    {5, 400, 0, 0, 1}, {5, 401, 15, 15, 1},                                                        /* plan */
    {16, 1000, INT64, INT64, 1}, {16, 1001, POINTER, POINTER, 1}, {16, 1003, POINTER, POINTER, 1}, /* pack */
};
enum {
    ROWS = sizeof attribute_rows / sizeof *attribute_rows
};
typedef struct attribute {
    int name, type;
    int64_t count;
    char *data;
} attribute;
typedef struct desc {
    int kind, complete, n, engine;
    attribute a[10];
    struct desc *graph; /* of an engine configuration */
    int rank;           /* of a tensor that is complete, with its sizes and strides */
    int64_t dims[RANK], strides[RANK];
} desc;
typedef struct handle {
    void *stream;
    int has_stream, busy;
} handle;

/* ---- descriptors ---- */

static int width(int type) {
    return type == BOOLEAN                                                                         ? 1
           : type == INT64 || type == DOUBLE || type == 0 || type == POINTER || type == DESCRIPTOR ? 8
                                                                                                   : 4;
}
static attribute *find(const desc *d, int name) {
    int k;
    for (k = 0; k < d->n; k++)
        if (d->a[k].name == name) return (attribute *)&d->a[k];
    return NULL;
}
static const int64_t *ints(const desc *d, int name) { return (const int64_t *)find(d, name)->data; }
static int word(const desc *d, int name) {
    int v = 0;
    if (find(d, name))
        memcpy(&v, find(d, name)->data, (size_t)width(find(d, name)->type) > 4 ? 4 : width(find(d, name)->type));
    return v;
}
static desc *part(const desc *d, int name) { return find(d, name) ? *(desc **)find(d, name)->data : NULL; }
static double number(const desc *d, int name) {
    const attribute *a = find(d, name);
    return a->type == FLOAT ? *(float *)a->data : *(double *)a->data;
}
size_t cudnnGetVersion(void) { return fake.version; }
void cudnnGetLastErrorString(char *to, size_t n) {
    if (n) strncpy(to, "the imitation says why", n - 1), to[n - 1] = 0;
}
int cudnnCreate(void **h) {
    int e = failing();
    if (e) return e;
    *h = calloc(1, sizeof(handle));
    fake.live++;
    return 0;
}
int cudnnDestroy(void *h) { return drop(h); }
/* One user at a time. */
static void use(const void *h) { fake.shared += ((const handle *)h)->busy; }
int cudnnSetStream(void *h, void *stream) {
    int e = failing();
    use(h);
    ((handle *)h)->stream = stream;
    ((handle *)h)->has_stream = !e;
    return e;
}
int cudnnBackendCreateDescriptor(int kind, void **to) {
    int e = failing();
    if (e) return e;
    *to = calloc(1, sizeof(desc));
    ((desc *)*to)->kind = kind;
    fake.live++;
    return 0;
}
int cudnnBackendDestroyDescriptor(void *p) {
    desc *d = (desc *)p;
    int k;
    for (k = 0; k < d->n; k++) free(d->a[k].data);
    return drop(d);
}
int cudnnBackendSetAttribute(void *p, int name, int type, int64_t count, const void *values) {
    desc *d = (desc *)p;
    attribute *a;
    int e = failing(), k;
    int64_t j;
    if (e) return e;
    for (k = 0; k < ROWS; k++)
        if (attribute_rows[k][0] == d->kind && attribute_rows[k][1] == name &&
            (attribute_rows[k][2] == type || attribute_rows[k][3] == type))
            break;
    if (k == ROWS || d->complete || count < 1 || d->n == 10) return BAD;
    for (j = 0; type == DESCRIPTOR && j < count; j++)
        if (!((desc *const *)values)[j] || !((desc *const *)values)[j]->complete) return INCOMPLETE;
    if (type == 0) use(*(void *const *)values);
    a = find(d, name);
    if (!a) a = &d->a[d->n++];
    free(a->data);
    a->name = name;
    a->type = type;
    a->count = count;
    a->data = (char *)malloc((size_t)count * (size_t)width(type));
    memcpy(a->data, values, (size_t)count * (size_t)width(type));
    return 0;
}

/* ---- what fits ---- */

static int rank(const desc *t) { return t->rank; }
static int64_t dim(const desc *t, int k) { return t->dims[k]; }
/* x, w and y of the three operations */
static const int conv_names[][4] = {{704, 703, 705, 702}, {716, 715, 717, 714}, {710, 709, 711, 708}};
static int conv_fits(const desc *op) {
    const int *names = conv_names[op->kind - 10];
    const desc *x = part(op, names[0]), *w = part(op, names[1]), *y = part(op, names[2]), *c = part(op, names[3]);
    int k, n = (int)ints(c, 106)[0];
    if (n < 2 || rank(x) != n + 2 || rank(w) != n + 2 || rank(y) != n + 2 || word(c, 101) != 1) return 0;
    if (dim(x, 0) != dim(y, 0) || dim(y, 1) != dim(w, 0) || dim(x, 1) % dim(w, 1) ||
        dim(y, 1) % (dim(x, 1) / dim(w, 1)))
        return 0;
    for (k = 102; k <= 105; k++)
        if (find(c, k)->count != n) return 0;
    for (k = 0; k < n; k++) {
        int64_t room = dim(x, 2 + k) + ints(c, 105)[k] + ints(c, 104)[k] - (dim(w, 2 + k) - 1) * ints(c, 102)[k] - 1;
        if (ints(c, 104)[k] < 0 || ints(c, 105)[k] < 0 || ints(c, 103)[k] < 1 || ints(c, 102)[k] < 1 || room < 0 ||
            room / ints(c, 103)[k] + 1 != dim(y, 2 + k))
            return 0;
    }
    return 1;
}
/* Along each dimension as long, or 1 long. */
static int spreads(const desc *b, const desc *y) {
    int k;
    if (!b) return 1;
    if (rank(b) != rank(y)) return 0;
    for (k = 0; k < rank(y); k++)
        if (dim(b, k) != dim(y, k) && dim(b, k) != 1) return 0;
    return 1;
}
static int matmul_fits(const desc *op) {
    const desc *a = part(op, 1520), *b = part(op, 1521), *c = part(op, 1522);
    int n = rank(c), k;
    if (n < 3 || rank(a) != n || rank(b) != n) return 0;
    for (k = 0; k < n - 2; k++) /* heads may share their keys */
        if (dim(a, k) != dim(c, k) || dim(c, k) % dim(b, k)) return 0;
    return dim(a, n - 2) == dim(c, n - 2) && dim(b, n - 1) == dim(c, n - 1) && dim(a, n - 1) == dim(b, n - 2);
}
/* Layer and RMS norms are of rows along dimension 1, batch norms of the others; statistics are results of training
 * alone, and RMS norms have no mean. */
static int norm_fits(const desc *op) {
    const desc *x = part(op, 2002), *mean = part(op, 2003), *share = part(op, 2004),
               *v[] = {part(op, 2005), part(op, 2006)};
    int mode = word(op, 2000), k, j;
    if ((mode != 0 && mode != 2 && mode != 4) || !word(op, 2001) != !share || (mode != 4 && !mean != !share) ||
        (mode == 4 && mean) || (mode == 2 && (!share || !v[1])) || rank(x) != 4 || !spreads(x, part(op, 2013)) ||
        !word(part(op, 2007), 908))
        return 0;
    for (k = 0; k < 2; k++)
        for (j = 0; v[k] && j < 4; j++)
            if (rank(v[k]) != 4 || dim(v[k], j) != (j == 1 ? dim(x, 1) : 1)) return 0;
    for (j = 0; share && j < 4; j++)
        if (dim(share, j) != (j == (mode == 2) ? dim(x, j) : 1) || (mean && dim(mean, j) != dim(share, j))) return 0;
    return mode == 2 || dim(x, 2) * dim(x, 3) == 1;
}
static int fits(const desc *d) {
    if (d->kind == 17)
        return find(d, 902)->count == find(d, 903)->count && find(d, 902)->count <= RANK &&
               !(word(d, 907) && word(d, 908));
    if (d->kind >= 10 && d->kind <= 12) return conv_fits(d);
    if (d->kind == 13) return spreads(part(d, 751), part(d, 753)) && spreads(part(d, 752), part(d, 753));
    if (d->kind == 19) return matmul_fits(d);
    if (d->kind == 29) return norm_fits(d);
    if (d->kind == 22) return spreads(part(d, 1611), part(d, 1610));
    if (d->kind == 16) return find(d, 1000)->count == find(d, 1001)->count;
    return 1;
}
int cudnnBackendFinalize(void *p) {
    desc *d = (desc *)p;
    int e = failing(), k;
    if (e) return e;
    if (d->complete) return BAD;
    for (k = 0; k < ROWS; k++)
        if (attribute_rows[k][0] == d->kind && attribute_rows[k][4] && !find(d, attribute_rows[k][1])) return BAD;
    if (!fits(d)) return BAD;
    d->complete = 1;
    if (d->kind != 17) return 0;
    d->rank = (int)find(d, 902)->count;
    memcpy(d->dims, ints(d, 902), (size_t)d->rank * sizeof *d->dims);
    memcpy(d->strides, ints(d, 903), (size_t)d->rank * sizeof *d->strides);
    return 0;
}

/* ---- engines ---- */

int cudnnBackendGetAttribute(void *p, int name, int type, int64_t wanted, int64_t *count, void *values) {
    desc *d = (desc *)p, *to;
    int e = failing(), k;
    if (e) return e;
    if (d->kind == 4 && name == 202 && type == DESCRIPTOR) { /* of the best advice three, else one */
        *count = !fake.algorithms ? 0 : word(d, 200) == 3 ? 3 : 1;
        for (k = 0; k < *count && k < wanted; k++) {
            to = ((desc **)values)[k];
            if (to->kind != 3) return BAD;
            to->engine = word(d, 200) == 3 ? k : 3;
            to->graph = part(d, 201);
            to->complete = 1;
        }
        return 0;
    }
    if (d->kind == 3 && name == 300 && type == DESCRIPTOR) {
        to = *(desc **)values;
        if (to->kind != 2) return BAD;
        to->engine = d->engine;
        to->complete = 1;
        *count = 1;
        return 0;
    }
    if (d->kind == 2 && name == 1303 && type == 11) {
        *count = d->engine == 0 || d->engine == 1;
        if (*count && wanted) *(int *)values = d->engine == 0 ? (int)fake.asked : 4;
        return 0;
    }
    if (d->kind == 5 && name == 402 && type == INT64) {
        *(int64_t *)values = part(d, 401)->engine == 2 ? fake.algorithms > 1 ? 1LL << 50 : 64 : 0;
        *count = 1;
        return 0;
    }
    return BAD;
}

/* ---- computing ---- */

typedef struct value {
    int64_t number;
    double *p; /* dense, in the order of the dimensions */
} value;
static float brain(uint16_t v) {
    uint32_t bits = (uint32_t)v << 16;
    float f;
    memcpy(&f, &bits, 4);
    return f;
}
static double half(uint16_t v) {
    int exponent = v >> 10 & 31;
    double m = exponent ? 1 + (v & 1023) / 1024.0 : (v & 1023) / 512.0;
    m = ldexp(m, exponent - 15);
    return v >> 15 ? -m : m;
}
static uint16_t to_brain(float f) {
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return f != f ? 0x7FC0 : (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}
static uint16_t to_half(double v) { /* whole steps of the exponent's last place, ties to even */
    int exponent = 0;
    double a = fabs(v), step;
    uint16_t sign = (uint16_t)(signbit(v) ? 0x8000 : 0);
    if (a != a) return 0x7E00;
    if (a >= 65520) return (uint16_t)(sign | 0x7C00);
    if (a >= ldexp(1, -14)) frexp(a, &exponent);
    exponent = a >= ldexp(1, -14) ? exponent - 1 : -14;
    step = nearbyint(ldexp(a, 10 - exponent));
    return (uint16_t)(sign | (uint16_t)((exponent + 14) * 1024 + (int)step));
}
static double load(const char *p, int type, int64_t at) {
    switch (type) {
    case 0: return ((const float *)p)[at];
    case 1: return ((const double *)p)[at];
    case 2: return half(((const uint16_t *)p)[at]);
    case 3: return ((const signed char *)p)[at];
    case 4: return ((const int32_t *)p)[at];
    case 9: return brain(((const uint16_t *)p)[at]);
    default: return NAN;
    }
}
static double rounded(double v, int type) {
    return type == 0 ? (float)v : type == 2 ? half(to_half(v)) : type == 9 ? brain(to_brain((float)v)) : v;
}
static void store(char *p, int type, int64_t at, double v) {
    if (type == 0) ((float *)p)[at] = (float)v;
    if (type == 1) ((double *)p)[at] = v;
    if (type == 2) ((uint16_t *)p)[at] = to_half(v);
    if (type == 3) ((signed char *)p)[at] = (signed char)v;
    if (type == 4) ((int32_t *)p)[at] = (int32_t)v;
    if (type == 9) ((uint16_t *)p)[at] = to_brain((float)v);
}
static int64_t size(const desc *t) {
    int64_t n = 1;
    int k;
    for (k = 0; k < rank(t); k++) n *= dim(t, k);
    return n;
}
static void place_of(const desc *t, int64_t i, int64_t *place) {
    int k;
    for (k = rank(t); k-- > 0; i /= dim(t, k)) place[k] = i % dim(t, k);
}
static int64_t dense(const desc *t, const int64_t *place) { /* where dimensions of 1 are read again and again */
    int64_t at = 0;
    int k;
    for (k = 0; k < rank(t); k++) at = at * dim(t, k) + (dim(t, k) == 1 ? 0 : place[k]);
    return at;
}
static int64_t offset(const desc *t, const int64_t *place) {
    int64_t at = 0;
    int k;
    for (k = 0; k < rank(t); k++) at += place[k] * t->strides[k];
    return at;
}
enum {
    VALUES = 64
};
typedef struct run {
    value values[VALUES];
    int n;
    const desc *pack;
} run;
static char *pointer_of(const run *r, int64_t number) {
    const attribute *a = find(r->pack, 1000);
    int64_t k;
    for (k = 0; k < a->count; k++)
        if (((const int64_t *)a->data)[k] == number) return ((char **)find(r->pack, 1001)->data)[k];
    return NULL;
}
static double *value_of(run *r, const desc *t) { /* NULL: it is nowhere */
    int64_t number = ints(t, 906)[0], k, n = size(t), place[RANK];
    const char *from = pointer_of(r, number);
    double *p;
    for (k = 0; k < r->n; k++)
        if (r->values[k].number == number) return r->values[k].p;
    if (!word(t, 907) == !from || r->n == VALUES) return NULL;
    p = (double *)calloc((size_t)n, sizeof *p);
    r->values[r->n].number = number;
    r->values[r->n++].p = p;
    for (k = 0; from && k < n; k++) {
        place_of(t, k, place);
        p[k] = load(from, word(t, 901), offset(t, place));
    }
    return p;
}
static int width_of(int type) { return type == 1 ? 8 : type == 2 || type == 9 ? 2 : type == 3 ? 1 : 4; }
/* Rounded to its type; what has a place is stored. */
static void give(run *r, const desc *t, double *p) {
    int64_t k, place[RANK], end = 0;
    char *to = pointer_of(r, ints(t, 906)[0]);
    for (k = 0; k < size(t); k++) {
        place_of(t, k, place);
        p[k] = rounded(p[k], word(t, 901));
        if (!to) continue;
        store(to, word(t, 901), offset(t, place), p[k]);
        if (offset(t, place) >= end) end = offset(t, place) + 1;
    }
    if (to) wrote(to, (size_t)end * (size_t)width_of(word(t, 901)));
}
/* All triples (x, w, y) of a convolution. */
static int compute_conv(run *r, const desc *op) {
    const int *names = conv_names[op->kind - 10];
    const desc *t[3] = {part(op, names[0]), part(op, names[1]), part(op, names[2])}, *c = part(op, names[3]);
    double *p[3], alpha = number(op, op->kind == 10 ? 700 : op->kind == 11 ? 712 : 706);
    const int64_t *dilation = ints(c, 102), *stride = ints(c, 103), *before = ints(c, 105);
    int out = op->kind == 10 ? 2 : op->kind == 11 ? 1 : 0, n = rank(t[0]) - 2, k, inside;
    int64_t groups = dim(t[0], 1) / dim(t[1], 1), each = dim(t[2], 1) / groups, slice = size(t[1]) / dim(t[1], 0), y, w;
    int64_t x[RANK], at_y[RANK], at_w[RANK];
    for (k = 0; k < 3; k++)
        if (!(p[k] = value_of(r, t[k]))) return BAD;
    memset(p[out], 0, (size_t)size(t[out]) * sizeof(double));
    for (y = 0; y < size(t[2]); y++) {
        place_of(t[2], y, at_y);
        for (w = at_y[1] * slice; w < (at_y[1] + 1) * slice; w++) {
            place_of(t[1], w, at_w);
            x[0] = at_y[0];
            x[1] = at_y[1] / each * dim(t[1], 1) + at_w[1];
            for (k = 0, inside = 1; k < n; k++) {
                x[2 + k] = at_y[2 + k] * stride[k] + at_w[2 + k] * dilation[k] - before[k];
                inside = inside && x[2 + k] >= 0 && x[2 + k] < dim(t[0], 2 + k);
            }
            if (!inside) continue;
            k = (int)dense(t[0], x);
            if (out == 2) p[2][y] += p[0][k] * p[1][w];
            if (out == 1) p[1][w] += p[0][k] * p[2][y];
            if (out == 0) p[0][k] += p[2][y] * p[1][w];
        }
    }
    for (y = 0; y < size(t[out]); y++) p[out][y] *= alpha;
    give(r, t[out], p[out]);
    return 0;
}
static int compute_pointwise(run *r, const desc *op) {
    const desc *x = part(op, 751), *b = part(op, 752), *y = part(op, 753), *t = part(op, 758), *d = part(op, 750);
    double *px = value_of(r, x), *pb = b ? value_of(r, b) : NULL, *pt = t ? value_of(r, t) : NULL, *py = value_of(r, y);
    int64_t k, place[RANK];
    int mode = word(d, 0), two = mode < 10 || mode >= 300;
    if (!px || !py || (b && !pb) || (t && !pt) || (mode == 501 ? b != NULL : (b == NULL) == two) || !t != (mode != 601))
        return BAD;
    for (k = 0; k < size(y); k++) {
        double u, v;
        place_of(y, k, place);
        u = px[dense(x, place)];
        v = pb ? pb[dense(b, place)] : 0;
        switch (mode) {
        case 0: u += v; break;
        case 1: u *= v; break;
        case 3: u = u > v ? u : v; break;
        case 6: u /= v; break;
        case 9: u -= v; break;
        case 13: u = exp(u); break;
        case 15: u = log(u); break;
        case 21: break;
        case 100:
            if (u < 0) u = 0;
            if (find(d, 4) && u > number(d, 4)) u = number(d, 4);
            break;
        case 303: u = u >= v; break;
        case 501: u = (double)place[ints(d, 9)[0]]; break;
        case 601: u = pt[dense(t, place)] != 0 ? u : v; break;
        default: return UNSUPPORTED;
        }
        py[k] = u;
    }
    give(r, y, py);
    return 0;
}
static int compute_matmul(run *r, const desc *op) {
    const desc *a = part(op, 1520), *b = part(op, 1521), *c = part(op, 1522);
    double *pa = value_of(r, a), *pb = value_of(r, b), *pc = value_of(r, c);
    int n = rank(c), d;
    int64_t k, j, at[RANK], left[RANK], right[RANK];
    if (!pa || !pb || !pc) return BAD;
    for (k = 0; k < size(c); k++) {
        place_of(c, k, at);
        pc[k] = 0;
        for (d = 0; d < n; d++) {
            left[d] = at[d];
            right[d] = d < n - 2 ? at[d] / (dim(c, d) / dim(b, d)) : at[d];
        }
        for (j = 0; j < dim(a, n - 1); j++) {
            left[n - 1] = right[n - 2] = j;
            pc[k] += pa[dense(a, left)] * pb[dense(b, right)];
        }
    }
    give(r, c, pc);
    return 0;
}
static int compute_reduction(run *r, const desc *op) {
    const desc *x = part(op, 1610), *y = part(op, 1611);
    double *px = value_of(r, x), *py = value_of(r, y);
    int mode = word(part(op, 1612), 1600);
    int64_t k, place[RANK];
    if (!px || !py || (mode != 0 && mode != 3)) return BAD;
    for (k = 0; k < size(y); k++) py[k] = mode ? -INFINITY : 0;
    for (k = 0; k < size(x); k++) {
        double *to;
        place_of(x, k, place);
        to = &py[dense(y, place)];
        *to = !mode ? *to + px[k] : px[k] > *to ? px[k] : *to;
    }
    give(r, y, py);
    return 0;
}
static int compute_norm(run *r, const desc *op) {
    const desc *x = part(op, 2002), *bias = part(op, 2006), *t[2] = {part(op, 2003), part(op, 2004)};
    double *px = value_of(r, x), *ps = value_of(r, part(op, 2005)), *pb = bias ? value_of(r, bias) : NULL, *pt[2];
    double *py = value_of(r, part(op, 2013)), *eps = value_of(r, part(op, 2007));
    int mode = word(op, 2000), k;
    int64_t which, n = mode == 2 ? dim(x, 1) : dim(x, 0), each = size(x) / n, i, place[RANK];
    for (k = 0; k < 2; k++)
        if (!(pt[k] = t[k] ? value_of(r, t[k]) : NULL) && t[k]) return BAD;
    if (!px || !ps || !py || !eps || (bias && !pb)) return BAD;
    for (which = 0; which < n; which++) {
        double mean = 0, squares = 0, share;
        int pass;
        for (pass = 0; pass < 3; pass++) {
            share = 1 / sqrt(squares / (double)each + *eps);
            for (i = 0; i < size(x); i++) {
                place_of(x, i, place);
                if (place[mode == 2] != which) continue;
                if (pass == 0 && mode != 4) mean += px[i] / (double)each;
                if (pass == 1) squares += (px[i] - mean) * (px[i] - mean);
                if (pass == 2) py[i] = (px[i] - mean) * share * ps[place[1]] + (pb ? pb[place[1]] : 0);
            }
        }
        if (pt[0]) pt[0][which] = mean;
        if (pt[1]) pt[1][which] = share;
    }
    give(r, part(op, 2013), py);
    for (k = 0; k < 2; k++)
        if (t[k]) give(r, t[k], pt[k]);
    return 0;
}
/* A plan that is enqueued, and its own copy of what it is told. */
typedef struct job {
    const desc *config;
    desc pack;
    char *work;
} job;
static void run_job(void *args) {
    const job *j = (const job *)args;
    const attribute *ops = find(j->config->graph, 801);
    run r;
    int k, e = 0;
    memset(&r, 0, sizeof r);
    r.pack = &j->pack;
    if (j->config->engine == 2) memset(j->work, 0xFF, 64); /* it is ours */
    for (k = 0; k < ops->count && !e; k++) {
        const desc *op = ((desc **)ops->data)[k];
        e = op->kind <= 12   ? compute_conv(&r, op)
            : op->kind == 13 ? compute_pointwise(&r, op)
            : op->kind == 19 ? compute_matmul(&r, op)
            : op->kind == 29 ? compute_norm(&r, op)
                             : compute_reduction(&r, op);
    }
    while (r.n > 0) free(r.values[--r.n].p);
    fake.products += !e;
}
static void drop_job(void *args) {
    job *j = (job *)args;
    int k;
    for (k = 0; k < j->pack.n; k++) free(j->pack.a[k].data);
}
#if !defined(FAKE_LACKING)
int cudnnBackendExecute(void *h, void *plan, void *pack) {
    int e = failing(), k;
    job j;
    if (e) return e;
    j.config = part((desc *)plan, 401);
    j.pack = *(const desc *)pack;
    j.work = (char *)part((desc *)pack, 1003);
    if (!((handle *)h)->has_stream || !((desc *)plan)->complete || !j.pack.complete) return BAD;
    fake.workspace = (unsigned long long)j.config->engine;
    use(h);
    ((handle *)h)->busy = 1;
    if (fake.inside) fake.inside();
    ((handle *)h)->busy = 0;
    for (k = 0; k < j.pack.n; k++) {
        attribute *a = &j.pack.a[k];
        char *data = (char *)malloc((size_t)a->count * (size_t)width(a->type));
        memcpy(data, a->data, (size_t)a->count * (size_t)width(a->type));
        a->data = data;
    }
    return later(((handle *)h)->stream, run_job, &j, sizeof j, drop_job);
}
#endif
