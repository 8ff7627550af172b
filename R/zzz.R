# The last file to be read: declarations are completed and checked, so that one that names an
# unknown form is an error when the package is installed.

complete_declarations()
