/* Places near each other: a tree of boxes over points of any dimension. */

#include <math.h>
#include <string.h>
#include <stdlib.h>

#include "entry.h"

/* Points in the order of the tree: a node has the points from `first` to `last` - 1, and its two
   parts have one half of them each. Node k has the parts 2k + 1 and 2k + 2. */
typedef struct {
    size_t count, dims;
    double *points; /* dims numbers for each point, side by side */
    int *ids;       /* which point of the caller's stands there */
    double *boxes;  /* for each node the lowest and the highest value of each dimension */
} place_tree;

/* A point with its squared distance, rounded to 12 digits, so that equal distances tie. */
typedef struct {
    double square;
    int id;
} near_place;

/* Points of a node that is not parted any more. */
#define LEAF 8

/* A node, with the points that it has. */
typedef struct {
    size_t node, first, last;
} branch;

static branch whole(const place_tree *tree) { return (branch){0, 0, tree->count}; }

static branch half_of(branch b, int second)
{
    const size_t middle = b.first + (b.last - b.first) / 2;
    return second ? (branch){2 * b.node + 2, middle, b.last}
                  : (branch){2 * b.node + 1, b.first, middle};
}

static int is_leaf(branch b) { return b.last - b.first <= LEAF; }

static const double *point_at(const place_tree *tree, size_t at)
{
    return tree->points + tree->dims * at;
}

/* Orders the points of [first, last) so that those before `middle` are not larger in dimension
   `dim` than those from there on. */
static void part_points(place_tree *tree, size_t first, size_t last, size_t middle, size_t dim)
{
    while (last - first > 1) {
        const double pivot = point_at(tree, first + (last - first) / 2)[dim];
        size_t low = first, high = last - 1;
        for (;;) {
            while (point_at(tree, low)[dim] < pivot) low++;
            while (point_at(tree, high)[dim] > pivot) high--;
            if (low >= high) break;
            for (size_t j = 0; j < tree->dims; j++) {
                double *a = tree->points + tree->dims * low + j;
                double *b = tree->points + tree->dims * high + j, value = *a;
                *a = *b;
                *b = value;
            }
            const int id = tree->ids[low];
            tree->ids[low++] = tree->ids[high];
            tree->ids[high--] = id;
        }
        /* what is before `low` is at most the pivot, what is after `high` at least */
        if (middle <= high && high + 1 < last) last = high + 1;
        else if (middle >= low && low > first) first = low;
        else return;
    }
}

static void build_branch(place_tree *tree, branch b)
{
    double *box = tree->boxes + 2 * tree->dims * b.node;
    size_t widest = 0;
    for (size_t j = 0; j < tree->dims; j++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t at = b.first; at < b.last; at++) {
            const double value = point_at(tree, at)[j];
            low = value < low ? value : low;
            high = value > high ? value : high;
        }
        box[2 * j] = low;
        box[2 * j + 1] = high;
        if (high - low > box[2 * widest + 1] - box[2 * widest]) widest = j;
    }
    if (is_leaf(b)) return;
    part_points(tree, b.first, b.last, half_of(b, 1).first, widest);
    build_branch(tree, half_of(b, 0));
    build_branch(tree, half_of(b, 1));
}

/* ---- distances; rounding never changes their order, as all add up the same terms in one order */

static double square_to_point(const place_tree *tree, const double *at, size_t point)
{
    const double *other = point_at(tree, point);
    double sum = 0.0;
    for (size_t j = 0; j < tree->dims; j++) {
        const double gap = fabs(at[j] - other[j]);
        sum += gap * gap;
    }
    return sum;
}

/* To the nearest and to the farthest place of a box. */
static void squares_to_box(const place_tree *tree, const double *at, size_t node, double *nearest,
                           double *farthest)
{
    const double *box = tree->boxes + 2 * tree->dims * node;
    *nearest = *farthest = 0.0;
    for (size_t j = 0; j < tree->dims; j++) {
        const double low = box[2 * j], high = box[2 * j + 1];
        const double outside = at[j] < low ? low - at[j] : at[j] > high ? at[j] - high : 0.0;
        const double to_low = fabs(at[j] - low), to_high = fabs(at[j] - high);
        const double across = to_low > to_high ? to_low : to_high;
        *nearest += outside * outside;
        *farthest += across * across;
    }
}

