import type { Clock } from '../../base/clock.ts'
import type { Random } from '../../base/random.ts'
import type { SchedulingReport } from '../../resources/bowsprit/scheduling-report.ts'
import type { Pod } from '../../resources/types/core.ts'
import type { Client } from '../../sdk/client/client.ts'
import { createInformerFactory } from '../../sdk/informer/informer-factory.ts'
import { ClusterState } from '../cluster-state.ts'
import { profilesOf, readConfiguration, type SchedulerConfiguration } from '../config/configuration.ts'
import { Nominations } from '../nominations.ts'
import { schedulerNameOf } from '../pod-facts.ts'
import { reportOn } from './report.ts'

export interface ReportFromInit {
  readonly client: Client
  readonly clock: Clock
  readonly random: Random
  /** The configuration of the pod's scheduler; undefined: Kubernetes' default profile, with the pod's `schedulerName`. */
  readonly config: SchedulerConfiguration | string | undefined
}

/**
 * A report about a cluster whose scheduler runs elsewhere: lists what a scheduler watches, and runs filters and scores here. It has no last
 * attempt. Undefined where the pod does not exist.
 */
export async function reportFrom(key: string, { client, clock, random, config }: ReportFromInit): Promise<SchedulingReport | undefined> {
  const nominations = new Nominations()
  const state = new ClusterState(createInformerFactory({ client, clock, random }), {
    waiting(info) {
      const node = info.pod.status?.nominatedNodeName
      if (node) nominations.set(info, node)
    },
    gone: () => {},
    event: () => {},
  })
  const stop = new AbortController()
  const running = state.run(stop.signal)
  try {
    await Promise.race([state.synced(), running])
    const pod = state.pod(key)
    if (pod === undefined) return undefined
    const schedulerName = schedulerNameOf(pod)
    const read = typeof config === 'string' ? readConfiguration(config) : config
    const plugins = profilesOf(read ?? { profiles: [{ schedulerName }] }, { random }).find((p) => p.schedulerName === schedulerName)
    const ahead: Parameters<typeof reportOn>[0]['ahead'] = (node, info) => nominations.ahead(node, info)
    const { table, context } = state
    const isSchedulerUnseen = !state.pods().some((one) => schedulerNameOf(one) === schedulerName && wasDecidedOn(one))
    return await reportOn({ pod, plugins, table, listers: context.listers, ahead, attempt: undefined, gate: undefined, isSchedulerUnseen })
  } finally {
    stop.abort()
    await running
  }
}

/** Whether a scheduler has bound the pod, or has said why it did not. */
const wasDecidedOn = ({ spec, status }: Readonly<Pod>): boolean =>
  Boolean(spec.nodeName) || (status?.conditions ?? []).some((condition) => condition.type === 'PodScheduled')
