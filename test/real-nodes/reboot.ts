/** The test of `reboot.test.ts`, which starts this file in namespaces of its own. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { CORE_EVENTS, NODES } from '../../src/resources/refs.ts'
import type { Pod, PodSpec } from '../../src/resources/types/core.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { findRuntime } from './found-runtime.ts'
import { openMachine } from './machine.ts'
import { BUSYBOX_IMAGE as image } from './make-images.ts'
import { createPod, hasEnded, isReady, LASTS, reached, removed, run } from './real-pods.ts'
import { rebootMachine } from './reboot-machine.ts'
import { clientCaOf, startAgent } from './start-agent.ts'

const folder = process.argv[2] ?? ''
const found = findRuntime()
if ('why' in found) throw new Error(found.why)
const machine = await openMachine(folder, found)
const NODE = 'node-1'

/** Recorded of the kubelet: README of `upstream/real-node`, "After the node's reboot". */
test('after a reboot pods come back by their restart policy, with new sandboxes; volumes on disk keep their files', async () => {
  await using cluster = await startCluster({ nodes: 0 })
  const client = cluster.client()
  await cluster.listen()
  const clientCa = clientCaOf(cluster.kubeconfig())
  const start = () => startAgent({ machine, folder, client, name: NODE, ips: ['192.0.2.11'], clientCa })
  const container = { name: 'main', image, command: LASTS }
  const mounts = ['disk', 'memory'].map((name) => ({ name, mountPath: `/${name}` }))
  const create = (name: string, spec: Partial<PodSpec>) => createPod(client, name, { nodeName: NODE, containers: [container], ...spec })
  let before: Pod
  {
    await using _agent = start()
    await create('comes-back', {
      containers: [{ ...container, volumeMounts: mounts }],
      volumes: [
        { name: 'disk', emptyDir: {} },
        { name: 'memory', emptyDir: { medium: 'Memory' } },
      ],
    })
    await create('never', { restartPolicy: 'Never' })
    await create('done', { restartPolicy: 'Never', containers: [{ ...container, command: ['true'] }] })
    before = await reached(client, 'comes-back', isReady)
    await reached(client, 'never', isReady)
    await reached(client, 'done', hasEnded)
    await run(client, 'comes-back', 'echo kept > /disk/file; echo lost > /memory/file')
  }
  await rebootMachine(machine, folder)
  await using _agent = start()
  const pod = await reached(client, 'comes-back', (p) => isReady(p) && p.status?.containerStatuses?.[0]?.restartCount === 1)
  const [own, now] = [before, pod].map((p) => p.status?.containerStatuses?.[0])
  const { exitCode, reason, containerID } = now?.lastState?.terminated ?? {}
  assert.deepEqual({ exitCode, reason, containerID }, { exitCode: 255, reason: 'Unknown', containerID: own?.containerID })
  assert.equal((await run(client, 'comes-back', 'cat /disk/file; ls /memory')).out, 'kept\n')
  const never = await reached(client, 'never', hasEnded)
  assert.equal(never.status?.phase, 'Failed')
  assert.equal(never.status?.containerStatuses?.[0]?.state?.terminated?.exitCode, 255)
  assert.equal((await reached(client, 'done', hasEnded)).status?.phase, 'Succeeded')
  const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  assert.equal((await client.get({ ...NODES, name: NODE })).status?.nodeInfo?.bootID, bootId)
  const events = (await client.list({ ...CORE_EVENTS, namespace: 'default' })).items.filter((e) => e.reason === 'Rebooted')
  assert.deepEqual(
    events.map(({ type, message }) => [type, message]),
    [['Warning', `Node ${NODE} has been rebooted, boot id: ${bootId}`]],
  )
  for (const name of ['comes-back', 'never', 'done']) await removed(client, name)
})

test.after(() => machine[Symbol.asyncDispose]())
