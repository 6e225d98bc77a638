import { Command, InvalidArgumentError } from 'commander'
import { systemClock } from '../base/clock.ts'
import { addNode, removeNode } from '../cluster/nodes/node-members.ts'
import type { JsonObject } from '../machinery/object.ts'
import { NODES } from '../resources/refs.ts'
import type { Client } from '../sdk/client/client.ts'
import { type KubeconfigFlags, withClusterOptions } from './kubeconfig-file.ts'
import { several, word } from './option-values.ts'
import { UsageError } from './report-failure.ts'
import { withClient } from './with-client.ts'

interface AddFlags extends KubeconfigFlags {
  readonly cpu?: string
  readonly memory?: string
  readonly pods?: string
  readonly resource: readonly (readonly [string, string])[]
  readonly label: readonly (readonly [string, string])[]
  readonly taint: readonly JsonObject[]
}

/** `bowsprit node add NAME…` */
export const addNodeCommand = (): Command =>
  withClusterOptions(
    new Command('add')
      .description('add simulated nodes to a running cluster; it keeps them when it is started again')
      .argument('<name...>', 'the names of the nodes', several(word))
      .option('--cpu <amount>', 'CPUs (default: as many as the other nodes)', word)
      .option('--memory <amount>', 'memory: 256Gi (default: as much as the other nodes)', word)
      .option('--pods <amount>', 'the largest number of pods (default: as the other nodes)', word)
      .option('--resource <name=amount>', 'an extended resource: example.com/gpu=8 (repeatable)', several(pair), [])
      .option('--label <key=value>', 'a label (repeatable)', several(pair), [])
      .option('--taint <key=value:effect>', 'a taint: gpu:NoSchedule, or team=a:NoExecute (repeatable)', several(taint), []),
  ).action(async (names: readonly string[], flags: AddFlags) => {
    const { cpu, memory, pods, resource, label, taint: taints } = flags
    const given = { cpu, memory, pods, resources: Object.fromEntries(resource), labels: Object.fromEntries(label), taints }
    const shape = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as JsonObject
    await eachNode('node add', names, flags, async (client, name) => {
      await addNode(client, name, shape).catch(asMistake)
      return (await isReady(client, name)) ? `${name} is ready` : `${name} is added, and not ready: does the cluster have simulated nodes?`
    })
  })

/** `bowsprit node remove NAME…` */
export const removeNodeCommand = (): Command =>
  withClusterOptions(
    new Command('remove')
      .description('remove simulated nodes that were added, and their pods ("kubectl drain" moves pods to other nodes first)')
      .argument('<name...>', 'the names of the nodes', several(word)),
  ).action((names: readonly string[], flags: KubeconfigFlags) =>
    eachNode('node remove', names, flags, async (client, name) => {
      const why = await removeNode(client, name)
      if (why !== undefined) throw new UsageError(`${name} cannot be removed: ${why}`)
      return `${name} is removed`
    }),
  )

/** Prints a line for each node. */
const eachNode = (
  command: string,
  names: readonly string[],
  flags: KubeconfigFlags,
  change: (client: Client, name: string) => Promise<string>,
): Promise<void> =>
  withClient(command, flags, async (client) => {
    for (const name of names) console.log(await change(client, name))
  })

function asMistake(error: unknown): never {
  if (!(error instanceof Error) || error.name !== 'NodeShapeError') throw error
  const [, field = '', why] = /^shape\.(\w+)(.*)$/s.exec(error.message) ?? []
  throw new UsageError(`--${field.replace(/s$/, '')}${why}`, { cause: error })
}

const PATIENCE_MS = 10_000
const LOOK_MS = 50

/** Looks for a while. */
async function isReady(client: Client, name: string): Promise<boolean> {
  for (const until = systemClock.now() + PATIENCE_MS; systemClock.now() < until; ) {
    const { status } = await client.get({ ...NODES, name })
    if (status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True')) return true
    await systemClock.sleep(LOOK_MS)
  }
  return false
}

function pair(text: string): readonly [string, string] {
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(word(text)) ?? []
  if (key === undefined || value === undefined) throw new InvalidArgumentError('is no KEY=VALUE')
  return [key, value]
}

/** `KEY=VALUE:EFFECT`, or `KEY:EFFECT`, as kubectl writes taints. */
function taint(text: string): JsonObject {
  const [, key, value = '', effect] = /^([^=:]+)(?:=([^:]*))?:(\w+)$/.exec(word(text)) ?? []
  if (key === undefined || effect === undefined) throw new InvalidArgumentError('is no KEY=VALUE:EFFECT, like gpu:NoSchedule')
  return { key, value, effect }
}
