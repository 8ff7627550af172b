# The analyses of macaque IT. Each returns a plain data frame: `setting` (and what else was
# varied) before the columns of the package's results.

settings <- c("raw" = "none", "each neuron / its SD" = "sd")

# Runs an analysis for both settings and binds the tables.
for_settings <- function(run, ...) {
  tables <- lapply(names(settings), function(setting) {
    data.frame(setting = setting, ..., as.data.frame(run(settings[[setting]])))
  })
  do.call(rbind, tables)
}

run_halves <- function(recordings) {
  x <- mean_responses(recordings)
  neurons <- c(4, 8, 16, 32, ncol(x) %/% 2)
  table <- for_settings(function(normalize) {
    brain_to_brain(x, neurons = neurons, repeats = 1000, normalize = normalize)
  })
  replace(table, c("x", "y"), list("a half", "the other half"))
}

# All pairs of sessions, and pooled over them ("(all)").
run_sessions <- function(recordings) {
  x <- mean_responses(recordings)
  size <- table(recordings$session)
  neurons <- unique(c(2, 3, min(size), max(size)))
  for_settings(function(normalize) {
    pairs <- brain_to_brain(x, neurons = neurons, repeats = 50, split = recordings$session,
                            normalize = normalize)
    rbind(summary(pairs), as.data.frame(pairs))
  })
}

run_trials <- function(recordings) {
  neurons <- c(8, 16, 32, 64, ncol(recordings$trials))
  run <- function(left_out, units) {
    for_settings(function(normalize) {
      trial_to_trial(recordings$trials, neurons = neurons, repeats = 50, units = units,
                     normalize = normalize)
    }, left_out = left_out)
  }
  # the note on missing repeats is repeated in the report
  suppressMessages(rbind(run("same neuron", NULL), run("same session", recordings$session)))
}

# All pairs of objects, and pooled over them ("(all)"). Images are single trials, and
# those of one image a cluster.
run_objects <- function(recordings) {
  images <- single_trials(recordings)
  neurons <- c(16, 32, 64, ncol(images$responses))
  run <- function(responses, normalize) {
    # trials of one image depend on each other
    pairs <- object_disentanglement(responses, images$object, neurons = neurons, repeats = 50,
                                    normalize = normalize, clusters = rownames(responses))
    rbind(summary(pairs), as.data.frame(pairs))
  }
  centred <- scale(images$responses, scale = FALSE)
  rbind(
    for_settings(function(normalize) run(images$responses, normalize)),
    data.frame(setting = "/ SD, mean over images removed", run(centred, "sd"))
  )
}

# Checks of the four analyses, at all neurons with the stimulus_neuron estimator.
run_controls <- function(recordings) {
  suppressMessages(rbind(
    session_controls(recordings), trial_controls(recordings), object_controls(recordings)
  ))
}

control <- function(analysis, control, setting, values) {
  data.frame(analysis = analysis, control = control, setting = setting, value = mean(values),
             lowest = min(values), highest = max(values), runs = length(values))
}

last_pooled <- function(result) {
  table <- if (length(unique(paste(result$x, result$y))) > 1) summary(result) else result
  table$pooled[nrow(table)]
}

session_controls <- function(recordings) {
  x <- mean_responses(recordings)
  session <- recordings$session
  by <- function(x, split, normalize) {
    last_pooled(brain_to_brain(x, neurons = max(table(session)), repeats = 1, split = split,
                               estimator = "stimulus_neuron", normalize = normalize,
                               conf_level = NULL))
  }
  rows <- lapply(names(settings), function(setting) {
    normalize <- settings[[setting]]
    shuffled <- replicate(10, by(x, sample(session), normalize))
    without <- vapply(unique(session), function(s) {
      keep <- session != s
      last_pooled(brain_to_brain(x[, keep], neurons = max(table(session[keep])), repeats = 1,
                                 split = session[keep], estimator = "stimulus_neuron",
                                 normalize = normalize, conf_level = NULL))
    }, 0)
    rbind(
      control("by session", "session labels shuffled", setting, shuffled),
      control("by session", "without each session", setting, without),
      control("by session", "odd against even repeats", setting, odd_even(recordings, normalize))
    )
  })
  do.call(rbind, rows)
}

