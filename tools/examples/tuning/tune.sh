#!/bin/sh
# What there is to choose, a choice by hand, and on a GPU the one that is measured.
set -e
size="-D M=256 -D N=256 -D K=256"

echo "what the model would try, best first:"
cetane tune product.dsl $size --dry-run --budget=3

echo "by hand:"
cetane inspect product.dsl $size --config=blocks --resources
cetane run product.dsl $size --config=blocks --device=host

if cetane doctor > doctor.txt; then
	cetane tune product.dsl $size --budget=50 -o tuned.db -o search.svg
	cetane inspect product.dsl $size --tuning=tuned.db --resources
else
	echo "no GPU: nothing is measured"
fi
