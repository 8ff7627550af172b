/* Entry point of the choice between plain loops and those for wider vectors. */

#include "wide.h"

#include "entry.h"

/* Allow or forbid wider vectors; c(are they in use, what was allowed before). */
SEXP repalign_allow_wide(SEXP allow)
{
    begin_entry(__func__);
    const int before = allow_wide_vectors(read_flag(ARG(allow)));
    SEXP result = PROTECT(Rf_allocVector(LGLSXP, 2));
    LOGICAL(result)[0] = wide_vectors();
    LOGICAL(result)[1] = before;
    UNPROTECT(1);
    return result;
}