/* ---- within a radius */

/* How many points lie within the root of `square` of the point, itself counted; with `found`, which
   has room for them, also which these are, in no order. The same comparisons decide in both. */
static size_t branch_within(const place_tree *tree, const double *at, double square, branch b,
                            int *found)
{
    double nearest, farthest;
    squares_to_box(tree, at, b.node, &nearest, &farthest);
    if (nearest > square) return 0;
    if (farthest <= square) {
        if (found) memcpy(found, tree->ids + b.first, (b.last - b.first) * sizeof(int));
        return b.last - b.first;
    }
    size_t count = 0;
    if (is_leaf(b)) {
        for (size_t point = b.first; point < b.last; point++) {
            if (square_to_point(tree, at, point) > square) continue;
            if (found) found[count] = tree->ids[point];
            count++;
        }
        return count;
    }
    count = branch_within(tree, at, square, half_of(b, 0), found);
    return count + branch_within(tree, at, square, half_of(b, 1), found ? found + count : NULL);
}

/* ---- nearest ones */

static double round_square(double square)
{
    if (!(square > 0.0)) return 0.0;
    const double unit = pow(10.0, 11.0 - floor(log10(square)));
    return isfinite(unit) && unit > 0.0 ? nearbyint(square * unit) / unit : square;
}

/* Those found so far: a heap, whose first one is the farthest. */
typedef struct {
    near_place *found;
    size_t count, most;
    int self;
} nearest_list;

static int is_farther(near_place a, near_place b)
{
    return a.square > b.square || (a.square == b.square && a.id > b.id);
}

/* Puts a place where the farthest one was, or at the end of a list that is not full. */
static void insert_place(nearest_list *list, near_place place)
{
    near_place *heap = list->found;
    if (list->count < list->most) {
        size_t at = list->count++;
        for (; at > 0 && is_farther(place, heap[(at - 1) / 2]); at = (at - 1) / 2)
            heap[at] = heap[(at - 1) / 2];
        heap[at] = place;
        return;
    }
    if (!is_farther(heap[0], place)) return;
    size_t at = 0;
    for (size_t next = 1; next < list->count; next = 2 * at + 1) {
        if (next + 1 < list->count && is_farther(heap[next + 1], heap[next])) next++;
        if (!is_farther(heap[next], place)) break;
        heap[at] = heap[next];
        at = next;
    }
    heap[at] = place;
}

/* Those beyond the farthest one cannot come in; equal ones may, by their number. Most are
   so much farther that rounding need not be asked. */
static int is_too_far(const nearest_list *list, double square)
{
    if (list->count < list->most) return 0;
    const double last = list->found[0].square;
    if (square > last * (1.0 + 1e-10)) return 1;
    return square > last * (1.0 - 1e-10) && round_square(square) > last;
}

static void branch_nearest(const place_tree *tree, const double *at, branch b, nearest_list *list)
{
    if (is_leaf(b)) {
        for (size_t point = b.first; point < b.last; point++) {
            const double square = square_to_point(tree, at, point);
            if (tree->ids[point] == list->self || is_too_far(list, square)) continue;
            insert_place(list, (near_place){round_square(square), tree->ids[point]});
        }
        return;
    }
    double nearest[2], farthest;
    for (int k = 0; k < 2; k++)
        squares_to_box(tree, at, half_of(b, k).node, &nearest[k], &farthest);
    const int first = nearest[1] < nearest[0];
    for (int k = 0; k < 2; k++) {
        const int part = k == 0 ? first : !first;
        if (!is_too_far(list, nearest[part])) branch_nearest(tree, at, half_of(b, part), list);
    }
}

