/** Shared process namespaces: `shareProcessNamespace`, and `kubectl debug --target`. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { kubectlPath } from '../../scripts/clients.ts'
import { systemClock } from '../../src/base/clock.ts'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { PODS } from '../../src/resources/refs.ts'
import { pod } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { runProgram } from '../run-program.ts'

const pods = { ...PODS, namespace: 'default' }
const box = (name: string, ...command: string[]) => ({ name, image: 'busybox', command })

describe('processes that several containers see', () => {
  let cluster: Cluster
  let folder: string

  before(async () => {
    cluster = await startCluster()
    await cluster.listen()
    folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-processes-'))
    writeFileSync(path.join(folder, 'kubeconfig'), cluster.kubeconfig())
    const client = cluster.client()
    const made = [
      pod('shares', {
        spec: {
          shareProcessNamespace: true,
          containers: [
            { name: 'web', image: 'nginx' },
            { ...box('worker', 'sh', '-c', 'echo kept > /v/file; sleep 86400'), volumeMounts: [{ name: 'v', mountPath: '/v' }] },
            { ...box('shell', 'sleep', '86400'), securityContext: { runAsUser: 1000 } },
          ],
          volumes: [{ name: 'v', emptyDir: {} }],
        },
      }),
      pod('apart', { spec: { containers: [{ name: 'web', image: 'nginx' }, box('shell', 'sleep', '86400')] } }),
    ]
    for (const one of made) await waitFor(() => client.create(pods, one), { clock: systemClock })
    for (const { metadata } of made) await running(metadata.name ?? '')
  })
  after(async () => {
    await cluster[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })

  async function running(name: string) {
    const all = async () => {
      const { status } = await cluster.client().get({ ...pods, name })
      const { containerStatuses = [], ephemeralContainerStatuses = [] } = status as Statuses
      const found = [...containerStatuses, ...ephemeralContainerStatuses]
      return found.length > 0 && found.every((c) => c.state.running !== undefined) && found
    }
    return waitFor(all, { clock: systemClock })
  }

  async function kubectl(...args: string[]) {
    const env = { KUBECONFIG: path.join(folder, 'kubeconfig'), HOME: folder }
    return (await runProgram(kubectlPath('36'), args, { env, cwd: folder, timeoutMs: 30_000 })).out
  }
  const sh = (of: string, container: string, script: string) => kubectl('exec', of, '-c', container, '--', 'sh', '-c', script)
  /** The PID of the process whose command starts with this. */
  const numbered = (listed: string, command: string) =>
    new RegExp(String.raw`^ *(\d+) +\S+ +\S+ ${command}`, 'm').exec(listed)?.[1] ?? `no ${command}`

  test('a pod that shares them: all are listed behind the sandbox, each with its user, and signals reach them', async () => {
    const listed = await sh('shares', 'shell', 'ps')
    assert.match(listed, /^ +1 65535 +0:00 \/pause$/m)
    assert.match(listed, /^ +\d+ 65532 +0:00 nginx$/m)
    assert.match(listed, /^ +\d+ root +0:00 sh -c echo kept/m)
    assert.match(listed, /^ +\d+ 1000 +0:00 ps$/m)
    await sh('shares', 'shell', `kill -HUP ${numbered(listed, 'nginx')}; kill -KILL ${numbered(listed, 'sh -c echo')}`)
    const restarted = await waitFor(
      async () => {
        const found = await running('shares')
        return found.find((c) => c.name === 'worker')?.restartCount === 1 && found
      },
      { clock: systemClock },
    )
    assert.deepEqual(
      restarted.map((c) => [c.name, c.restartCount]),
      [
        ['shell', 0],
        ['web', 0],
        ['worker', 1],
      ],
    )
  })

  test('what a process has for its files is there, with its volumes', async () => {
    const worker = numbered(await sh('shares', 'shell', 'ps'), 'sh -c echo')
    assert.equal(await sh('shares', 'shell', `cat /proc/${worker}/root/v/file; ls /v`), 'kept\n')
    await sh('shares', 'shell', `echo more > /proc/${worker}/root/v/other`)
    assert.equal(await sh('shares', 'worker', 'cat /v/other; cat /sys/fs/cgroup/pids.current'), 'more\n4\n')
  })

  test('a container without sharing sees only its own processes, except for a debug container that targets another', async () => {
    assert.doesNotMatch(await sh('apart', 'shell', 'ps'), /nginx|pause/)
    await kubectl('debug', 'apart', '--image', 'busybox', '--target', 'web', '-c', 'looker', '--', 'sleep', '86400')
    await running('apart')
    const listed = await sh('apart', 'looker', 'ps')
    assert.match(listed, /^ +1 65532 +0:00 nginx$/m)
    assert.match(listed, / sleep 86400$/m)
    await sh('apart', 'looker', 'echo seen > /proc/1/root/tmp/note')
    assert.equal(await sh('apart', 'web', 'cat /tmp/note'), 'seen\n')
    assert.doesNotMatch(await sh('apart', 'shell', 'ps'), /nginx/)
  })

  test('when the target ends, its debug container ends too', async () => {
    await sh('apart', 'looker', 'kill 1')
    const looker = await waitFor(
      async () => {
        const { status } = await cluster.client().get({ ...pods, name: 'apart' })
        return (status as Statuses).ephemeralContainerStatuses?.[0]?.state.terminated
      },
      { clock: systemClock },
    )
    assert.equal(looker.exitCode, 137)
  })
})

interface Statuses {
  readonly containerStatuses?: readonly Status[]
  readonly ephemeralContainerStatuses?: readonly Status[]
}
interface Status {
  readonly name: string
  readonly restartCount: number
  readonly state: { readonly running?: object; readonly terminated?: { readonly exitCode: number } }
}
