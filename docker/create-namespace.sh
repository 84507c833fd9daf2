#!/bin/sh
# Makes the Temporal namespace if it is not there. The CLI itself reads TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE.
set -eu
temporal operator cluster health
temporal operator namespace describe >/dev/null 2>&1 || temporal operator namespace create --retention "${TEMPORAL_RETENTION:-7d}"
