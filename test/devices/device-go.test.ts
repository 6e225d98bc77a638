/**
 * Unmodified plugins and clients in Go: Kubernetes' sample device plugin (`k8s.io/kubernetes/test/images/sample-device-plugin`), a plugin
 * built with the kubelet's API module that registers by `plugins_registry`, a client of PodResources, Intel's plugins
 * (`github.com/intel/intel-device-plugins-for-kubernetes`). Built from their modules if Go is installed.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { podResourcesSocket } from '../../src/node/plugins/device-folders.ts'
import { openDeviceNode } from '../../src/testing/device-plugin-trial/trial-node.ts'
import { goPrograms } from '../go-program.ts'
import { runProgram } from '../run-program.ts'

/** The folder that these plugins have built in. */
const KUBELET = '/var/lib/kubelet'
const notOurs = () => (process.getuid?.() !== 0 || existsSync(KUBELET) ? `${KUBELET} is not ours to make` : undefined)

function starter(t: TestContext, bin: string) {
  return (program: string, args: readonly string[] = []) => {
    const child = spawn(path.join(bin, program), args, { stdio: 'ignore' })
    t.after(() => child.kill('SIGKILL'))
    return child
  }
}

test('plugins and clients written in Go work with a node as with a kubelet', { timeout: 290_000 }, async (t) => {
  const { why = notOurs(), bin } = await goPrograms('devices')
  if (why !== undefined) return t.skip(why)
  t.after(() => rmSync(KUBELET, { recursive: true, force: true }))
  await using node = await openDeviceNode({ folder: KUBELET })
  const start = starter(t, bin)
  const { registry } = node.folders
  const sample = start('sample-device-plugin')
  start('plugin', [registry])
  await node.shows('2', '2', 'example.com/resource')
  await node.shows('3', '2', 'example.com/found')

  const limits = { 'example.com/resource': '2', 'example.com/found': '1' }
  await node.create('one', { containers: [{ name: 'main', image: 'app', resources: { limits } }] })
  await node.phase('one', 'Running')
  const [spec] = node.created
  assert.deepEqual(spec?.mounts.map((m) => m.containerPath).sort(), ['/tmp/Dev-1', '/tmp/Dev-2'])
  assert.equal(spec?.environment.find((e) => e.name === 'FOUND')?.value, 'y')

  const { out, err } = await runProgram(path.join(bin, 'pod-resources'), [podResourcesSocket(node.folders), 'one'])
  const reported = JSON.parse(out || `"${err}"`)
  const devices = [
    { resource_name: 'example.com/found', device_ids: ['y'], topology: { nodes: [{ ID: 1 }] } },
    { resource_name: 'example.com/resource', device_ids: ['Dev-1'] },
    { resource_name: 'example.com/resource', device_ids: ['Dev-2'] },
  ]
  const inOrder = (list: readonly { readonly device_ids: readonly string[] }[]) =>
    [...list].sort((a, b) => (String(a.device_ids) < String(b.device_ids) ? -1 : 1))
  assert.deepEqual(inOrder(reported.list.pod_resources[0].containers[0].devices), inOrder(devices))
  assert.deepEqual(reported.get.pod_resources, reported.list.pod_resources[0])
  assert.equal(reported.old.pod_resources[0].containers[0].devices.length, 3)
  assert.equal(reported.allocatable.devices.length, 4)
  assert.equal(reported.missing, 'rpc error: code = Unknown desc = pod nope in namespace default not found')

  sample.kill('SIGKILL')
  await node.shows('2', '0', 'example.com/resource')
  await node.stop()
  await node.start()
  start('sample-device-plugin')
  await node.shows('2', '2', 'example.com/resource')
  await node.shows('3', '2', 'example.com/found')
  assert.equal((await node.pod('one')).status?.phase, 'Running')
  const again = JSON.parse((await runProgram(path.join(bin, 'pod-resources'), [podResourcesSocket(node.folders), 'one'])).out)
  assert.deepEqual(inOrder(again.get.pod_resources.containers[0].devices), inOrder(devices))
})

test("Intel's plugins for DLB and SGX, of another age of the API, work unmodified", { timeout: 290_000 }, async (t) => {
  const { why = notOurs(), bin } = await goPrograms('intel-devices')
  if (why !== undefined) return t.skip(why)
  // They only check that these files exist.
  const files = ['/dev/dlb0', '/dev/dlb1', '/dev/sgx_enclave', '/dev/sgx_provision']
  if (files.some((file) => existsSync(file))) return t.skip('this machine has such devices')
  t.after(() => {
    for (const folder of [KUBELET, ...files]) rmSync(folder, { recursive: true, force: true })
  })
  for (const file of files) writeFileSync(file, '')
  await using node = await openDeviceNode({ folder: KUBELET })
  const start = starter(t, bin)
  const dlb = start('dlb_plugin')
  start('sgx_plugin', ['-enclave-limit', '3', '-provision-limit', '1'])
  await node.shows('2', '2', 'dlb.intel.com/vf')
  await node.shows('3', '3', 'sgx.intel.com/enclave')
  await node.shows('1', '1', 'sgx.intel.com/provision')

  const limits = { 'dlb.intel.com/vf': '1', 'sgx.intel.com/enclave': '2' }
  const main = (more: Record<string, string>) => ({ containers: [{ name: 'main', image: 'app', resources: { limits: more } }] })
  await node.create('one', main(limits))
  await node.phase('one', 'Running')
  const given = (node.created[0]?.devices ?? []).map((d) => d.hostPath)
  const [queue = '', enclave] = given.sort()
  assert.match(queue, /^\/dev\/dlb[01]$/)
  assert.equal(enclave, '/dev/sgx_enclave')

  await node.stop()
  await node.start()
  await node.shows('2', '2', 'dlb.intel.com/vf')
  await node.shows('3', '3', 'sgx.intel.com/enclave')
  await node.create('two', main({ 'dlb.intel.com/vf': '1' }))
  await node.phase('two', 'Running')
  const other = node.created.at(-1)?.devices.map((d) => d.hostPath)
  assert.deepEqual(
    other,
    files.slice(0, 2).filter((file) => file !== queue),
    'what runs keeps its device over a restart',
  )

  dlb.kill('SIGKILL')
  await node.shows('2', '0', 'dlb.intel.com/vf')
  start('dlb_plugin')
  await node.shows('2', '2', 'dlb.intel.com/vf')
})
