# Labels of conditions, stimuli, neurons and trials come in one order, whatever function reads them.

# The different labels: those of a factor by their levels, numbers by value, words by their first
# appearance. (Sorted words would bring "animal 10" before "animal 2".)
levels_in_order <- function(values) {
  if (is.factor(values)) return(levels(droplevels(values)))
  values <- as.vector(values)
  if (is.character(values)) unique(values[!is.na(values)]) else sort(unique(values))
}

# The order of texts in all locales. R does not sort those of no declared encoding so.
radix_order <- function(texts) order(enc2utf8(texts), method = "radix")

# Labels as a factor of text in this order.
ordered_labels <- function(values) {
  factor(label_text(as.vector(values)), label_text(levels_in_order(values)))
}

# One order of the labels of several things, as text: that of the first, to which the others add
# what it lacks. all: a list of labels.
order_of_all <- function(all) {
  all <- Filter(Negate(is.null), all)
  if (all(vapply(all, is.numeric, NA))) return(label_text(levels_in_order(unlist(all))))
  unique(unlist(lapply(all, function(values) {
    # levels that do not occur say where those stand that others have
    label_text(if (is.factor(values)) levels(values) else levels_in_order(values))
  })))
}

# Labels as text. Whole numbers are written out, so that 1e5 is "100000" whether it is stored as a
# double or as an integer.
label_text <- function(values) {
  if (!is.double(values) || is.object(values)) return(as.character(values))
  whole <- values == round(values) & abs(values) < 1e15
  ifelse(whole, sprintf("%.0f", values), as.character(values))
}
