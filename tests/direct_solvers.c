// cuDSS in its shape alone: dense factors without pivots, by loops on the host, on the software GPU, whose memory is the
// host's. It says what it is asked for. STANDIN in the environment says how it fails: "refused" takes no array, "memory" has none for
// factors, "wrong" solves badly, "adjoint" refuses the transposed array. WAIT and DRIVER are the driver's.
#include <complex.h>
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef double complex Z;

enum { ALLOC_FAILED = 2, INVALID = 3, NOT_SUPPORTED = 4 };

// Compressed rows, or a column.
typedef struct {
    int64_t rows, columns, entries;
    void *begins, *indices, *values;
    int wide, dtype;
} Operand;
typedef struct { int deterministic, mode; } Config;
typedef struct {
    int64_t rows, entries;
    int factored, replaced;
    Z *factors;
    // What it was analyzed with: as the library's, the data refer to them.
    const void *known[4];
    // The stream that it was analyzed in. The library goes on working in it, whatever stream a call names.
    void *stream;
} Data;

static void *stream;
static int live, arrays;
static int fails(const char *how) { const char *given = getenv("STANDIN"); return given && !strcmp(given, how); }

int cudssCreate(void **handle) { *handle = &stream; return 0; }
int cudssSetStream(void *handle, void *given) { *(void **)handle = given; return 0; }
int cudssGetProperty(int kind, int *value) { *value = kind; return 0; }
int cudssConfigCreate(Config **made) { *made = calloc(1, sizeof(Config)); live++; return 0; }
int cudssConfigDestroy(Config *config) { free(config); live--; return 0; }
int cudssConfigSet(Config *config, int parameter, const int *value, size_t bytes) {
    if (bytes != sizeof(int)) return INVALID;
    if (parameter == 24) config->deterministic = *value;
    else if (parameter == 4) config->mode = *value;
    else return INVALID;
    return 0;
}
int cudssDataCreate(void *handle, Data **made) { *made = calloc(1, sizeof(Data)); arrays++; return 0; }
int cudssDataDestroy(void *handle, Data *data) {
    free(data->factors);
    free(data);
    fprintf(stderr, "direct: destroyed, %d left\n", --arrays);
    return 0;
}
int cudssDataGet(void *handle, Data *data, int parameter, int *value, size_t bytes, size_t *written) {
    if (bytes != sizeof(int) || (parameter != 0 && parameter != 2)) return INVALID;
    *value = parameter == 2 ? data->replaced : 0;
    *written = bytes;
    return 0;
}
static int make(Operand **made, Operand operand) {
    *made = malloc(sizeof(Operand));
    **made = operand;
    live++;
    return 0;
}
int cudssMatrixCreateCsr(Operand **made, int64_t rows, int64_t columns, int64_t entries, void *begins, void *ends, void *indices,
                         void *values, int offset_type, int index_type, int dtype, int kind, int view, int base) {
    if (ends || offset_type != index_type || (index_type != 10 && index_type != 24) || kind || view || base) return INVALID;
    if (dtype != 1 && dtype != 5) return INVALID;
    return make(made, (Operand){ rows, columns, entries, begins, indices, values, index_type == 24, dtype });
}
int cudssMatrixCreateDn(Operand **made, int64_t rows, int64_t columns, int64_t leading, void *values, int dtype, int layout) {
    if (leading < rows || layout || !values) return INVALID;
    return make(made, (Operand){ rows, columns, 0, 0, 0, values, 0, dtype });
}
int cudssMatrixSetValues(Operand *operand, void *values) {
    if (operand->begins) return INVALID;
    operand->values = values;
    return 0;
}
int cudssMatrixSetCsrPointers(Operand *a, void *begins, void *ends, void *indices, void *values) {
    if (!a->begins || ends) return INVALID;
    a->begins = begins;
    a->indices = indices;
    a->values = values;
    return 0;
}
int cudssMatrixDestroy(Operand *operand) { free(operand); live--; return 0; }

static Z load(const Operand *x, int64_t i) { return x->dtype == 5 ? ((const Z *)x->values)[i] : ((const double *)x->values)[i]; }
static void store(Operand *x, int64_t i, Z z) {
    if (x->dtype == 5) ((Z *)x->values)[i] = z;
    else ((double *)x->values)[i] = creal(z);
}
static int64_t position(const void *at, int64_t i, int wide) { return wide ? ((const int64_t *)at)[i] : ((const int32_t *)at)[i]; }

