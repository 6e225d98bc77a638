import { PODS } from '../../../resources/refs.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { ObjectName } from '../../wire/object-name.ts'

/** A container of a pod, and what its own process is given. */
export interface ContainerOfPod {
  readonly name: string
  readonly stdin: boolean
  readonly tty: boolean
}

/** A pod's containers: its own first, then init and ephemeral ones. */
export async function containersOf(client: Client, pod: ObjectName, signal: AbortSignal): Promise<readonly ContainerOfPod[]> {
  const { namespace, name } = pod
  const { spec } = await client.get({ ...PODS, namespace, name }, { signal })
  const all = [...spec.containers, ...(spec.initContainers ?? []), ...(spec.ephemeralContainers ?? [])]
  return all.map((each) => ({ name: each.name, stdin: each.stdin ?? false, tty: each.tty ?? false }))
}
