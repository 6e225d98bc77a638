/**
 * Plugins and clients written in Go with Kubernetes' public modules, unmodified: Kubernetes' own sample device plugin (`k8s.io/kubernetes/test/images/sample-device-plugin`), a plugin of
 * the kubelet's API module that waits in `plugins_registry`, a client of PodResources. Built here from their modules where there is Go.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { podResourcesSocket } from '../src/node/devices/device-folders.ts'
import { openDeviceNode } from '../src/testing/device-plugin-trial/trial-node.ts'
import { runProgram } from './run-program.ts'

test('plugins and clients written in Go work with a node as with a kubelet', { timeout: 290_000 }, async (t) => {
  const { why, bin } = await build()
  if (why !== undefined) return t.skip(why)
  // The sample plugin knows only the kubelet's own folder.
  const folder = '/var/lib/kubelet'
  if (process.getuid?.() !== 0 || existsSync(folder)) return t.skip(`${folder} is not ours to make`)
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  await using node = await openDeviceNode({ folder })
  const start = (program: string, args: readonly string[], env: Record<string, string>) => {
    const child = spawn(path.join(bin, program), args, { env: { ...process.env, ...env }, stdio: 'ignore' })
    t.after(() => child.kill('SIGKILL'))
    return child
  }
  const { registry } = node.folders
  const sample = start('sample-device-plugin', [], {})
  start('plugin', [registry], {})
  await node.shows('2', '2', 'example.com/resource')
  await node.shows('3', '2', 'example.com/found')

  const limits = { 'example.com/resource': '2', 'example.com/found': '1' }
  await node.create('one', { containers: [{ name: 'main', image: 'app', resources: { limits } }] })
  await node.phase('one', 'Running')
  const [spec] = node.created
  assert.deepEqual(spec?.mounts.map((m) => m.containerPath).sort(), ['/tmp/Dev-1', '/tmp/Dev-2'])
  assert.equal(spec?.environment.find((e) => e.name === 'FOUND')?.value, 'y')

  const { out, err } = await runProgram(path.join(bin, 'test-devices'), [podResourcesSocket(node.folders), 'one'])
  const told = JSON.parse(out || `"${err}"`)
  const devices = [
    { resource_name: 'example.com/found', device_ids: ['y'], topology: { nodes: [{ ID: 1 }] } },
    { resource_name: 'example.com/resource', device_ids: ['Dev-1'] },
    { resource_name: 'example.com/resource', device_ids: ['Dev-2'] },
  ]
  const inOrder = (list: readonly { readonly device_ids: readonly string[] }[]) =>
    [...list].sort((a, b) => (String(a.device_ids) < String(b.device_ids) ? -1 : 1))
  assert.deepEqual(inOrder(told.list.pod_resources[0].containers[0].devices), inOrder(devices))
  assert.deepEqual(told.get.pod_resources, told.list.pod_resources[0])
  assert.equal(told.old.pod_resources[0].containers[0].devices.length, 3)
  assert.equal(told.allocatable.devices.length, 4)
  assert.equal(told.missing, 'rpc error: code = Unknown desc = pod nope in namespace default not found')

  sample.kill('SIGKILL')
  await node.shows('2', '0', 'example.com/resource')
  await node.stop()
  await node.start()
  start('sample-device-plugin', [], {})
  await node.shows('2', '2', 'example.com/resource')
  await node.shows('3', '2', 'example.com/found')
  assert.equal((await node.pod('one')).status?.phase, 'Running')
  const again = JSON.parse((await runProgram(path.join(bin, 'test-devices'), [podResourcesSocket(node.folders), 'one'])).out)
  assert.deepEqual(inOrder(again.get.pod_resources.containers[0].devices), inOrder(devices))
})

async function build(): Promise<{ readonly bin: string; readonly why?: string }> {
  const bin = path.join(import.meta.dirname, '..', 'node_modules', '.cache', 'bowsprit-devices')
  const go = (...args: string[]) =>
    runProgram('go', args, {
      cwd: path.join(import.meta.dirname, 'go-devices'),
      env: { GOTOOLCHAIN: 'local', GOFLAGS: '-mod=mod' },
      timeoutMs: 240_000,
    })
  const version = await go('version').catch(() => undefined)
  if (version === undefined || version.code !== 0) return { bin, why: 'Go is not here' }
  mkdirSync(bin, { recursive: true })
  const { code, err } = await go('build', '-o', `${bin}/`, '.', './plugin', 'k8s.io/kubernetes/test/images/sample-device-plugin')
  if (code === null) return { bin, why: 'the Go compiler took too long' }
  if (code !== 0 && /proxy|dial|download|reading http/i.test(err))
    return { bin, why: `the Go modules cannot be had here: ${err.split('\n')[0]}` }
  assert.equal(code, 0, err)
  return { bin }
}
