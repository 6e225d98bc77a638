import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { networkList, writeNetworkList } from './network-list.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'cni-'))
after(() => rmSync(folder, { recursive: true, force: true }))

test('a list is written with the ranges of the node, and follows them', async () => {
  const own = path.join(folder, 'net.d')
  const list = networkList(['10.244.1.0/24', 'fd00:244:0:1::/64'], { hides: false })
  await writeNetworkList(own, networkList(['10.244.0.0/24'], { hides: true }))
  await writeNetworkList(own, list)
  assert.deepEqual(readdirSync(own), ['10-bowsprit.conflist'])
  const written = JSON.parse(readFileSync(path.join(own, '10-bowsprit.conflist'), 'utf8'))
  assert.deepEqual(written, list)
  assert.deepEqual(written.plugins[0]?.ipam, {
    type: 'host-local',
    ranges: [[{ subnet: '10.244.1.0/24' }], [{ subnet: 'fd00:244:0:1::/64' }]],
    routes: [{ dst: '0.0.0.0/0' }, { dst: '::/0' }],
  })
})

test('a configuration of another author stays alone', async () => {
  writeFileSync(path.join(folder, '99-theirs.conf'), '{}')
  await writeNetworkList(folder, networkList(['10.244.0.0/24'], { hides: true }))
  assert.ok(!readdirSync(folder).includes('10-bowsprit.conflist'))
})
