#!/usr/bin/env bash
# Start Slurm on this machine as its one node: no accounting database, no cgroups, no systemd. Needs root and the
# packages munge, slurmctld, slurmd, slurm-client. A running Slurm, or a configuration by someone else, is left alone.
set -euo pipefail

mark="# one-node Slurm of the seedlot tests"
conf=/etc/slurm/slurm.conf
state=/var/lib/seedlot-slurm

if [ -f "$conf" ] && ! grep -qF "$mark" "$conf"; then
  echo "slurm: $conf is not ours and stays as it is" >&2
  exit 0
fi
if [ -f "$conf" ] && timeout 5 scontrol ping 2>/dev/null | grep -q UP; then
  echo "slurm: already up"
  exit 0
fi
for tool in munged slurmctld slurmd sinfo; do
  PATH="$PATH:/usr/sbin" command -v "$tool" >/dev/null || { echo "slurm: $tool is not installed" >&2; exit 1; }
done

node="$(hostname -s)"
cpus="$(nproc)"
memory="$(awk '/MemTotal/ {print int($2 / 1024 * 0.8)}' /proc/meminfo)"
mkdir -p /etc/slurm "$state/ctld" "$state/d"
cat >"$conf" <<CONF
$mark
ClusterName=seedlot
SlurmctldHost=$node(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
MpiDefault=none
SwitchType=switch/none
# cgroups are not there in a plain container
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
# a job that names no memory would take the whole node
DefMemPerCPU=1000
ReturnToService=2
# squeue must still know a job when Snakemake asks for it
MinJobAge=300
StateSaveLocation=$state/ctld
SlurmdSpoolDir=$state/d
SlurmctldPidFile=$state/slurmctld.pid
SlurmdPidFile=$state/slurmd.pid
SlurmctldLogFile=$state/slurmctld.log
SlurmdLogFile=$state/slurmd.log
NodeName=$node NodeAddr=127.0.0.1 CPUs=$cpus RealMemory=$memory State=UNKNOWN
PartitionName=main Nodes=$node Default=YES MaxTime=INFINITE State=UP
CONF

if ! munge -n >/dev/null 2>&1; then
  if [ ! -s /etc/munge/munge.key ]; then
    dd if=/dev/urandom of=/etc/munge/munge.key bs=1024 count=1 status=none
    chown munge: /etc/munge/munge.key
    chmod 400 /etc/munge/munge.key
  fi
  install -d -o munge -g munge -m 755 /run/munge
  runuser -u munge -- /usr/sbin/munged --pid-file=/run/munge/seedlot.pid
fi
/usr/sbin/slurmctld
/usr/sbin/slurmd

for _ in $(seq 60); do
  if timeout 5 sinfo -h -o %T 2>/dev/null | grep -qE 'idle|mixed|allocated'; then
    echo "slurm: up, node $node with $cpus CPUs"
    exit 0
  fi
  sleep 0.5
done
echo "slurm: the node did not come up; see $state/*.log" >&2
exit 1
