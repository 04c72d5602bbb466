#!/bin/sh
# packages/version.sh -- prints the version, which stands in src/api/version.h and nowhere else.
cd "$(dirname "$0")/.." && sed -n 's/^#define XLAGPU_VERSION "\(.*\)"$/\1/p' src/api/version.h
