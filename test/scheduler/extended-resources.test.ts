/** Extended resources as documented: published by a PATCH through `kubectl proxy`, requested by pods, removed again. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { kubectlPath } from '../../scripts/clients.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { runProgram } from '../run-program.ts'

const LONG = { timeoutMs: 30_000 }

/** The last case is in the notation of the alpha, with a request only. */
for (const { resource, limits } of [
  { resource: 'example.com/dongle', limits: true },
  { resource: 'pod.alpha.kubernetes.io/opaque-int-resource-foo', limits: false },
]) {
  test(`four of ${resource} are published, requested, used up, and removed`, async (t) => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-extended-'))
    t.after(() => rmSync(folder, { recursive: true }))
    await using cluster = await startCluster({ nodes: 2 })
    await cluster.listen()
    writeFileSync(path.join(folder, 'kubeconfig'), cluster.kubeconfig())
    const env = { KUBECONFIG: path.join(folder, 'kubeconfig'), HOME: folder }
    const program = kubectlPath()
    const kubectl = async (line: string, stdin = '') => (await runProgram(program, line.split(' '), { env, cwd: folder, stdin })).out
    /** Polls until it matches: a status follows the fact. */
    const shows = (line: string, expected: RegExp) => waitFor(async () => expected.test(await kubectl(line)) || undefined, LONG)

    const proxy = spawn(program, ['proxy', '--port=0'], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = once(proxy, 'close')
    try {
      const [hello] = (await once(proxy.stdout, 'data')) as [Buffer]
      const address = /127\.0\.0\.1:\d+/.exec(String(hello))?.[0] ?? ''
      const patch = async (operation: object) => {
        const answer = await fetch(`http://${address}/api/v1/nodes/node-1/status`, {
          method: 'PATCH',
          headers: { accept: 'application/json', 'content-type': 'application/json-patch+json' },
          body: JSON.stringify([operation]),
        })
        const body = (await answer.json()) as { status: { capacity: Record<string, string> } }
        return { code: answer.status, capacity: body.status.capacity }
      }
      const at = `/status/capacity/${resource.replace('/', '~1')}`
      const added = await patch({ op: 'add', path: at, value: '4' })
      assert.deepEqual([added.code, added.capacity[resource]], [200, '4'])
      await shows(
        'describe node node-1',
        new RegExp(`Capacity:\\n(.*\\n)*  ${resource}: +4\\n(.*\\n)*Allocatable:\\n(.*\\n)*  ${resource}: +4\\n`),
      )

      const pod = (name: string, amount: number) => {
        const amounts = `{${resource}: ${amount}}`
        const wanted = limits ? `{requests: ${amounts}, limits: ${amounts}}` : `{requests: ${amounts}}`
        return `{apiVersion: v1, kind: Pod, metadata: {name: ${name}}, spec: {containers: [{name: ${name}-ctr, image: nginx, resources: ${wanted}}]}}`
      }
      // Three of four, then two, which no node has free.
      await kubectl('apply -f -', pod('demo', 3))
      await shows('get pod demo', /^demo +1\/1 +Running/m)
      assert.match(await kubectl('describe pod demo'), new RegExp(`Requests:\\n +${resource}: +3\\n`))
      if (limits) assert.match(await kubectl('describe pod demo'), new RegExp(`Limits:\\n +${resource}: +3\\n`))
      await kubectl('apply -f -', pod('demo-2', 2))
      await shows('describe pod demo-2', new RegExp(`PodScheduled +False(.*\\n)*.*Warning +FailedScheduling .*Insufficient ${resource}`))
      assert.match(await kubectl('get pod demo-2'), /^demo-2 +0\/1 +Pending +0 /m)
      // A freed resource wakes the pending pod.
      await kubectl('delete pod demo')
      await shows('get pod demo-2', /^demo-2 +1\/1 +Running/m)
      await kubectl('delete pod demo-2')

      // Five pods on four devices.
      for (const i of [1, 2, 3, 4, 5]) await kubectl('apply -f -', pod(`one-${i}`, 1))
      await waitFor(async () => (await kubectl('get pods')).match(/ Running /g)?.length === 4 || undefined, LONG)
      await shows('get pods', /^one-\d +0\/1 +Pending/m)
      await shows('describe node node-1', new RegExp(`Allocated resources:\\n(.*\\n)*  ${resource} +4 +${limits ? 4 : 0}\\n`))
      await kubectl('delete pods --all')

      const removed = await patch({ op: 'remove', path: at })
      assert.deepEqual([removed.code, removed.capacity[resource]], [200, undefined])
      await waitFor(async () => !(await kubectl('describe node node-1')).includes(resource) || undefined, LONG)
    } finally {
      proxy.kill('SIGTERM')
    }
    await ended
  })
}
