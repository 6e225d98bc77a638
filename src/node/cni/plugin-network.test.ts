import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import type { Attachment } from './attachment.ts'
import { AttachmentRecords } from './attachment-records.ts'
import { parseNetworkList } from './network-list.ts'
import { PluginNetwork } from './plugin-network.ts'

const never = new AbortController().signal
const attachment: Attachment = {
  containerId: 'c1',
  namespace: '/run/netns/c1',
  ifName: 'eth0',
  args: 'K8S_POD_NAME=web',
  capabilities: { portMappings: [{ hostPort: 80 }], bandwidth: { ingressRate: 1 } },
}

/** A network of `first` and `second`, which write down what they are told; `second` also runs the lines of a script. */
function openNetwork(t: test.TestContext, cniVersion: string, script = '') {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'cni-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const log = path.join(folder, 'log')
  writeFileSync(log, '')
  for (const name of ['first', 'second']) {
    const told = `in=$(cat); echo "$CNI_COMMAND ${name} $CNI_CONTAINERID $CNI_IFNAME $CNI_NETNS $CNI_ARGS $in" >> ${log}`
    const result = `[ $CNI_COMMAND != ADD ] || echo '{"cniVersion":"${cniVersion}","ips":[{"address":"10.0.0.2/24"}],"by":"${name}"}'`
    writeFileSync(path.join(folder, name), `#!/bin/sh\n${told}\n${name === 'second' ? script : ''}\n${result}\n`)
    chmodSync(path.join(folder, name), 0o755)
  }
  const plugins = [{ type: 'first', capabilities: { portMappings: true } }, { type: 'second' }]
  const list = parseNetworkList(JSON.stringify({ name: 'net', cniVersion, plugins }))
  const records = new AttachmentRecords(path.join(folder, 'records'))
  const calls = () => readFileSync(log, 'utf8').trimEnd().split('\n').filter(Boolean)
  return { network: new PluginNetwork({ list, path: [path.join(folder, 'none'), folder], records }), records, calls }
}
const asked = (calls: readonly string[]) => calls.map((call) => call.split(' ').slice(0, 2).join(' '))
const inputOf = (call: string | undefined) => JSON.parse(call?.slice(call.indexOf('{')) ?? '{}')

test('plugins are called in order with the result of the one before, and unplug in the opposite order with the last', async (t) => {
  const { network, records, calls } = openNetwork(t, '1.0.0')
  assert.deepEqual((await network.add(attachment, never)).ips, [{ address: '10.0.0.2/24' }])
  await network.check(attachment, never)
  await network.remove(attachment, never)
  assert.deepEqual(asked(calls()), ['ADD first', 'ADD second', 'CHECK first', 'CHECK second', 'DEL second', 'DEL first'])
  const [first, second, checked, , removed] = calls().map(inputOf)
  assert.ok(calls()[0]?.startsWith('ADD first c1 eth0 /run/netns/c1 K8S_POD_NAME=web {'))
  assert.deepEqual(first.runtimeConfig, { portMappings: [{ hostPort: 80 }] })
  assert.deepEqual([first.name, first.cniVersion, first.prevResult, second.runtimeConfig], ['net', '1.0.0', undefined, undefined])
  assert.deepEqual([second.prevResult.by, checked.prevResult.by, removed.prevResult.by], ['first', 'second', 'second'])
  assert.deepEqual(await records.all(), [])
})

test('what was begun is recorded before the first plugin is called', async (t) => {
  const { network, records } = openNetwork(
    t,
    '1.0.0',
    `[ $CNI_COMMAND != ADD ] || { echo '{"code":11,"msg":"busy","details":"later"}'; exit 1; }`,
  )
  await assert.rejects(network.add(attachment, never), { message: 'plugin type="second" failed (add): busy; later' })
  assert.deepEqual(
    (await records.all()).map((one) => [one.attachment.containerId, one.result]),
    [['c1', undefined]],
  )
  await network.remove(attachment, never)
  assert.deepEqual(await records.all(), [])
})

test('lists before 1.1.0 have no status and collect nothing, later ones are told what is valid', async (t) => {
  const old = openNetwork(t, '1.0.0')
  await old.network.status(never)
  await old.network.collect([attachment], never)
  assert.deepEqual(old.calls(), [])
  const { network, calls } = openNetwork(t, '1.1.0')
  await network.status(never)
  await network.collect([attachment], never)
  assert.deepEqual(asked(calls()), ['STATUS first', 'STATUS second', 'GC first', 'GC second'])
  assert.deepEqual(inputOf(calls()[2])['cni.dev/valid-attachments'], [{ containerID: 'c1', ifname: 'eth0' }])
})

test('a list before 0.4.0 cannot be checked', async (t) => {
  await assert.rejects(openNetwork(t, '0.3.1').network.check(attachment, never), /"0.3.1" does not support CHECK/)
})

const FAULTS: readonly (readonly [string, string])[] = [
  ['echo oh >&2; exit 2', 'plugin type="second" failed (add): netplugin failed: "oh\\n"'],
  ['exit 3', 'plugin type="second" failed (add): netplugin failed with no error message: exit status 3'],
  ['kill -9 $$', 'plugin type="second" failed (add): netplugin failed with no error message: signal: killed'],
  ['echo nonsense; exit 1', 'plugin type="second" failed (add): netplugin failed but error parsing its diagnostic message "nonsense\\n"'],
  ['echo nonsense; exit 0', 'plugin type="second" failed (add): failed to unmarshal raw result: "nonsense\\n"'],
  ['echo []; exit 0', 'plugin type="second" failed (add): failed to unmarshal raw result: "[]\\n"'],
]
for (const [script, message] of FAULTS)
  test(`a plugin fails: ${script}`, async (t) => {
    await assert.rejects(openNetwork(t, '1.0.0', script).network.add(attachment, never), { message })
  })

test('a plugin that does not end is killed with the wait for it, and one that prints without end at once', async (t) => {
  const stop = new AbortController()
  const { network, calls } = openNetwork(t, '1.0.0', 'exec sleep 1000')
  const adding = network.add(attachment, stop.signal)
  while (calls().length < 2) await new Promise((resolve) => setImmediate(resolve))
  stop.abort()
  await assert.rejects(adding)
  await assert.rejects(
    openNetwork(t, '1.0.0', 'exec cat /dev/zero').network.add(attachment, never),
    /signal: killed|failed but error parsing/,
  )
})
