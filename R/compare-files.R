# Tiles of a grid whose sides are files: which pairs are compared together, what is held of files
# between tiles, and how a run that was cut off goes on.

#' @include compare-grid.R
NULL

# ---- tiles

# A side has at least so many blocks, where it has as many representations, and workers share at
# least so many units of tiles, whatever fits into memory.
least_blocks <- 4
least_parts <- 16

# A list with the rows of `pairs` that each tile has. Each tile has a block of x, as large as can
# be, and a block of y, so that tiles with the same block of x, which follow each other, read what
# they have of y. The attribute `unit` says which of them go to one worker. All depends on the sizes
# and on options(repalign.max_memory =) alone: another number of workers, or another machine, cuts
# no other tiles. most: how many representations are held at a time; least: as least_blocks, fewer
# where there are no workers.
file_tiles <- function(pairs, sides, most, least = least_blocks) {
  size <- lengths(list(sides$x$reprs, sides$y$reprs))
  block <- function(most, size) max(1, min(most, ceiling(size / least)))
  i <- pairs$i
  j <- pairs$j
  if (sides$same) {
    # both directions of a pair together
    of_x <- of_y <- block(most %/% 2, size[1])
    i <- pmin(pairs$i, pairs$j)
    j <- pmax(pairs$i, pairs$j)
  } else {
    of_x <- block(most - 1, size[1])
    of_y <- block(most - of_x, size[2])
  }
  at_x <- (i - 1) %/% of_x
  at_y <- 1 + (j - 1) %/% of_y
  # pairs within a block of x are a tile of their own
  if (sides$self || sides$same) at_y[at_x == (j - 1) %/% of_x] <- 0
  rows <- unname(split(seq_along(i), at_x * (size[2] + 1) + at_y))
  strip <- at_x[vapply(rows, `[`, 0L, 1)]
  parts <- ceiling(least_parts / length(unique(strip)))
  part <- unlist(lapply(rle(strip)$lengths, function(n) block_of(n, min(n, parts))))
  structure(rows, unit = match(strip * parts + part, unique(strip * parts + part)))
}

# What run_tiles() returns, of tiles of files.
file_parts <- function(rows, pairs, sides, job, threads, label) {
  job$resume <- begin_resume(rows, pairs, sides, job)
  on.exit(forget_files())
  if (worker_count() == 0 || isTRUE(job$here)) {
    return(tiles_in_turn(rows, pairs, sides, job, label))
  }
  # by which a worker knows that its forms are of this call
  job$call <- basename(tempfile())
  units <- lapply(split(seq_along(rows), attr(rows, "unit")), function(numbers) {
    c(make_tile(unlist(rows[numbers]), pairs, sides), list(numbers = numbers, own = rows[numbers]))
  })
  # the largest first, so that no worker begins a large one when the others end
  units <- unname(units)[order(-vapply(units, function(unit) nrow(unit$pairs), 0L))]
  parts <- unlist(tiles_of_workers(units, job, threads, run_unit), recursive = FALSE)
  parts[order(unlist(lapply(units, `[[`, "numbers")))]
}

run_unit <- function(unit, job) {
  if (!identical(held$call, job$call)) forget_files()
  held$call <- job$call
  on.exit(put_away(names(held$reprs)))
  sides <- sides_of_tile(unit)
  places <- utils::relist(seq_along(unlist(unit$own)), unit$own)
  lapply(seq_along(places), function(k) {
    resumed(job$resume, unit$numbers[k],
            run_tile(make_tile(places[[k]], unit$pairs, sides), job))
  })
}

# ---- what is held

# Of this process: the representations of the last tile with their data, and of others the forms
# that are small beside the data, such as the size of their Gram matrix, by the names of the
# representations. A worker has these forms for all its units of a call, and no data between them.
held <- new.env()

forget_files <- function() held$reprs <- held$forms <- NULL

# The share of the data that a form may take to be kept.
small_form <- 1 / 256

# Nothing but their small forms is held of these representations from now on.
put_away <- function(names) {
  for (name in names) {
    entries <- held$reprs[[name]]$cache$entries
    small <- small_form * utils::object.size(held$reprs[[name]]$data)
    held$forms[[name]] <- Filter(function(entry) utils::object.size(entry) <= small, entries)
    held$reprs[[name]] <- NULL
  }
}

# The sides of a tile with the data. What the tile before had is not read again.
tile_sides <- function(tile) {
  sides <- sides_of_tile(tile)
  if (!is_filed(sides)) return(sides)
  key <- function(repr) paste(repr$side, repr$arg)
  put_away(setdiff(names(held$reprs), vapply(c(tile$x$reprs, tile$y$reprs), key, "")))
  read <- function(repr) {
    if (is.null(repr$source)) return(repr)
    name <- key(repr)
    before <- held$reprs[[name]]
    repr$data <- if (is.null(before)) data_of(repr) else before$data
    repr$cache$entries <- if (is.null(before)) held$forms[[name]] else before$cache$entries
    held$reprs[[name]] <- repr
    repr
  }
  keep_open({
    tile$x$reprs <- lapply(tile$x$reprs, read)
    if (!is.null(tile$y)) tile$y$reprs <- lapply(tile$y$reprs, read)
  })
  sides_of_tile(tile)
}

