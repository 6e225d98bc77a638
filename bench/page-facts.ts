/** What recording requests costs a write: facts always, steps while somebody watches; and a fork on which a pod is tried. In CPU. */
import { startCluster } from '../src/cluster/start-cluster.ts'
import * as refs from '../src/resources/refs.ts'
import { configMap, pod } from '../src/testing/builders.ts'
import { waitFor } from '../src/testing/wait-for.ts'
import { latest, openSocket } from '../test/page/page-socket.ts'
import { percentile } from './api.ts'
import type { Result } from './measures.ts'
import { ms, row } from './page-rows.ts'

const ROUNDS = 40
const WRITES = 100
const TRAILS = { group: 'bowsprit.dev', version: 'v1', resource: 'requesttrails' }
const MAPS = { ...refs.CONFIG_MAPS, namespace: 'default' }

/** Microseconds of CPU of a write in process: without records, with facts, and while somebody watches. */
export async function factMeasures(): Promise<Result[]> {
  const none = await openWriter(false)
  const facts = await openWriter(true)
  const steps = await openWriter(true)
  const stop = new AbortController()
  const watching = drain(steps.cluster.client().watch(TRAILS, { fieldSelector: 'user.name=nobody', signal: stop.signal }))
  const took: Record<'none' | 'facts' | 'steps', number[]> = { none: [], facts: [], steps: [] }
  // In turns: the machine is never quite the same.
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, writer] of [
      ['none', none],
      ['facts', facts],
      ['steps', steps],
    ] as const)
      took[name].push(await writer.writes())
  stop.abort()
  await watching
  for (const { cluster } of [none, facts, steps]) await cluster[Symbol.asyncDispose]()
  const least = (name: keyof typeof took) => percentile(took[name], 0.1)
  const more = (name: 'facts' | 'steps') => `${(least(name) - least('none')).toFixed(1)} µs of ${least(name).toFixed(0)}`
  return [
    row('page: facts of a write, CPU', more('facts'), '≤ 4 µs'),
    row("… steps of a write, while somebody watches another user's requests, with the watch itself", more('steps'), '≤ 15 µs'),
  ]
}

async function drain(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of events);
}

async function openWriter(trails: boolean) {
  const cluster = await startCluster({ ephemeral: true, nodes: 0, parts: ['server'], trails }, { quiet: true })
  const client = cluster.client()
  let made = 0
  return {
    cluster,
    async writes(): Promise<number> {
      const before = process.cpuUsage()
      for (let i = 0; i < WRITES; i++) await client.create(MAPS, configMap(`m-${made++}`, { a: 'b' }))
      const { user, system } = process.cpuUsage(before)
      return (user + system) / WRITES
    },
  }
}

/** From a click on *Try on a fork* until the pod runs there. */
export async function forkMeasures(): Promise<Result[]> {
  await using cluster = await startCluster({ ephemeral: true, nodes: 2, trails: true }, { quiet: true })
  const lost = pod('lost')
  const target = { ...refs.PODS, namespace: 'default' }
  await waitFor(async () => (await cluster.client().list({ ...refs.SERVICE_ACCOUNTS, namespace: 'default' })).items.length > 0)
  await cluster.client().create(target, { ...lost, spec: { ...lost.spec, nodeSelector: { disk: 'ssd' } } })
  await waitFor(async () => (await cluster.client().get({ ...target, name: 'lost' })).status?.conditions?.length)
  const object = { ...target, name: 'lost' }
  const took: number[] = []
  for (let i = 0; i < 3; i++) {
    using socket = openSocket(new URL(await cluster.page()), { type: 'try', id: 1, object, change: 'label node node-1 disk=ssd' })
    const { trial } = await waitFor(() => {
      const message = latest(socket, 'try')
      return message?.trial.state === 'runs' || message?.trial.state === 'failed' ? message : undefined
    })
    took.push(trial.state === 'runs' ? trial.tookMs : Number.NaN)
  }
  return [row('page: a change on a fork, until the pod runs there, least of 3', ms(Math.min(...took)), '≤ 150 ms')]
}
