#!/usr/bin/env bash
# Stop what slurm_up.sh started and remove its configuration; another Slurm is left alone.
set -euo pipefail

conf=/etc/slurm/slurm.conf
state=/var/lib/seedlot-slurm

grep -qF "# one-node Slurm of the seedlot tests" "$conf" 2>/dev/null || exit 0
for pidfile in "$state/slurmd.pid" "$state/slurmctld.pid" /run/munge/seedlot.pid; do
  [ -s "$pidfile" ] || continue
  pid="$(cat "$pidfile")"
  kill "$pid" 2>/dev/null || continue
  for _ in $(seq 50); do
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
done
rm -rf "$conf" "$state"
echo "slurm: down"
