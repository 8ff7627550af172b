/* The overlap of two lists with ties: see tied_overlap.h. */

#include "tied_overlap.h"

/* Chances that `low`, low + 1, ... of the `drawn` are marked, when `marked` of all are. */
typedef struct {
    size_t low, count;
    double *chance;
} marked_chances;

/* From the most likely number on in both directions, by the ratios of neighbouring chances, so that
   nothing overflows; then divided by their sum. */
static marked_chances hypergeometric(size_t all, size_t marked, size_t drawn, double *chance)
{
    const size_t low = marked + drawn > all ? marked + drawn - all : 0;
    const size_t high = least(marked, drawn);
    const double likely = ((double) drawn + 1.0) * ((double) marked + 1.0) / ((double) all + 2.0);
    const size_t start = likely < (double) low ? low : least((size_t) likely, high);
    double sum = 1.0;
    chance[start - low] = 1.0;
    for (size_t h = start; h < high; h++) {
        const double more = (double) (marked - h) * (double) (drawn - h);
        const double fewer = (double) (h + 1) * (double) (all + h + 1 - marked - drawn);
        sum += chance[h + 1 - low] = chance[h - low] * more / fewer;
    }
    for (size_t h = start; h > low; h--) {
        const double more = (double) (marked + 1 - h) * (double) (drawn + 1 - h);
        const double fewer = (double) h * (double) (all + h - marked - drawn);
        sum += chance[h - 1 - low] = chance[h - low] * fewer / more;
    }
    for (size_t h = low; h <= high; h++) chance[h - low] /= sum;
    return (marked_chances){low, high - low + 1, chance};
}

static double jaccard(size_t common, size_t k)
{
    return (double) common / (double) (2 * k - common);
}

/* First x chooses: `both` of those that are tied on both sides, and some of those that are sure in
   y. What it chose decides how many of the tied ones of y are common if y chooses them. */
double mean_jaccard(size_t k, common_kinds c, open_places x, open_places y, double *odds)
{
    if (c.tied_in_x + c.tied_in_y + c.tied_in_both == 0) return jaccard(c.sure, k);
    double total = 0.0;
    const marked_chances in_both = hypergeometric(x.tied, c.tied_in_both, x.places, odds);
    for (size_t b = 0; b < in_both.count; b++) {
        const size_t both = in_both.low + b;
        const marked_chances in_x = hypergeometric(x.tied - c.tied_in_both, c.tied_in_x,
                                                   x.places - both, odds + k + 1);
        const marked_chances in_y = hypergeometric(y.tied, c.tied_in_y + both, y.places,
                                                   odds + 2 * (k + 1));
        double inner = 0.0;
        for (size_t p = 0; p < in_x.count; p++)
            for (size_t h = 0; h < in_y.count; h++)
                inner += in_x.chance[p] * in_y.chance[h] *
                         jaccard(c.sure + in_x.low + p + in_y.low + h, k);
        total += in_both.chance[b] * inner;
    }
    return total;
}
