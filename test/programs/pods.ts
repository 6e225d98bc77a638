/** Pods of a cluster, as tests look at them. */
import type { Clock } from '../../src/base/clock.ts'
import { PODS } from '../../src/resources/refs.ts'
import type { Pod } from '../../src/resources/types/core.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import { waitFor } from '../../src/testing/wait-for.ts'

const pods = { ...PODS, namespace: 'default' }

/** The output of a container. */
export async function logs(client: Client, name: string, container?: string): Promise<string> {
  let text = ''
  for await (const chunk of await client.logs({ namespace: 'default', name }, container === undefined ? {} : { container }))
    text += Buffer.from(chunk).toString()
  return text
}

export function podsOf(client: Client, clock: Clock) {
  const until = (name: string, holds: (pod: Readonly<Pod>) => unknown) =>
    waitFor(
      async () => {
        const found = await client.get({ ...pods, name })
        return Boolean(holds(found)) && found
      },
      { clock },
    )
  return {
    /** Creates the pod as soon as its service account exists. */
    create: (pod: Pod) => waitFor(() => client.create(pods, pod), { clock }),
    until,
    ended: (name: string) => until(name, (pod) => ['Succeeded', 'Failed'].includes(pod.status?.phase ?? '')),
    logs: (name: string, container?: string) => logs(client, name, container),
  }
}
