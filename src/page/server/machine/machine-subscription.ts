import type { Clock } from '../../../base/clock.ts'
import { ignoring } from '../../../machinery/ignoring.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { NODE_REPORTS } from '../../../resources/bowsprit/report-refs.ts'
import { NODES, PODS, RESOURCE_CLAIMS, RESOURCE_SLICES } from '../../../resources/refs.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { MachinePage } from '../../wire/machine-page.ts'
import type { ObjectName } from '../../wire/object-name.ts'
import { PolledSubscription } from '../polled-subscription.ts'
import { machinePage } from './machine-page.ts'

interface MachineSubscriptionDeps {
  readonly id: number
  readonly client: Client
  readonly clock: Clock
  readonly object: ObjectName
  changed(): void
}

/** The cluster is asked again this often. */
const ASK_MS = 2_000

/** A node: its parts, and which pod has them. */
export const machineSubscription = (deps: MachineSubscriptionDeps) => {
  const { id, clock, changed } = deps
  return new PolledSubscription<MachinePage>({
    clock,
    everyMs: ASK_MS,
    changed,
    read: (signal) => readMachine(deps, signal),
    message: (page, problem) => (problem === '' ? page && { type: 'machine', id, page } : { type: 'error', id, message: problem }),
  })
}

/** What may not be read, or is not served, is left out; the node is not. */
async function readMachine({ client, clock, object: { name } }: MachineSubscriptionDeps, signal: AbortSignal): Promise<MachinePage> {
  const options = { signal }
  const onNode = { fieldSelector: `spec.nodeName=${name}`, signal }
  const [node, pods, slices, claims, report] = await Promise.all([
    client.get({ ...NODES, name }, options),
    client.list(PODS, onNode).then(({ items }) => items),
    itemsOf(client.list(RESOURCE_SLICES, onNode)),
    itemsOf(client.list(RESOURCE_CLAIMS, options)),
    client.get({ ...NODE_REPORTS, name }, options).catch(ignoring()),
  ])
  return machinePage({ node, pods, slices, claims, report }, clock.now())
}

async function itemsOf<T extends KubeObject>(list: Promise<{ readonly items: readonly T[] }>): Promise<readonly T[]> {
  return (await list.catch(ignoring()))?.items ?? []
}
