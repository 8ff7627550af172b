# Small NIfTI images, written by RNifti.

# values: an array. corner: where the first voxel lies, in mm; NULL: nowhere that is said.
nifti_file <- function(values, corner = c(-10, 20, 5), size = 2, ending = ".nii.gz",
                       frame = parent.frame(), ...) {
  path <- withr::local_tempfile(fileext = ending, .local_envir = frame)
  image <- RNifti::asNifti(values)
  RNifti::pixdim(image) <- rep(size, length(dim(values)))
  if (!is.null(corner)) {
    xform <- rbind(cbind(diag(size, 3), corner), c(0, 0, 0, 1))
    RNifti::sform(image) <- structure(xform, code = 2L)
  }
  RNifti::writeNifti(image, path, ...)
  path
}

# The same image with other bytes, written without compression.
changed_nifti <- function(values, at, bytes, frame = parent.frame(), ...) {
  path <- nifti_file(values, ending = ".nii", frame = frame, ...)
  whole <- readBin(path, "raw", file.size(path))
  whole[at + seq_along(bytes)] <- bytes
  writeBin(whole, path)
  path
}

# Images as seeds of mutated files: a list of bytes, named by endings.
nifti_seeds <- function() {
  small <- array(c(1:20, 0, -3, 2.5, NA), c(2, 3, 4))
  several <- array(1:48, c(2, 3, 4, 2))
  files <- c(nifti_file(small, ending = ".nii"), nifti_file(several, ending = ".nii"),
             nifti_file(several, ending = ".nii", version = 2), nifti_file(small))
  bytes <- lapply(files, function(path) readBin(path, "raw", file.size(path)))
  stats::setNames(bytes, c(".nii", ".nii", ".nii", ".nii.gz"))
}
