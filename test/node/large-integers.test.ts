/**
 * Fields of 64 bits that a double cannot hold, and seconds that are no time any more: Kubernetes takes them, so no part may fail over
 * them. Over HTTPS, as any client sends them.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLogger } from '../../src/base/logger.ts'
import type { JsonObject, KubeObject } from '../../src/machinery/object.ts'
import { isStatus } from '../../src/machinery/status-error.ts'
import * as refs from '../../src/resources/refs.ts'
import type { Target } from '../../src/sdk/client/client.ts'
import { createClient } from '../../src/sdk/client/create-client.ts'
import { httpsTransport } from '../../src/sdk/client/https.ts'
import { loadKubeconfig } from '../../src/sdk/client/kubeconfig.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'

const MOST = 2n ** 63n - 1n
/** Whole seconds up to a million milliards of years, safe integers among them. */
const LARGE = [MOST, 2n ** 53n + 1n, BigInt(Number.MAX_SAFE_INTEGER), 10n ** 14n]

type Large = JsonObject[string]
const containers = [{ name: 'a', image: 'busybox', command: ['sleep', '1000'] }]
const PODS = { ...refs.PODS, namespace: 'default' }

/** Each takes the number wherever it is allowed. */
const objects = (name: string, n: Large): readonly (readonly [target: Target, object: JsonObject])[] => {
  const metadata = { name, generation: n }
  const tolerations = [{ operator: 'Exists', effect: 'NoExecute', tolerationSeconds: n }]
  const sleep = { sleep: { seconds: n } }
  const probe = { exec: { command: ['false'] }, periodSeconds: 1, failureThreshold: 1, terminationGracePeriodSeconds: n }
  const pod = {
    terminationGracePeriodSeconds: n,
    tolerations,
    containers: containers.map((c) => ({ ...c, livenessProbe: probe, lifecycle: { preStop: sleep } })),
  }
  const never = { spec: { restartPolicy: 'Never', containers } }
  const labels = { app: name }
  return [
    [PODS, { metadata, spec: pod }],
    [
      { ...refs.JOBS, namespace: 'default' },
      { metadata, spec: { activeDeadlineSeconds: n, template: never } },
    ],
    [
      { ...refs.CRON_JOBS, namespace: 'default' },
      { metadata, spec: { schedule: '* * * * *', startingDeadlineSeconds: n, jobTemplate: { spec: { template: never } } } },
    ],
    [
      { ...refs.DEPLOYMENTS, namespace: 'default' },
      { metadata, spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod } } },
    ],
    [
      { ...refs.RESOURCE_CLAIMS, namespace: 'default' },
      { metadata, spec: { devices: { requests: [{ name: 'a', exactly: { deviceClassName: 'x', count: n, tolerations } }] } } },
    ],
  ]
}

test('no part fails over integers that a double cannot hold', async () => {
  const failures: string[] = []
  const fail = (message: string, facts?: Readonly<Record<string, unknown>>) => {
    if (facts?.error instanceof TypeError || facts?.error instanceof RangeError) failures.push(`${message}: ${facts.error.message}`)
  }
  const log = { ...silentLogger, error: fail, warn: fail, with: () => log }
  await using cluster = await startCluster({ nodes: 1 }, { log })
  await cluster.listen()
  await using transport = httpsTransport(await loadKubeconfig(cluster.kubeconfig()))
  const client = createClient(transport)
  await waitFor(() => client.get({ ...refs.SERVICE_ACCOUNTS, namespace: 'default', name: 'default' }))
  for (const [i, n] of LARGE.entries())
    for (const [target, object] of objects(`large-${i}`, n as unknown as Large)) {
      const created = await client.create(target, object as unknown as KubeObject)
      assert.equal(created.metadata.name, `large-${i}`)
    }
  await waitFor(async () =>
    (await client.list(PODS)).items.some((pod) => pod.metadata.name === 'large-0' && 'startTime' in (pod.status as object)),
  )
  const [node] = (await client.list(refs.NODES)).items
  const name = node?.metadata.name ?? ''
  await client.patch({ ...refs.NODES, name }, 'merge', { spec: { taints: [{ key: 'a', effect: 'NoExecute' }] } })
  for (const i of LARGE.keys())
    for (const [target] of objects('', 0))
      await client.delete({ ...target, name: `large-${i}` }).catch((error) => assert.ok(isStatus(error, 'NotFound')))
  const marked = (await client.list(PODS)).items.filter((pod) => /^large-\d$/.test(pod.metadata.name ?? ''))
  for (const pod of marked) assert.ok(pod.metadata.deletionTimestamp !== undefined)
  for (const pod of marked) await client.delete({ ...PODS, name: pod.metadata.name ?? '' }, { gracePeriodSeconds: 0 }).catch(() => {})
  await waitFor(async () => !(await client.list(PODS)).items.some((pod) => /^large-\d$/.test(pod.metadata.name ?? '')))
  assert.deepEqual(failures, [])
})
