// Virtual functions, pointers to members and to functions, recursion with arrays on the stack, tables of jumps, structures by value and by result, 3-D blocks.
struct shape { __device__ virtual float area() const = 0; __device__ virtual float scaled(float k) const { return k * area(); } };
struct square : shape { float a; __device__ square(float x) : a(x) {} __device__ float area() const { return a * a; } };
struct box : shape { float a, b; __device__ box(float x, float y) : a(x), b(y) {} __device__ float area() const { return a * b; } __device__ float scaled(float k) const { return 2 * k * a * b; } };
struct big { int v[20]; double w; };
__device__ __noinline__ big make(int x) { big b; for (int i = 0; i < 20; i++) b.v[i] = x * i; b.w = x * 0.5; return b; }
__device__ __noinline__ int total(big b, int n) { int s = 0; for (int i = 0; i < n; i++) s += b.v[i]; return s + (int)b.w; }
__device__ __noinline__ int ackermann(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }
__device__ __noinline__ void permute(int *a, int k, int n, unsigned *sum) {
    int copy[6];
    if (k == n) { unsigned h = 0; for (int i = 0; i < n; i++) h = h * 7 + a[i]; *sum ^= h * 2654435761u; return; }
    for (int i = 0; i < n; i++) copy[i] = a[i];
    for (int i = k; i < n; i++) { int t = copy[k]; copy[k] = copy[i]; copy[i] = t; permute(copy, k + 1, n, sum); }
}
struct ops { int k; __device__ __noinline__ int up(int x) { return x + k; } __device__ __noinline__ int down(int x) { return x - 2 * k; } };
typedef int (ops::*member)(int);
__constant__ int rows[4][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}};
__constant__ const int *corner = &rows[2][1];
extern "C" __global__ void objects(float *areas, int *ints, int n) {
    int i = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * (threadIdx.z + blockDim.z * blockIdx.x));
    if (i >= n) return;
    square s(i + 1.0f);
    box b(i + 0.5f, 2.0f);
    const shape *p = i % 3 ? (const shape *)&s : (const shape *)&b;
    areas[i] = p->scaled(0.5f) + p->area();
    big x = make(i);
    ops o = {i % 5};
    member f = i & 1 ? &ops::up : &ops::down;
    unsigned h = 0;
    int a[6] = {i % 4, 1, 2, 3, 4, 5};
    permute(a, 0, 4 + (i & 1), &h);
    int y = total(x, i % 21) + (o.*f)(i) + ackermann(i & 1, i % 4) + corner[i % 4] + rows[i & 3][i % 3];
    switch (i % 11) {
    case 0: y += 3; break; case 1: y *= 5; break; case 2: y ^= 77; break; case 3: y -= i; break; case 4: y = y << 2; break; case 5: y = ~y; break;
    case 6: y = y / 3; break; case 7: y %= 13; break; case 8: y += __popc(y); break; case 9: y = __ffs(y); break; default: y = -y;
    }
    ints[i] = y ^ (int)(h & 0xFFFF);
}
