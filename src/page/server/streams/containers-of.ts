import { PODS } from '../../../resources/refs.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { ObjectName } from '../../wire/object-name.ts'

/** The names of a pod's containers: its own first, then init and ephemeral ones. */
export async function containersOf(client: Client, { namespace, name }: ObjectName, signal: AbortSignal): Promise<readonly string[]> {
  const { spec } = await client.get({ ...PODS, namespace, name }, { signal })
  return [...spec.containers, ...(spec.initContainers ?? []), ...(spec.ephemeralContainers ?? [])].map((each) => each.name)
}
