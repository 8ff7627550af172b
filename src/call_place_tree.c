/* Entry points of places near each other. */

#include "place_tree.h"

#include <stdlib.h>

#include "entry.h"

static place_tree read_places(SEXP points, const char *name)
{
    const double *values = read_matrix(points, name);
    place_tree tree = {matrix_rows(points), matrix_columns(points), NULL, NULL, NULL};
    if (tree.count < 1 || tree.dims < 1) argument_error(name, "have rows and columns");
    tree.points = scratch(tree.count * tree.dims);
    tree.ids = int_scratch(tree.count);
    tree.boxes = scratch(place_tree_boxes(tree.count, tree.dims));
    build_place_tree(&tree, values);
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
    begin_entry(__func__);
    const place_tree tree = read_places(ARG(points));
    const double r = read_number(ARG(radius));
    double *at = scratch(tree.dims);
    SEXP result = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t) tree.count));
    for (size_t i = 0; i < tree.count; i++) {
        check_interrupt();
        INTEGER(result)[i] = (int) places_within(&tree, read_point(points, i, at), r * r, NULL);
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
    begin_entry(__func__);
    const place_tree tree = read_places(ARG(points));
    const double r = read_number(ARG(radius));
    double *at = scratch(tree.dims);
    int *found = int_scratch(tree.count);
    SEXP result = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t) tree.count));
    for (size_t i = 0; i < tree.count; i++) {
        check_interrupt();
        const size_t count = places_within(&tree, read_point(points, i, at), r * r, found);
        SET_VECTOR_ELT(result, (R_xlen_t) i, sorted_numbers(found, count, -1));
    }
    UNPROTECT(1);
    return result;
}

/* A list of the k nearest places of each, itself counted. */
SEXP repalign_list_nearest(SEXP points, SEXP k)
{
    begin_entry(__func__);
    const place_tree tree = read_places(ARG(points));
    const size_t most = read_count(ARG(k), 1, tree.count);
    double *at = scratch(tree.dims);
    near_place *found = (near_place *) R_alloc(most, sizeof(near_place));
    int *ids = int_scratch(most);
    SEXP result = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t) tree.count));
    for (size_t i = 0; i < tree.count; i++) {
        check_interrupt();
        const size_t count = nearest_places(&tree, read_point(points, i, at), (int) i, most, found);
        for (size_t j = 0; j < count; j++) ids[j] = found[j].id;
        SET_VECTOR_ELT(result, (R_xlen_t) i, sorted_numbers(ids, count, (int) i));
    }
    UNPROTECT(1);
    return result;
}