# ---- a run that was cut off

check_resume <- function(resume, set) {
  if (is.null(resume)) return(invisible())
  usable <- is.character(resume) && length(resume) == 1 && !is.na(resume) && nzchar(resume)
  refuse_if(!usable, "value", "`resume` must be the path of one folder, or NULL.")
  refuse_if(any(has_controls(set)), "choice", "`resume` cannot be used with partial scores, which ",
            "are made of several grids.")
}

# NULL, or what finished tiles in a folder must have been made of: list(folder, marks, seed), where
# `marks` are hashes.
begin_resume <- function(rows, pairs, sides, job) {
  folder <- sides$resume
  if (is.null(folder)) return(NULL)
  dir.create(folder, showWarnings = FALSE, recursive = TRUE)
  refuse_if(!dir.exists(folder) || file.access(folder, 2) != 0, "value", "`resume` ",
            "{quoted(folder)} is no folder that can be made or written: give another.")
  folder <- normalizePath(folder)
  reprs <- all_representations(sides)
  files <- unlist(lapply(reprs, function(repr) repr$source$file))
  refuse_if(folder %in% dirname(files), "value", "`resume` {quoted(basename(folder))} is a folder ",
            "of the data: give one of its own, whose tiles are no layers.")
  own <- function(measure) if (is_own(measure)) function_parts(measure$declaration$fun)
  sources <- lapply(reprs, function(repr) {
    path <- repr$source
    if (is.null(path)) return(repr$data)
    list(path[c("file", "name", "state")], file_bytes(path$file, 0, 4096))
  })
  named <- vapply(reprs, function(repr) {
    file <- repr$source$file
    if (is.null(file)) paste("data", repr$arg) else
      paste("file", file.path(basename(dirname(file)), basename(file)))
  }, "")
  marks <- c(
    `version of repalign` = as.character(utils::packageVersion("repalign")),
    measure = hash_of(lapply(job$set, function(measure) {
      list(measure$label, measure$id, measure$args, own(measure))
    })),
    `arguments or permutations` = hash_of(job[setdiff(names(job), c("run", "set"))]),
    `rows, names or pairs` = hash_of(list(pairs, lapply(reprs, function(repr) {
      list(repr$n, dimnames(repr$data), unclass(repr$data)[c("rows", "columns")])
    }))),
    `size of tiles` = hash_of(as.list(rows)),
    stats::setNames(vapply(sources, hash_of, ""), named)
  )
  resume <- list(folder = folder, marks = marks,
                 seed = hash_of(next_seed(reprs[[1]]$cache$choices$state)))
  for (file in kept_tiles(resume$folder)) check_kept(file, resume)
  resume
}

kept_tiles <- function(folder) {
  list.files(folder, "^repalign-tile-[0-9]+[.]rds$", full.names = TRUE)
}

# What an earlier run kept in a file; NULL if another run has taken it away meanwhile.
check_kept <- function(file, resume) {
  kept <- catch_error(suppressWarnings(readRDS(file)), failed = function(e) NULL)
  if (is.null(kept) && !file.exists(file)) return(NULL)
  refuse_if(!is.list(kept) || is.null(kept$marks), "resume", "`resume` ",
            "{quoted(basename(resume$folder))} holds {quoted(basename(file))}, which is no tile: ",
            "delete it, or give another folder.")
  # one by one, in their order: files of two folders may have the same name
  new <- names(resume$marks)
  old <- names(kept$marks)
  other <- if (identical(new, old)) new[resume$marks != kept$marks] else
    c(setdiff(new, old), setdiff(old, new), "number of files")[1]
  # a tile that made random choices made them from this seed
  if (isTRUE(kept$part$used) && !identical(kept$seed, resume$seed)) other <- c(other, "random seed")
  refuse_if(length(other), "resume", "`resume` {quoted(basename(resume$folder))} holds ",
            "tiles of another call ({enumerate(other, 3, FALSE)}): repeat that call, after the ",
            "same set.seed(), or give another folder. Tiles of different calls are never mixed.")
  kept$part
}

# The result of tile `number`, which an earlier run kept, or `part`, which is evaluated and kept.
resumed <- function(resume, number, part) {
  if (is.null(resume)) return(part)
  file <- file.path(resume$folder, paste0("repalign-tile-", number, ".rds"))
  kept <- if (file.exists(file)) check_kept(file, resume)
  if (!is.null(kept)) return(kept)
  if (is.null(part$error)) {
    # a file under its name is always complete
    own <- paste0(file, ".", Sys.getpid(), ".part")
    catch_error({
      saveRDS(list(marks = resume$marks, seed = resume$seed, part = part), own)
      file.rename(own, file)
    }, failed = function(e) {
      refuse("resume", "`resume` {quoted(basename(resume$folder))} can no longer be written: is ",
             "the disk full, or did another run with this folder end? One folder serves one run.")
    })
  }
  part
}
