#!/bin/sh
# Installs what the package, its tests and its demo need and this machine lacks.
#   tools/install-deps.sh [more R packages]
# Debian as root: apt-get. What apt does not have, and any other machine that
# has R: CRAN, into .Rlibrary/. Says so and stops where neither can help.
# Does nothing, and asks no server, when nothing is missing.
# shellcheck disable=SC2086 # unquoted variables are lists of names
. tools/common.sh

say() { echo "install-deps: $*"; }
stop() { echo "install-deps: $*" >&2; exit 1; }

retry() {
  "$@" && return
  for wait in 10 30; do
    say "failed, once more in $wait seconds: $*"
    sleep "$wait"
    "$@" && return
  done
  return 1
}

can_apt() { [ "$(id -u)" = 0 ] && have apt-get && have dpkg-query; }
in_dpkg() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }
# Packages of the distribution suit only the R of the distribution.
debian_r() { can_apt && in_dpkg r-base-core && [ "$(R RHOME)" = /usr/lib/R ]; }

# Installs those of the named packages that apt knows.
apt_install() {
  export DEBIAN_FRONTEND=noninteractive
  if [ -z "${updated:-}" ]; then
    # Any server that fails is an error, to be tried again; in the end the lists
    # that are there may do.
    retry apt-get -q -o APT::Update::Error-Mode=any update || say "apt-get update failed"
    updated=yes
  fi
  known=$(for package; do
    apt-cache show "$package" >/dev/null 2>&1 && echo "$package"
  done) || true
  [ -n "$known" ] || return 0
  say "apt-get install" $known
  retry apt-get -q -y -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 \
    install --no-install-recommends $known
}

# --- R, its tool chain, and the programs that R CMD build and check call -------

if ! have R || ! have Rscript; then
  can_apt || stop "R (>= 4.1) is not installed, and this is not Debian with root rights.
  Install R with its tool chain (C and Fortran compilers, make) and pandoc, for
  example on Debian or Ubuntu: sudo apt-get install r-base-dev pandoc qpdf tidy
  or from https://cloud.r-project.org, then run this again."
  # libopenblas0-pthread: the reference BLAS is many times slower.
  # fonts-dejavu-core: without a font, png() draws no text.
  # ca-certificates, for CRAN: only if absent, its upgrade could undo local additions.
  certificates=
  [ -e /etc/ssl/certs/ca-certificates.crt ] || certificates=ca-certificates
  apt_install r-base-dev libc6-dev libopenblas0-pthread fonts-dejavu-core pandoc qpdf tidy \
    $certificates || true
  have Rscript || stop "apt-get could not install R"
fi

lacking=
for program in gcc gfortran make pandoc qpdf tidy; do
  have "$program" || lacking="$lacking $program"
done
if debian_r; then
  in_dpkg r-base-dev || lacking="$lacking r-base-dev"
  case $(Rscript -e 'cat(extSoftVersion()[["BLAS"]])') in
    */blas/*) lacking="$lacking libopenblas0-pthread" ;;
  esac
fi
if [ -n "$lacking" ] && can_apt; then
  apt_install $lacking || say "apt-get could not install all of:$lacking"
fi
cc=$(R CMD config CC)
have "${cc%% *}" || stop "R's C compiler (${cc%% *}) is not installed"
have make || stop "make is not installed"
for program in pandoc:'the vignettes are not built' \
               qpdf:'a part of R CMD check is left out' \
               tidy:'a part of R CMD check is left out'; do
  have "${program%%:*}" || say "${program%%:*} is not installed: ${program#*:}"
done

# --- R packages ----------------------------------------------------------------

missing=$(Rscript tools/missing-packages.R "$@")
if [ -n "$missing" ] && debian_r; then
  names=$(for package in $missing; do
    debian=r-cran-$(echo "$package" | tr '[:upper:]' '[:lower:]')
    in_dpkg "$debian" || echo "$debian"     # there, but R does not see it: from CRAN
  done)
  [ -z "$names" ] || apt_install $names || say "apt-get failed; trying CRAN"
  missing=$(Rscript tools/missing-packages.R "$@")
fi
if [ -n "$missing" ]; then
  say "from CRAN, into .Rlibrary:" $missing
  Rscript tools/missing-packages.R --install "$@"
  missing=$(Rscript tools/missing-packages.R "$@")
fi
if [ -n "$missing" ]; then
  required=$(Rscript tools/missing-packages.R --required "$@")
  [ -z "$required" ] || stop "these R packages are needed and could not be installed:" $required
  say "could not be installed, what needs them is skipped:" $missing
fi
