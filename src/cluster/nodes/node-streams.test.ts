import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PODS } from '../../resources/refs.ts'
import type { PodSpec } from '../../resources/types/core.ts'
import type { Client } from '../../sdk/client/client.ts'
import { startCluster } from '../../testing/start-cluster.ts'

const POD = { ...PODS, namespace: 'default', name: 'p' }

async function runningPod(client: Client): Promise<void> {
  const spec = { nodeName: 'node-1', containers: [{ name: 'main', image: 'app' }] }
  await client.create(
    { ...PODS, namespace: 'default' },
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'default' }, spec },
  )
  for await (const events of client.watch({ ...PODS, namespace: 'default' }, { signal: AbortSignal.timeout(20_000) })) {
    if (events.some((e) => e.type !== 'BOOKMARK' && e.object.status?.phase === 'Running')) return
  }
}

async function textOf(source: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of source) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

test('a command that a simulated container knows runs through the API', async () => {
  await using cluster = await startCluster()
  const client = cluster.client()
  await runningPod(client)
  await using shell = await client.exec(POD, ['sh', '-c', 'echo hello; exit 3'])
  const [out, exit] = await Promise.all([textOf(shell.stdout), shell.exit])
  assert.deepEqual([out, exit], ['hello\n', { exitCode: 3 }])
})

test('an unknown command and a container that does not run are reported', async () => {
  await using cluster = await startCluster()
  const client = cluster.client()
  await runningPod(client)
  await using unknown = await client.exec(POD, ['ltrace'])
  const [said, exit] = await Promise.all([textOf(unknown.stderr), unknown.exit])
  assert.deepEqual([said, exit], ['ltrace: a simulated container does not know this command\n', { exitCode: 127 }])

  const spec: PodSpec = { nodeName: 'node-1', restartPolicy: 'Never', containers: [{ name: 'main', image: 'done' }] }
  await client.create(
    { ...PODS, namespace: 'default' },
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'ended', namespace: 'default' }, spec },
  )
  for await (const events of client.watch({ ...PODS, namespace: 'default' }, { signal: AbortSignal.timeout(20_000) })) {
    if (events.some((e) => e.type !== 'BOOKMARK' && e.object.metadata.name === 'ended' && e.object.status?.phase === 'Succeeded')) break
  }
  await assert.rejects(client.exec({ ...POD, name: 'ended' }, ['true']), /container not found \("main"\)/)
})
