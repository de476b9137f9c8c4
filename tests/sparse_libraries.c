// A vendor's library for sparse arrays in its shape alone: loops on the host, on the software GPU, whose memory is the
// host's. It adds from the right to the left, refuses complex singles, and says what it is asked for. PREFIX, WAIT, DRIVER
// and ROWS, the number of a matrix row by row, are the vendor's.
#include <complex.h>
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define JOIN(a, b) a##b
#define NAMED(a, b) JOIN(a, b)
#define NAME(b) NAMED(PREFIX, b)
#define WORKSPACE 777
typedef double complex Z;

// A descriptor: compressed rows, a vector (a column), or a matrix.
typedef struct {
    int64_t rows, columns, entries, leading;
    void *indptr, *indices, *values;
    int wide, dtype, order;
} Operand;

static void *streams[64];
static int live;
int NAME(Create)(void **handle) { static int made = 0; *handle = &streams[made++]; return 0; }
int NAME(SetStream)(void *handle, void *given) {
    void **own = handle;
    if (*own && *own != given) fprintf(stderr, "a handle of two streams\n");
    *own = given;
    return 0;
}
int NAME(GetProperty)(int kind, int *value) { *value = kind; return 0; }

static int make(Operand **made, Operand operand) {
    *made = malloc(sizeof(Operand));
    **made = operand;
    live++;
    return 0;
}
static int drop(Operand *operand) {
    free(operand);
    live--;
    return 0;
}
int NAME(CreateCsr)(Operand **made, int64_t rows, int64_t columns, int64_t entries, void *indptr, void *indices,
                    void *values, int indptr_type, int index_type, int base, int dtype) {
    if (indptr_type != index_type || (index_type != 2 && index_type != 3) || base != 0) return 3;
    return make(made, (Operand){ rows, columns, entries, 0, indptr, indices, values, index_type == 3, dtype, 0 });
}
int NAME(CreateDnVec)(Operand **made, int64_t size, void *values, int dtype) {
    return make(made, (Operand){ size, 1, size, size, 0, 0, values, 0, dtype, 1 });
}
int NAME(CreateDnMat)(Operand **made, int64_t rows, int64_t columns, int64_t leading, void *values, int dtype, int order) {
    if (order != 1 && order != ROWS) return 3;
    if (leading < (order == 1 ? rows : columns)) return 3;
    return make(made, (Operand){ rows, columns, rows * columns, leading, 0, 0, values, 0, dtype, order });
}
int NAME(DestroySpMat)(Operand *rows) { return drop(rows); }
int NAME(DestroyDnVec)(Operand *vector) { return drop(vector); }
int NAME(DestroyDnMat)(Operand *matrix) { return drop(matrix); }

static Z load(const void *at, int64_t i, int dtype) {
    switch (dtype) {
        case 0: return ((const float *)at)[i];
        case 1: return ((const double *)at)[i];
        case 4: return ((const float complex *)at)[i];
        case 5: return ((const double complex *)at)[i];
    }
    abort();
}
static void store(void *at, int64_t i, int dtype, Z z) {
    switch (dtype) {
        case 0: ((float *)at)[i] = creal(z); return;
        case 1: ((double *)at)[i] = creal(z); return;
        case 4: ((float complex *)at)[i] = z; return;
        case 5: ((double complex *)at)[i] = z; return;
    }
    abort();
}
static int64_t position(const void *at, int64_t i, int wide) {
    return wide ? ((const int64_t *)at)[i] : ((const int32_t *)at)[i];
}
static int64_t place(const Operand *x, int64_t row, int64_t column, int transposed) {
    if (transposed) { int64_t t = row; row = column; column = t; }
    return x->order == 1 ? column * x->leading + row : row * x->leading + column;
}

// Whether a product is one that the library takes; factors are 1 and 0 in the dtype.
static int takes(const void *one, const Operand *a, int of_b, const Operand *b, const void *zero, const Operand *c, int compute) {
    const int64_t inner = of_b ? b->columns : b->rows, width = of_b ? b->rows : b->columns;
    if (load(one, 0, compute) != 1 || load(zero, 0, compute) != 0) return 3;
    if (a->dtype != compute || b->dtype != compute || c->dtype != compute) return 3;
    if (a->columns != inner || a->rows != c->rows || width != c->columns) return 3;
    return compute == 4 ? 10 : 0;
}

static int multiply(void *handle, const char *what, const Operand *a, int of_b, const Operand *b, const Operand *c, char *workspace) {
    int (*wait)(void *) = (int (*)(void *))dlsym(dlopen(DRIVER, RTLD_NOW), WAIT);
    wait(*(void **)handle);
    memset(workspace, 1, WORKSPACE);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t j = 0; j < c->columns; j++) {
            Z sum = 0;
            for (int64_t p = position(a->indptr, i + 1, a->wide); p-- > position(a->indptr, i, a->wide);)
                sum += load(a->values, p, a->dtype) * load(b->values, place(b, position(a->indices, p, a->wide), j, of_b), b->dtype);
            store(c->values, place(c, i, j, 0), c->dtype, sum);
        }
    fprintf(stderr, "%s of %ld by %ld, %ld entries, dtype %d, wide %d, order %d, live %d\n", what, (long)a->rows,
            (long)a->columns, (long)a->entries, a->dtype, a->wide, c->order, live);
    return 0;
}

int NAME(SpMV_bufferSize)(void *handle, int of_a, const void *one, Operand *a, Operand *x, const void *zero, Operand *y,
                          int compute, int algorithm, size_t *bytes) {
    *bytes = WORKSPACE;
    return of_a || algorithm ? 3 : takes(one, a, 0, x, zero, y, compute);
}
int NAME(SpMV)(void *handle, int of_a, const void *one, Operand *a, Operand *x, const void *zero, Operand *y, int compute,
               int algorithm, void *workspace) {
    const int code = of_a || algorithm ? 3 : takes(one, a, 0, x, zero, y, compute);
    return code ? code : multiply(handle, "SpMV", a, 0, x, y, workspace);
}
int NAME(SpMM_bufferSize)(void *handle, int of_a, int of_b, const void *one, Operand *a, Operand *b, const void *zero,
                          Operand *c, int compute, int algorithm, size_t *bytes) {
    *bytes = WORKSPACE;
    return of_a ? 3 : takes(one, a, of_b, b, zero, c, compute);
}
int NAME(SpMM)(void *handle, int of_a, int of_b, const void *one, Operand *a, Operand *b, const void *zero, Operand *c,
               int compute, int algorithm, void *workspace) {
    const int code = of_a ? 3 : takes(one, a, of_b, b, zero, c, compute);
    return code ? code : multiply(handle, "SpMM", a, of_b, b, c, workspace);
}
