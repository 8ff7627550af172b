# What write_map() writes, and where.

# of: a data frame with a row for each centre and model.
map_of_result <- function(of, column, model) {
  rows <- need_columns(as.data.frame(of), "center", "written", "values")
  numbers <- setdiff(names(rows)[vapply(rows, function(x) is.numeric(x) || is.logical(x), NA)],
                     "center")
  column <- check_choice(if (is.null(column)) "score" else column, numbers, "column")
  models <- unique(as.character(rows$model))
  refuse_if(is.null(model) && length(models) > 1, "choice", "`values` has {length(models)} ",
            "models: say which in `model`. Names: {enumerate(models, 20)}.", arg = "model")
  if (!is.null(model)) rows <- rows[rows$model %in% check_choice(model, models, "model"), ]
  refuse_if(!nrow(rows), "size", "`values` has no centre.")
  # centres that had no names are numbered, whatever columns they are around
  list(values = as.double(rows[[column]]), names = label_text(rows$center),
       all = is.numeric(rows$center))
}

# The numbers of the voxels that the values belong to.
places_of_map <- function(map, mask, space) {
  triples <- "^[0-9]+ [0-9]+ [0-9]+$"
  numbered <- !map$all && all(grepl("^[0-9]+$", map$names))
  refuse_if(!is.null(map$names) && anyDuplicated(map$names), "names", "`values` has ",
            dQuote(map$names[duplicated(map$names)][1], FALSE), " twice: give each voxel one ",
            "value.")
  if (!map$all && all(grepl(triples, map$names))) return(named_voxels(map$names, space))
  if (!map$all && !numbered) {
    odd <- map$names[!grepl(triples, map$names)][1]
    refuse("names", "`values` has names that are no voxels, first {dQuote(odd, FALSE)}: name ",
           "centres as the columns of read_volumes(), \"i j k\", or give plain numbers without ",
           "names, one for each voxel of the mask.")
  }
  inside <- voxels_of_mask(mask, 0.5, if (is.logical(mask)) space else mask_header(mask))
  if (numbered) {
    at <- as.double(map$names)
    if (all(at >= 1 & at <= length(inside))) return(inside[at])
    refuse("size", "`values` has centre {at[at < 1 | at > length(inside)][1]}, but the mask has ",
           "{count_of(length(inside), 'voxel')}.")
  }
  if (length(map$values) == length(inside)) return(inside)
  refuse("size", "`values` has {count_of(length(map$values), 'value')} without names of voxels, ",
         "and the mask {count_of(length(inside), 'voxel')}: give one for each, or name them as ",
         "the columns of read_volumes(), \"i j k\".")
}

named_voxels <- function(names, space) {
  places <- matrix(as.double(unlist(strsplit(names, " ", fixed = TRUE))), 3)
  beyond <- colSums(places < 1 | places > space$sizes) > 0
  refuse_if(any(beyond), "size", "`values` has the voxel {dQuote(names[beyond][1], FALSE)}, but ",
            "the mask has {paste(space$sizes, collapse = ' x ')} voxels.")
  colSums((places - 1) * c(1, cumprod(space$sizes[1:2]))) + 1
}

# ---- the image to write

# The space of the map, as volume_header() gives it; a logical array has no header.
space_of_map <- function(mask) {
  if (is.character(mask)) {
    need_file(mask, "mask")
    return(volume_header(mask, "mask"))
  }
  refuse_if(!is.logical(mask) || !length(dim(mask)) %in% 2:3, "type", "`mask` must be the path of ",
            "an image or a logical array, not {describe(mask)}.")
  list(file = "the map", arg = "mask", sizes = sizes_of_array(mask), unplaced = TRUE)
}

# What the header of the mask says of space, and nothing of what it says of values.
with_space <- function(image, space) {
  header <- space$header
  header[c("cal_min", "cal_max", "intent_p1", "intent_p2", "intent_p3", "intent_code")] <- 0
  header$intent_name <- header$descrip <- header$aux_file <- ""
  RNifti::asNifti(image, reference = header, datatype = "double")
}