static place_tree read_places(SEXP points, const char *name)
{
    const double *values = read_matrix(points, name);
    const size_t count = matrix_rows(points), dims = matrix_columns(points);
    if (count < 1 || dims < 1) argument_error(name, "have rows and columns");
    size_t nodes = 1;
    for (size_t largest = count; largest > LEAF; largest -= largest / 2) nodes = 2 * nodes + 1;
    place_tree tree = {count, dims, scratch(count * dims), int_scratch(count),
                       scratch(2 * dims * nodes)};
    for (size_t i = 0; i < count; i++) {
        tree.ids[i] = (int) i;
        for (size_t j = 0; j < dims; j++) tree.points[dims * i + j] = values[i + count * j];
    }
    build_branch(&tree, whole(&tree));
    return tree;
}

static const double *read_point(SEXP points, size_t i, double *at)
{
    for (size_t j = 0; j < matrix_columns(points); j++)
        at[j] = REAL(points)[i + matrix_rows(points) * j];
    return at;
}

static int by_number(const void *a, const void *b)
{
    const int x = *(const int *) a, y = *(const int *) b;
    return (x > y) - (x < y);
}

/* points: places x dimensions. How many places lie within the radius of each, itself counted. */
SEXP repalign_count_near(SEXP points, SEXP radius)
{
    const place_tree tree = read_places(ARG(points));
    const double r = read_number(ARG(radius));
    double *at = scratch(tree.dims);
    SEXP result = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t) tree.count));
    for (size_t i = 0; i < tree.count; i++) {
        check_interrupt();
        INTEGER(result)[i] =
            (int) branch_within(&tree, read_point(points, i, at), r * r, whole(&tree), NULL);
    }
    UNPROTECT(1);
    return result;
}

/* One-based numbers in rising order, of which `with` is one more unless it is negative. */
static SEXP sorted_numbers(const int *ids, size_t count, int with)
{
    SEXP numbers = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t) (count + (with >= 0))));
    for (size_t k = 0; k < count; k++) INTEGER(numbers)[k] = ids[k] + 1;
    if (with >= 0) INTEGER(numbers)[count++] = with + 1;
    qsort(INTEGER(numbers), count, sizeof(int), by_number);
    UNPROTECT(1);
    return numbers;
}

/* A list of which places these are. */
SEXP repalign_list_near(SEXP points, SEXP radius)
{
    const place_tree tree = read_places(ARG(points));
    const double r = read_number(ARG(radius));
    double *at = scratch(tree.dims);
    int *found = int_scratch(tree.count);
    SEXP result = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t) tree.count));
    for (size_t i = 0; i < tree.count; i++) {
        check_interrupt();
        const size_t count =
            branch_within(&tree, read_point(points, i, at), r * r, whole(&tree), found);
        SET_VECTOR_ELT(result, (R_xlen_t) i, sorted_numbers(found, count, -1));
    }
    UNPROTECT(1);
    return result;
}

/* A list of the k nearest places of each, itself counted. */
SEXP repalign_list_nearest(SEXP points, SEXP k)
{
    const place_tree tree = read_places(ARG(points));
    const size_t most = read_count(ARG(k), 1, tree.count);
    double *at = scratch(tree.dims);
    near_place *found = (near_place *) R_alloc(most, sizeof(near_place));
    int *ids = int_scratch(most);
    SEXP result = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t) tree.count));
    for (size_t i = 0; i < tree.count; i++) {
        check_interrupt();
        /* the k - 1 nearest others, ties by their number */
        nearest_list list = {found, 0, most - 1, (int) i};
        if (most > 1) branch_nearest(&tree, read_point(points, i, at), whole(&tree), &list);
        for (size_t j = 0; j < list.count; j++) ids[j] = found[j].id;
        SET_VECTOR_ELT(result, (R_xlen_t) i, sorted_numbers(ids, list.count, (int) i));
    }
    UNPROTECT(1);
    return result;
}
