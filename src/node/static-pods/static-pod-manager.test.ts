import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onAbort } from '../../base/on-abort.ts'
import { ignoring } from '../../machinery/ignoring.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { openNode } from '../open-node.double.ts'
import type { Pod } from '../types/pod.ts'
import { CONFIG_SOURCE } from './annotations.ts'
import { readStaticPod } from './read-manifest.ts'
import type { StaticPodFeed } from './static-pod-feed.ts'

function manifestPod(name: string, image = 'app', spec: JsonObject = {}): Pod {
  const containers = [{ name: 'main', image }]
  const manifest = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { terminationGracePeriodSeconds: 2, containers, ...spec } }
  const pod = readStaticPod(JSON.stringify(manifest), { kind: 'file', source: `/${name}.json`, node: 'node-1' })
  return { ...pod, metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, [CONFIG_SOURCE]: 'file' } } }
}

/** Manifests of a node that a test sets. */
function openManifests() {
  let pods: readonly Pod[] = []
  let notify: ((pods: readonly Pod[], complete: boolean) => void) | undefined
  const staticPods: StaticPodFeed = {
    async run(tell, signal) {
      notify = tell
      tell(pods, true)
      await new Promise<void>((resolve) => void onAbort(signal, resolve))
      notify = undefined
    },
  }
  const set = (...wanted: readonly Pod[]) => {
    pods = wanted
    notify?.(pods, true)
  }
  return { staticPods, set }
}

test('a manifest that returns soon finds what ran of it before; later that is removed, and it starts anew', async () => {
  const { staticPods, set } = openManifests()
  await using node = await openNode({ staticPods })
  const status = async () => (await node.pod('a-node-1')).status?.containerStatuses?.[0]
  set(manifestPod('a'))
  await node.clock.advance(3000)
  set()
  await node.clock.advance(3000)
  assert.deepEqual(await node.containers(), ['a-node-1/main#0:exited'])
  set(manifestPod('a'))
  await node.clock.advance(3000)
  assert.deepEqual(await node.containers(), ['a-node-1/main#0:exited', 'a-node-1/main#1:running'])
  assert.equal((await status())?.restartCount, 1)
  assert.ok((await status())?.lastState?.terminated)
  assert.ok((await node.said('a-node-1')).some((line) => line.startsWith('SandboxChanged')))

  set()
  await node.clock.advance(65_000)
  assert.deepEqual(await node.containers(), [])
  set(manifestPod('a'))
  await node.clock.advance(3000)
  assert.equal((await status())?.restartCount, 0)
})

test('the mirror pod of a removed manifest is deleted at the next housekeeping after its containers have ended', async () => {
  const { staticPods, set } = openManifests()
  await using node = await openNode({ staticPods })
  set(manifestPod('a'))
  await node.clock.advance(2500)
  set()
  await node.clock.advance(500)
  assert.deepEqual(await node.containers(), ['a-node-1/main#0:exited'])
  assert.ok((await node.pod('a-node-1')).status?.containerStatuses?.[0]?.state?.terminated)
  await node.clock.advance(1500)
  await assert.rejects(node.pod('a-node-1'), /not found/)
})

test('containers whose manifest was removed while no agent ran are stopped like those of other pods', async () => {
  const { staticPods, set } = openManifests()
  await using node = await openNode({ staticPods })
  set(manifestPod('a'))
  await node.clock.advance(3000)
  await node.stop()
  set()
  await node.start()
  await node.clock.advance(5000)
  assert.equal(await node.pod('a-node-1').catch(ignoring('NotFound')), undefined)
  assert.deepEqual(await node.containers(), [])
  assert.ok((await node.said('a-node-1')).includes('Killing: Stopping container main'))
})

test('a static pod is synced once more when its mirror pod is there: a failed pull becomes a back-off within a second', async () => {
  const { staticPods, set } = openManifests()
  await using node = await openNode({ staticPods, script: { container: () => ({}), image: () => ({ kind: 'missing' }) } })
  set(manifestPod('a', 'absent'))
  await node.clock.advance(1500)
  const waiting = (await node.pod('a-node-1')).status?.containerStatuses?.[0]?.state?.waiting
  assert.equal(waiting?.reason, 'ImagePullBackOff')
})