# By session with every H value from odd against even repeats: noise that is shared in a
# trial enters neither numerator nor denominator.
odd_even <- function(recordings, normalize) {
  session <- recordings$session
  trials <- recordings$trials
  if (normalize == "sd") trials <- sweep(trials, 2, apply(mean_responses(recordings), 2, sd), "/")
  odd_repeat <- seq_len(dim(trials)[3]) %% 2 == 1
  odd <- apply(trials[, , odd_repeat], 1:2, mean, na.rm = TRUE)
  even <- apply(trials[, , !odd_repeat], 1:2, mean, na.rm = TRUE)
  h <- function(a, b) {
    hsic(odd[, session == a, drop = FALSE], even[, session == b, drop = FALSE],
         estimator = "stimulus_neuron", shared_neurons = a == b)
  }
  pairs <- expand.grid(a = unique(session), b = unique(session))
  values <- mapply(h, pairs$a, pairs$b)
  same <- pairs$a == pairs$b
  mean(values[!same]) / mean(values[same])
}

trial_controls <- function(recordings) {
  complete <- complete_repeats(recordings)
  run <- function(trials, normalize, units = NULL) {
    last_pooled(trial_to_trial(trials, neurons = ncol(trials), estimator = "stimulus_neuron",
                               units = units, normalize = normalize, conf_level = NULL))
  }
  rows <- lapply(names(settings), function(setting) {
    normalize <- settings[[setting]]
    # every neuron's repeats of a stimulus in a random order of their own: the responses
    # stay, what was shared within a trial is gone
    shuffled <- replicate(10, run(aperm(apply(complete, 1:2, sample), c(2, 3, 1)), normalize))
    rbind(
      control("trial-to-trial", "complete repeats, same neuron left out", setting,
              run(complete, normalize)),
      control("trial-to-trial", "complete repeats, same session left out", setting,
              run(complete, normalize, recordings$session)),
      control("trial-to-trial", "repeats shuffled per neuron, same neuron left out", setting,
              shuffled)
    )
  })
  do.call(rbind, rows)
}

object_controls <- function(recordings) {
  images <- single_trials(recordings)
  # labels are shuffled over single trials, and nothing here has an interval
  rownames(images$responses) <- NULL
  run <- function(responses, object, normalize) {
    last_pooled(object_disentanglement(responses, object, neurons = ncol(responses), repeats = 1,
                                       estimator = "stimulus_neuron", normalize = normalize,
                                       conf_level = NULL))
  }
  rows <- lapply(names(settings), function(setting) {
    normalize <- settings[[setting]]
    # the same SD as above, that of single trials
    scale <- if (normalize == "sd") apply(images$responses, 2, sd) else 1
    rbind(
      control("objects", "object labels shuffled", setting,
              replicate(10, run(images$responses, sample(images$object), normalize))),
      control("objects", "images averaged over repeats", setting,
              run(t(t(mean_responses(recordings)) / scale), recordings$object, "none"))
    )
  })
  do.call(rbind, rows)
}

# One row of a table: pick(trials, "raw", neurons = 132, left_out = "same neuron").
pick <- function(table, setting, neurons = max(table$neurons), estimator = "stimulus_neuron", ...) {
  at <- table$setting == setting & table$neurons == neurons & table$estimator == estimator
  wanted <- list(...)
  for (column in names(wanted)) at <- at & table[[column]] == wanted[[column]]
  if (!any(c("x", "y") %in% names(wanted)) && any(table$x == "(all)")) {
    at <- at & table$x == "(all)"
  }
  table[at, ]
}

number <- function(value, digits = 2) formatC(value, digits = digits, format = "f")

with_interval <- function(row, digits = 2) {
  if (is.na(row$conf_low)) return(number(row$pooled, digits))
  paste0(number(row$pooled, digits), " (", number(row$conf_low, digits), " to ",
         number(row$conf_high, digits), ")")
}

# A row per analysis and setting, for the console and the head of the report.
short_table <- function(tables) {
  row <- function(analysis, name, kind, ...) {
    rows <- lapply(names(settings), function(setting) {
      cell <- function(estimator) {
        with_interval(pick(tables[[name]], setting, estimator = estimator, ...))
      }
      data.frame(analysis = analysis, responses = if (setting == "raw") "raw" else "/ SD",
                 naive = cell("naive"), stimulus = cell("stimulus"),
                 stimulus_neuron = cell("stimulus_neuron"), what = kind)
    })
    do.call(rbind, rows)
  }
  rbind(
    row("brain-to-brain, random halves", "brain-to-brain-halves", "identity"),
    row("brain-to-brain, by session", "brain-to-brain-sessions", "finding"),
    row("trial-to-trial, same neuron left out", "trial-to-trial", "finding",
        left_out = "same neuron"),
    row("trial-to-trial, same session left out", "trial-to-trial", "check",
        left_out = "same session"),
    row("object disentanglement", "object-disentanglement", "finding"),
    row("V4 and the network's last layer", "brain-to-model", "finding", y = last_layer),
    row("fly larvae, same neurons", "larvae", "finding", odours = one_dilution)
  )
}
