#!/bin/sh
# The training step on images beside PyTorch's, in the environment of distance.sh. All arguments go to images.py.
set -eu

PEERS_SCRIPT=images.py exec "$(dirname -- "$0")/distance.sh" "$@"
