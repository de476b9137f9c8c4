// A vendor's library for factorizations in its shape alone: loops on the host, on the software GPU, whose memory is the
// host's. It says what it is asked for. PREFIX, WAIT, UPPER, VECTORS and POLAR are the vendor's.
#include <complex.h>
#include <dlfcn.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define JOIN(a, b) a##b
#define NAMED(a, b) JOIN(a, b)
#define NAME(b) NAMED(PREFIX, b)
typedef double complex Z;

static void *stream;
// The stream of each handle.
static void *streams[64];
int NAME(Create)(void **handle) { static int made = 0; *handle = &streams[made++]; return 0; }
int NAME(SetStream)(void *handle, void *given) {
    void **own = handle;
    if (*own && *own != given) fprintf(stderr, "a handle of two streams\n");
    stream = *own = given;
    return 0;
}
int cusolverGetProperty(int kind, int *value) { *value = kind; return 0; }

// Waits for the stream, and uses all the room that was asked for.
static void begin(const char *what, int n, void *work, int given, int asked, size_t size) {
    int (*wait)(void *) = (int (*)(void *))dlsym(dlopen(DRIVER, RTLD_NOW), WAIT);
    wait(stream);
    if (given < asked) abort();
    if (asked) ((char *)work)[asked * size - 1] = 1;
    fprintf(stderr, "%s of %d\n", what, n);
}

// Everything is done in a matrix of this type, by columns.
typedef struct { int m, n; Z *at; } Matrix;
#define AT(a, i, j) (a).at[(long)(j) * (a).m + (i)]
static Matrix matrix(int m, int n) { return (Matrix){ m, n, calloc((long)m * n + 1, sizeof(Z)) }; }
static double norm(const Z *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += creal(x[i] * conj(x[i]));
    return sqrt(sum);
}

static int cholesky(Matrix a) {
    for (int j = 0; j < a.n; j++) {
        for (int k = 0; k < j; k++) for (int i = j; i < a.n; i++) AT(a, i, j) -= AT(a, i, k) * conj(AT(a, j, k));
        const double pivot = creal(AT(a, j, j));
        // As cuSOLVER: a NaN is not seen.
        if (pivot <= 0) return j + 1;
        for (int i = j; i < a.n; i++) AT(a, i, j) /= sqrt(pivot);
    }
    return 0;
}

static int lu(Matrix a, int *exchanges) {
    int info = 0;
    // As cuSOLVER: a NaN is taken for a zero.
    for (long i = 0; i < (long)a.m * a.n; i++) if (a.at[i] != a.at[i]) a.at[i] = 0;
    for (int k = 0; k < a.m && k < a.n; k++) {
        int pivot = k;
        for (int i = k; i < a.m; i++) if (cabs(AT(a, i, k)) > cabs(AT(a, pivot, k))) pivot = i;
        exchanges[k] = pivot + 1;
        if (AT(a, pivot, k) == 0) { if (!info) info = k + 1; continue; }
        for (int j = 0; j < a.n; j++) { const Z x = AT(a, k, j); AT(a, k, j) = AT(a, pivot, j); AT(a, pivot, j) = x; }
        for (int i = k + 1; i < a.m; i++) {
            AT(a, i, k) /= AT(a, k, k);
            for (int j = k + 1; j < a.n; j++) AT(a, i, j) -= AT(a, i, k) * AT(a, k, j);
        }
    }
    return info;
}

// Reflections 1 - f v v*, whose v begin with 1.
static void reflect(Matrix a, Z *factors) {
    for (int k = 0; k < a.m && k < a.n; k++) {
        Z *x = &AT(a, k, k);
        const double size = norm(x, a.m - k);
        if (size == 0) { factors[k] = 0; continue; }
        const Z top = cabs(*x) == 0 ? -size : -*x / cabs(*x) * size, scale = *x - top;
        factors[k] = (top - *x) / top;
        for (int i = 1; i < a.m - k; i++) x[i] /= scale;
        *x = top;
        for (int j = k + 1; j < a.n; j++) {
            Z sum = AT(a, k, j);
            for (int i = 1; i < a.m - k; i++) sum += conj(x[i]) * AT(a, k + i, j);
            sum *= conj(factors[k]);
            AT(a, k, j) -= sum;
            for (int i = 1; i < a.m - k; i++) AT(a, k + i, j) -= x[i] * sum;
        }
    }
}
static void basis(Matrix a, int count, const Z *factors) {
    Matrix v = matrix(a.m, count);
    for (int j = 0; j < count; j++) for (int i = j + 1; i < a.m; i++) AT(v, i, j) = AT(a, i, j);
    for (int j = 0; j < count; j++) AT(v, j, j) = 1;
    for (int j = 0; j < a.n; j++) {
        for (int i = 0; i < a.m; i++) AT(a, i, j) = i == j;
        for (int k = count - 1; k >= 0; k--) {
            Z sum = 0;
            for (int i = k; i < a.m; i++) sum += conj(AT(v, i, k)) * AT(a, i, j);
            for (int i = k; i < a.m; i++) AT(a, i, j) -= factors[k] * AT(v, i, k) * sum;
        }
    }
    free(v.at);
}

