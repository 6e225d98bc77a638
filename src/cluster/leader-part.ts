import os from 'node:os'
import type { Clock } from '../base/clock.ts'
import { type Family, label } from '../base/exposition.ts'
import type { Logger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'
import type { Client } from '../sdk/client/client.ts'
import { runWithLeaderElection } from '../sdk/controller/leader-election.ts'
import type { ClusterConfig } from './config.ts'
import type { RunPart } from './supervisor.ts'

export interface LeaderPartDeps {
  readonly client: Client
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

/** The part according to the configuration: under leader election, or running at once. */
export function electedPart(name: string, config: Pick<ClusterConfig, 'leaderElection'>, deps: LeaderPartDeps, lead: RunPart): RunPart {
  return config.leaderElection ? electLeader(name, lead, deps) : lead
}

/** `leader_election_master_status` of a part that leads: it has metrics only then. */
export const leaderFamilies = (name: string, config: Pick<ClusterConfig, 'leaderElection'>): Family[] =>
  config.leaderElection
    ? [
        {
          name: 'leader_election_master_status',
          type: 'gauge',
          help: 'Whether this process has the lease.',
          samples: [[label('name', name), 1]],
        },
      ]
    : []

/** Runs the part only while this process holds the lease `kube-system/<name>`. After losing it, the process competes again. */
export function electLeader(name: string, lead: RunPart, deps: LeaderPartDeps): RunPart {
  const identity = `${os.hostname()}_${deps.random.uuid()}`
  const term: RunPart = async (signal) => {
    await lead(signal)
    if (!signal.aborted) throw new Error('it ended by itself')
  }
  return async (signal) => {
    while (!signal.aborted)
      await runWithLeaderElection({ ...deps, lease: { namespace: 'kube-system', name }, identity, lead: term }, signal)
  }
}