static void factorize(Data *data, const Operand *a) {
    const int64_t n = a->rows;
    free(data->factors);
    Z *f = data->factors = calloc(n * n, sizeof(Z));
    for (int64_t i = 0; i < n; i++)
        for (int64_t p = position(a->begins, i, a->wide); p < position(a->begins, i + 1, a->wide); p++)
            f[i * n + position(a->indices, p, a->wide)] = load(a, p);
    data->replaced = 0;
    for (int64_t k = 0; k < n; k++) {
        if (cabs(f[k * n + k]) < 1e-13) {
            f[k * n + k] = 1e-13;
            data->replaced++;
        }
        for (int64_t i = k + 1; i < n; i++) {
            const Z factor = f[i * n + k] /= f[k * n + k];
            for (int64_t j = k + 1; j < n; j++) f[i * n + j] -= factor * f[k * n + j];
        }
    }
    data->factored = 1;
}

static void solve(const Data *data, Operand *x, const Operand *b, int mode) {
    const int64_t n = data->rows;
    const Z *f = data->factors;
    Z *y = malloc(n * sizeof(Z));
    for (int64_t i = 0; i < n; i++) y[i] = load(b, i);
    if (!mode) {
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < i; j++) y[i] -= f[i * n + j] * y[j];
        for (int64_t i = n; i-- > 0;) {
            for (int64_t j = i + 1; j < n; j++) y[i] -= f[i * n + j] * y[j];
            y[i] /= f[i * n + i];
        }
    } else {
#define TURNED(i, j) (mode == 2 ? conj(f[(j) * n + (i)]) : f[(j) * n + (i)])
        for (int64_t i = 0; i < n; i++) {
            for (int64_t j = 0; j < i; j++) y[i] -= TURNED(i, j) * y[j];
            y[i] /= TURNED(i, i);
        }
        for (int64_t i = n; i-- > 0;)
            for (int64_t j = i + 1; j < n; j++) y[i] -= TURNED(i, j) * y[j];
    }
    for (int64_t i = 0; i < n; i++) store(x, i, fails("wrong") ? y[i] * 1.0001 : y[i]);
    free(y);
}

int cudssExecute(void *handle, int phase, Config *config, Data *data, Operand *a, Operand *x, Operand *b) {
    static const char *names[] = { "analysis", "factorization", "refactorization", "solution" };
    const int number = phase == 3 ? 0 : phase == 4 ? 1 : phase == 8 ? 2 : phase == 1008 ? 3 : -1;
    if (number < 0 || a->rows != a->columns || x->dtype != a->dtype || b->dtype != a->dtype) return INVALID;
    if (config->deterministic != 1 || x->columns != 1 || b->columns != 1) return NOT_SUPPORTED;
    // As the library: arrays of real numbers have no conjugate.
    if (config->mode == 2 && a->dtype == 1) return NOT_SUPPORTED;
    if ((number == 0 && fails("refused")) || (number == 3 && config->mode && fails("adjoint"))) return NOT_SUPPORTED;
    if (number == 1 && fails("memory")) return ALLOC_FAILED;
    int (*wait)(void *) = (int (*)(void *))dlsym(dlopen(DRIVER, RTLD_NOW), WAIT);
    wait(*(void **)handle);
    fprintf(stderr, "direct: %s of %ld rows, %ld entries, dtype %d, wide %d, mode %d, live %d\n", names[number], (long)a->rows,
            (long)a->entries, a->dtype, a->wide, config->mode, live - 4 * (arrays - 1));
    const void *known[] = { config, a, x, b };
    if (number == 0) {
        data->rows = a->rows;
        data->entries = a->entries;
        memcpy(data->known, known, sizeof known);
        data->stream = *(void **)handle;
        return 0;
    }
    if (memcmp(data->known, known, sizeof known) || data->stream != *(void **)handle) {
        fprintf(stderr, "direct: a description or a stream that the data do not know\n");
        return INVALID;
    }
    if (data->rows != a->rows || data->entries != a->entries) return INVALID;
    if ((number == 1 && data->factored) || (number > 1 && !data->factored)) return INVALID;
    if (number == 3) solve(data, x, b, config->mode);
    else factorize(data, a);
    return 0;
}