// Turns columns of `a` until they are orthogonal, and those of `v` along.
static void turn_columns(Matrix a, Matrix v) {
    for (int turned = 1, sweep = 0; turned && sweep < 60; sweep++) {
        turned = 0;
        for (int p = 0; p < a.n; p++) for (int q = p + 1; q < a.n; q++) {
            Z between = 0;
            for (int i = 0; i < a.m; i++) between += conj(AT(a, i, p)) * AT(a, i, q);
            const double x = norm(&AT(a, 0, p), a.m), y = norm(&AT(a, 0, q), a.m), size = cabs(between);
            if (size <= 1e-15 * x * y || x < 1e-150 || y < 1e-150) continue;
            turned = 1;
            const double zeta = (y * y - x * x) / (2 * size);
            const double t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta)), c = 1 / sqrt(1 + t * t);
            const Z phase = conj(between) / size;
            for (int side = 0; side < 2; side++) {
                const Matrix of = side ? v : a;
                for (int i = 0; i < of.m; i++) {
                    const Z left = AT(of, i, p), right = AT(of, i, q) * phase;
                    AT(of, i, p) = c * left - c * t * right;
                    AT(of, i, q) = c * t * left + c * right;
                }
            }
        }
    }
}
static Matrix identity(int n) {
    Matrix v = matrix(n, n);
    for (int i = 0; i < n; i++) AT(v, i, i) = 1;
    return v;
}
static void singular(Matrix a, double *s, Matrix u, Matrix v) {
    Matrix turned = identity(a.n);
    turn_columns(a, turned);
    char *taken = calloc(a.n, 1);
    int known = 0;
    for (int k = 0; k < a.n; k++) {
        int most = -1;
        for (int j = 0; j < a.n; j++) if (!taken[j] && (most < 0 || norm(&AT(a, 0, j), a.m) > norm(&AT(a, 0, most), a.m))) most = j;
        taken[most] = 1;
        s[k] = norm(&AT(a, 0, most), a.m);
        for (int i = 0; i < a.n && v.at; i++) AT(v, i, k) = AT(turned, i, most);
        if (!u.at || s[k] <= 1e-14 * s[0] || s[k] == 0) continue;
        for (int i = 0; i < a.m; i++) AT(u, i, k) = AT(a, i, most) / s[k];
        known = k + 1;
    }
    // The rest of a basis, from axes.
    for (int k = known, axis = 0; u.at && k < u.n; axis++) {
        for (int i = 0; i < u.m; i++) AT(u, i, k) = i == axis;
        for (int again = 0; again < 2; again++) for (int c = 0; c < k; c++) {
            Z sum = 0;
            for (int i = 0; i < u.m; i++) sum += conj(AT(u, i, c)) * AT(u, i, k);
            for (int i = 0; i < u.m; i++) AT(u, i, k) -= sum * AT(u, i, c);
        }
        const double left = norm(&AT(u, 0, k), u.m);
        if (left < 1e-3) continue;
        for (int i = 0; i < u.m; i++) AT(u, i, k) /= left;
        k++;
    }
    free(taken);
    free(turned.at);
}
// Of a Hermitian matrix: shifted until it is positive, its singular values are its eigenvalues.
static void hermitian(Matrix a, double *w, Matrix vectors) {
    double shift = 0;
    for (int j = 0; j < a.n; j++) shift += norm(&AT(a, 0, j), a.n);
    for (int j = 0; j < a.n; j++) AT(a, j, j) += shift;
    Matrix v = matrix(a.n, a.n);
    double *s = calloc(a.n, sizeof(double));
    singular(a, s, (Matrix){ 0 }, v);
    for (int k = 0; k < a.n; k++) {
        w[k] = s[a.n - 1 - k] - shift;
        for (int i = 0; i < a.n; i++) AT(vectors, i, k) = AT(v, i, a.n - 1 - k);
    }
    free(v.at);
    free(s);
}

