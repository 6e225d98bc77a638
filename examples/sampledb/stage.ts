import { type Client, type Controller, controller, kinds, type Outcome, targetOf, timestamp } from 'bowsprit/sdk'
import type { Job, JobCondition, JobStatus } from 'bowsprit/types'
import { SampleDB } from './kind.ts'

/** How the tasks of databases end. */
export interface Play {
  /** How long each takes, in milliseconds. */
  readonly taskMs: number
  /** Whether it works: `upgrade 3.0`. */
  readonly works: (task: string) => boolean
}

/**
 * Plays what a cluster does with StatefulSets, Jobs and disks, by their status alone: with it an API server without controllers and nodes
 * is enough, and two weeks pass in a moment. Written with the same SDK: these are controllers too.
 */
export const stage = ({ taskMs, works }: Play): readonly Controller[] => [
  controller({
    for: kinds.STATEFUL_SET,
    name: 'stage-servers',
    reconcile({ object: { spec, metadata } }) {
      const { replicas = 1 } = spec
      return { status: { observedGeneration: metadata.generation, replicas, readyReplicas: replicas, availableReplicas: replicas } }
    },
  }),
  controller({
    for: kinds.JOB,
    name: 'stage-tasks',
    reconcile({ object: { spec, status }, clock }): Outcome<Job> | undefined {
      if (status?.completionTime !== undefined || status?.conditions !== undefined) return undefined
      const startTime = status?.startTime ?? timestamp(clock.now())
      const leftMs = Date.parse(startTime) + taskMs - clock.now()
      if (leftMs > 0) return { status: { startTime, active: 1 }, requeueAfterMs: leftMs }
      const { args = [], image = '' } = spec.template.spec?.containers[0] ?? {}
      const completionTime = timestamp(clock.now())
      const condition = (type: string): JobCondition => ({
        type,
        status: 'True',
        reason: 'Played',
        message: '',
        lastTransitionTime: completionTime,
        lastProbeTime: completionTime,
      })
      // Not by `conditions` of the outcome: Kubernetes' controller of Jobs writes them without a generation.
      const succeeded: JobStatus = { succeeded: 1, conditions: [condition('SuccessCriteriaMet'), condition('Complete')] }
      const failed: JobStatus = { failed: 3, conditions: [condition('FailureTarget'), condition('Failed')] }
      return works(`${args[0]} ${image.split(':')[1]}`)
        ? { status: { startTime, completionTime, ...succeeded } }
        : { status: { startTime, ...failed } }
    },
  }),
  controller({
    for: kinds.PERSISTENT_VOLUME_CLAIM,
    name: 'stage-disks',
    async reconcile() {
      return undefined
    },
    // Kubernetes' own controller takes its finalizer away when no pod uses the claim any more.
    finalizer: 'kubernetes.io/pvc-protection',
    finalize: () => 'done',
  }),
]

/** Takes away what a test has left in a namespace. */
export async function sweep(client: Client, namespace: string): Promise<void> {
  const orders = targetOf(SampleDB, { name: 'orders', namespace })
  await client.patch(orders, 'merge', { metadata: { finalizers: null } }).catch(() => {})
  await client.delete(orders).catch(() => {})
  await client
    .patch(targetOf(kinds.PERSISTENT_VOLUME_CLAIM, { name: 'orders-data', namespace }), 'merge', { metadata: { finalizers: null } })
    .catch(() => {})
  for (const kind of [kinds.STATEFUL_SET, kinds.JOB, kinds.SECRET, kinds.CONFIG_MAP, kinds.SERVICE, kinds.PERSISTENT_VOLUME_CLAIM]) {
    for (const { metadata } of (await client.list({ ...kind.ref, namespace }, { labelSelector: 'app.kubernetes.io/name=sampledb' })).items)
      await client.delete(targetOf(kind, metadata), { propagationPolicy: 'Background' }).catch(() => {})
  }
  await client.delete(targetOf(kinds.CONFIG_MAP, { name: 'orders-last-snapshot', namespace })).catch(() => {})
}
