// A vendor's library for Fourier transforms in its shape alone: sums by definition on the host, on the software GPU, whose
// memory is the host's. It says what it is asked for. PREFIX, WAIT and HANDLE are the vendor's.
#include <complex.h>
#include <dlfcn.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#define JOIN(a, b) a##b
#define NAMED(a, b) JOIN(a, b)
#define NAME(b) NAMED(PREFIX, b)

typedef struct { long long length, rows, to_step, to_row; int kind; void *stream; char *workspace; double complex *roots; } Plan;
static Plan plans[1 << 14];
static long made = 0;
static Plan *of(HANDLE handle) { return &plans[(long)handle]; }

int NAME(GetVersion)(int *version) { *version = 1; return 0; }
int NAME(Create)(HANDLE *handle) { *handle = (HANDLE)++made; return 0; }
int NAME(Destroy)(HANDLE handle) { of(handle)->length = 0; free(of(handle)->roots); fprintf(stderr, "destroyed\n"); return 0; }
int NAME(SetAutoAllocation)(HANDLE handle, int automatic) { return automatic; }
int NAME(SetStream)(HANDLE handle, void *stream) { of(handle)->stream = stream; return 0; }
int NAME(SetWorkArea)(HANDLE handle, void *memory) { of(handle)->workspace = memory; return 0; }
int NAME(MakePlanMany64)(HANDLE handle, int rank, long long *length, long long *from, long long from_step, long long from_row,
                         long long *to, long long to_step, long long to_row, int kind, long long rows, size_t *workspace) {
    const long long half = *length / 2 + 1;
    const long long in = kind == 0x2c || kind == 0x6c ? half : *length, out = kind == 0x2a || kind == 0x6a ? half : *length;
    // Results lie one row after the other, or all side by side.
    const int after = to_step == 1 && to_row == out, beside = to_step == rows && to_row == 1;
    if (rank != 1 || from_step != 1 || from_row != in || !(after || (beside && in == out))) return 4;
    // A length that it does not take.
    if (*length == 13) return 8;
    // The roots of 1 of this length.
    double complex *roots = malloc(*length * sizeof *roots);
    for (long long k = 0; k < *length; k++) roots[k] = cexp(2 * M_PI * I * k / *length);
    *of(handle) = (Plan){ *length, rows, to_step, to_row, kind, NULL, NULL, roots };
    if (!after) fprintf(stderr, "beside of %lld\n", *length);
    *workspace = 1000;
    return 0;
}
static Plan *begin(HANDLE handle, const char *what) {
    Plan *plan = of(handle);
    int (*wait)(void *) = (int (*)(void *))dlsym(dlopen(DRIVER, RTLD_NOW), WAIT);
    wait(plan->stream);
    plan->workspace[999] = 1;
    fprintf(stderr, "%s of %lld\n", what, plan->length);
    return plan;
}
static double complex turn(const Plan *plan, int direction, long long j, long long k) {
    const double complex root = plan->roots[j * k % plan->length];
    return direction < 0 ? conj(root) : root;
}
#define TRANSFORMS(REAL, COMPLEX, HALF, WHOLE) \
    int NAME(COMPLEX)(HANDLE handle, REAL complex *from, REAL complex *to, int direction) { \
        Plan *plan = begin(handle, #COMPLEX); \
        const long long n = plan->length; \
        for (long long r = 0; r < plan->rows; r++) for (long long k = 0; k < n; k++) { \
            double complex sum = 0; \
            for (long long j = 0; j < n; j++) sum += from[r * n + j] * turn(plan, direction, j, k); \
            to[r * plan->to_row + k * plan->to_step] = sum; \
        } \
        return 0; \
    } \
    int NAME(HALF)(HANDLE handle, REAL *from, REAL complex *to) { \
        Plan *plan = begin(handle, #HALF); \
        const long long n = plan->length, half = n / 2 + 1; \
        for (long long r = 0; r < plan->rows; r++) for (long long k = 0; k < half; k++) { \
            double complex sum = 0; \
            for (long long j = 0; j < n; j++) sum += from[r * n + j] * turn(plan, -1, j, k); \
            to[r * half + k] = sum; \
        } \
        return 0; \
    } \
    int NAME(WHOLE)(HANDLE handle, REAL complex *from, REAL *to) { \
        Plan *plan = begin(handle, #WHOLE); \
        const long long n = plan->length, half = n / 2 + 1; \
        for (long long r = 0; r < plan->rows; r++) for (long long k = 0; k < n; k++) { \
            double complex sum = 0; \
            for (long long j = 0; j < n; j++) \
                sum += (j < half ? (double complex)from[r * half + j] : conj(from[r * half + n - j])) * turn(plan, 1, j, k); \
            /* What should be real and is not shows. */ \
            to[r * n + k] = creal(sum) + 1000 * fabs(cimag(sum)); \
        } \
        /* And what it was given is spoiled. */ \
        for (long long j = 0; j < plan->rows * half; j++) from[j] = 777; \
        return 0; \
    }
TRANSFORMS(float, ExecC2C, ExecR2C, ExecC2R)
TRANSFORMS(double, ExecZ2Z, ExecD2Z, ExecZ2D)