#define ALL(L, T, R, OF, ORGQR, SYEVD) \
    static Matrix NAMED(L, take)(const T *a, int m, int n, int step) { \
        Matrix taken = matrix(m, n); \
        for (int j = 0; j < n; j++) for (int i = 0; i < m; i++) AT(taken, i, j) = a[(long)j * step + i]; \
        return taken; \
    } \
    static void NAMED(L, give)(T *a, Matrix from, int step) { \
        for (int j = 0; j < from.n; j++) for (int i = 0; i < from.m; i++) a[(long)j * step + i] = OF(AT(from, i, j)); \
        free(from.at); \
    } \
    int NAME(L##potrf_bufferSize)(void *h, int half, int n, T *a, int step, int *room) { *room = n + 1; return half == UPPER; } \
    int NAME(L##potrf)(void *h, int half, int n, T *a, int step, T *work, int room, int *info) { \
        begin(#L "potrf", n, work, room, n + 1, sizeof(T)); \
        Matrix x = NAMED(L, take)(a, n, n, step); \
        *info = cholesky(x); \
        NAMED(L, give)(a, x, step); \
        return half == UPPER; \
    } \
    int NAME(L##getrf_bufferSize)(void *h, int m, int n, T *a, int step, int *room) { *room = n + 2; return 0; } \
    int NAME(L##getrf)(void *h, int m, int n, T *a, int step, T *work, int *exchanges, int *info) { \
        begin(#L "getrf", n, work, n + 2, n + 2, sizeof(T)); \
        Matrix x = NAMED(L, take)(a, m, n, step); \
        *info = lu(x, exchanges); \
        NAMED(L, give)(a, x, step); \
        return 0; \
    } \
    int NAME(L##getrs)(void *h, int how, int n, int right, T *a, int step, int *exchanges, T *b, int b_step, int *info) { \
        begin(#L "getrs", n, NULL, 0, 0, sizeof(T)); \
        Matrix f = NAMED(L, take)(a, n, n, step), x = NAMED(L, take)(b, n, right, b_step); \
        for (int j = 0; j < right; j++) { \
            for (int i = 0; i < n; i++) { const Z y = AT(x, i, j); AT(x, i, j) = AT(x, exchanges[i] - 1, j); AT(x, exchanges[i] - 1, j) = y; } \
            for (int i = 0; i < n; i++) for (int k = 0; k < i; k++) AT(x, i, j) -= AT(f, i, k) * AT(x, k, j); \
            for (int i = n - 1; i >= 0; i--) { \
                for (int k = i + 1; k < n; k++) AT(x, i, j) -= AT(f, i, k) * AT(x, k, j); \
                AT(x, i, j) /= AT(f, i, i); \
            } \
        } \
        NAMED(L, give)(b, x, b_step); \
        free(f.at); \
        *info = 0; \
        return 0; \
    } \
    int NAME(L##geqrf_bufferSize)(void *h, int m, int n, T *a, int step, int *room) { *room = n + 3; return 0; } \
    int NAME(L##geqrf)(void *h, int m, int n, T *a, int step, T *factors, T *work, int room, int *info) { \
        begin(#L "geqrf", n, work, room, n + 3, sizeof(T)); \
        Matrix x = NAMED(L, take)(a, m, n, step), f = matrix(m < n ? m : n, 1); \
        reflect(x, f.at); \
        NAMED(L, give)(a, x, step); \
        NAMED(L, give)(factors, f, f.m); \
        *info = 0; \
        return 0; \
    } \
    int NAME(L##ORGQR##_bufferSize)(void *h, int m, int n, int count, T *a, int step, T *factors, int *room) { *room = 4; return 0; } \
    int NAME(L##ORGQR)(void *h, int m, int n, int count, T *a, int step, T *factors, T *work, int room, int *info) { \
        begin(#L #ORGQR, n, work, room, 4, sizeof(T)); \
        Matrix x = NAMED(L, take)(a, m, n, step), f = NAMED(L, take)(factors, count, 1, count); \
        basis(x, count, f.at); \
        NAMED(L, give)(a, x, step); \
        free(f.at); \
        return 0; \
    } \
    int NAME(L##SYEVD##_bufferSize)(void *h, int vectors, int half, int n, T *a, int step, R *w, int *room) { *room = n + 5; return 0; } \
    int NAME(L##SYEVD)(void *h, int vectors, int half, int n, T *a, int step, R *w, T *work, int room, int *info) { \
        begin(#L #SYEVD, n, work, room, n + 5, sizeof(T)); \
        Matrix x = NAMED(L, take)(a, n, n, step), v = matrix(n, n); \
        for (int j = 0; j < n; j++) for (int i = 0; i < j; i++) \
            if (half == UPPER) AT(x, j, i) = conj(AT(x, i, j)); else AT(x, i, j) = conj(AT(x, j, i)); \
        double *values = calloc(n, sizeof(double)); \
        hermitian(x, values, v); \
        for (int i = 0; i < n; i++) w[i] = values[i]; \
        if (vectors == VECTORS) NAMED(L, give)(a, v, step); else memset(a, 0xff, sizeof(T) * n); \
        *info = 0; \
        return 0; \
    } \
    static void NAMED(L, decompose)(char left, int m, int n, T *a, R *s, T *u, T *v, int adjoint) { \
        Matrix x = NAMED(L, take)(a, m, n, m), no = { 0 }; \
        Matrix us = left == 'N' ? no : matrix(m, left == 'A' ? m : n), vs = left == 'N' ? no : matrix(n, n); \
        double *values = calloc(n, sizeof(double)); \
        singular(x, values, us, vs); \
        for (int i = 0; i < n; i++) s[i] = values[i]; \
        memset(a, 0xff, sizeof(T) * m * n); \
        if (left == 'N') return; \
        if (adjoint) for (int j = 0; j < n; j++) for (int i = 0; i <= j; i++) { \
            const Z y = conj(AT(vs, i, j)); \
            AT(vs, i, j) = conj(AT(vs, j, i)); \
            AT(vs, j, i) = y; \
        } \
        NAMED(L, give)(u, us, m); \
        NAMED(L, give)(v, vs, n); \
    } \
    int NAME(L##gesvd_bufferSize)(void *h, int m, int n, int *room) { *room = 7; return m < n; } \
    int NAME(L##gesvd)(void *h, char left, char right, int m, int n, T *a, int step, R *s, T *u, int u_step, T *v, int v_step, \
                       T *work, int room, R *real, int *info) { \
        begin(#L "gesvd", n, work, room, 7, sizeof(T)); \
        NAMED(L, decompose)(left, m, n, a, s, u, v, 1); \
        *info = 0; \
        return left != right || step != m; \
    }
ALL(S, float, float, creal, orgqr, syevd)
ALL(D, double, double, creal, orgqr, syevd)
ALL(C, float complex, float, , ungqr, heevd)
ALL(Z, double complex, double, , ungqr, heevd)

#ifdef POLAR
int NAME(CreateParams)(void **params) { *params = malloc(1); return 0; }
int NAME(DestroyParams)(void *params) { free(params); return 0; }
#define ASKED void *h, void *params, int vectors, int reduced, long m, long n, int type, void *a, long step, int s_type, void *s, \
    int u_type, void *u, long u_step, int v_type, void *v, long v_step, int compute
int NAME(Xgesvdp_bufferSize)(ASKED, size_t *device, size_t *host) { *device = 1000; *host = 100; return 0; }
int NAME(Xgesvdp)(ASKED, char *device, size_t device_bytes, char *host, size_t host_bytes, int *info, double *shift) {
    static int asked = 0;
    if (m < n || device_bytes < 1000 || host_bytes < 100) return 3;
    begin("Xgesvdp", (int)n, device, 1000, 1000, 1);
    host[99] = 1;
    *info = 0;
    // Now and then a matrix is too near a singular one, and spoiled.
    *shift = asked++ % 2 ? 0 : 1e-3;
    if (*shift) return memset(a, 0xff, 8), 0;
    const char left = reduced ? 'S' : 'A';
    if (type == 0) Sdecompose(left, m, n, a, s, u, v, 0);
    if (type == 1) Ddecompose(left, m, n, a, s, u, v, 0);
    if (type == 4) Cdecompose(left, m, n, a, s, u, v, 0);
    if (type == 5) Zdecompose(left, m, n, a, s, u, v, 0);
    fprintf(stderr, "decomposed\n");
    return 0;
}
#endif
