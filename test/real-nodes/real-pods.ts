import assert from 'node:assert/strict'
import { PODS } from '../../src/resources/refs.ts'
import type { Pod, PodSpec } from '../../src/resources/types/core.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import { waitFor } from '../../src/testing/wait-for.ts'

/** Where pods of these tests are. */
export const DEFAULT = { namespace: 'default' }
/** Ends as soon as it is asked to. */
export const LASTS = ['sh', '-c', "echo started; trap 'exit 0' TERM; while :; do sleep 1 & wait $!; done"]

export function createPod(client: Client, name: string, spec: PodSpec): Promise<Pod> {
  const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { terminationGracePeriodSeconds: 2, ...spec } }
  return client.create({ ...PODS, ...DEFAULT }, pod)
}

/** The pod, as soon as it is as wanted. */
export async function reached(client: Client, name: string, wanted: (pod: Pod) => boolean): Promise<Pod> {
  let pod: Pod | undefined
  await waitFor(
    async () => {
      pod = await client.get({ ...PODS, ...DEFAULT, name })
      return wanted(pod)
    },
    { timeoutMs: 60_000 },
  )
  assert.ok(pod)
  return pod
}

interface Conditioned {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
}

/** Whether a pod or a node is there and has the condition. */
export const isReady = (object: Conditioned | undefined) =>
  object?.status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') === true
export const hasEnded = ({ status }: Pod) => status?.phase === 'Succeeded' || status?.phase === 'Failed'

export async function removed(client: Client, name: string): Promise<void> {
  await client.delete({ ...PODS, ...DEFAULT, name })
  await waitFor(async () => (await client.list({ ...PODS, ...DEFAULT })).items.every((p) => p.metadata.name !== name), {
    timeoutMs: 60_000,
  })
}

/** Runs a script in the pod, by way of the API server. */
export async function run(client: Client, name: string, script: string) {
  await using process = await client.exec({ ...DEFAULT, name }, ['sh', '-c', script])
  let out = ''
  for await (const chunk of process.stdout) out += Buffer.from(chunk).toString()
  return { out, ...(await process.exit) }
}

export async function logOf(client: Client, name: string): Promise<string> {
  let text = ''
  for await (const chunk of await client.logs({ ...DEFAULT, name })) text += Buffer.from(chunk).toString()
  return text
}
