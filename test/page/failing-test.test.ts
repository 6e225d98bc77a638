/** A test that fails keeps its cluster until somebody has looked at it: in another process, as test runners start them. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { waitFor } from '../../src/testing/wait-for.ts'
import { runProgram } from '../run-program.ts'
import { askRows } from './page-socket.ts'

const testing = path.join(import.meta.dirname, '..', '..', 'src', 'testing', 'testing.ts')

/** As docs/page.md shows it. */
const FAILING = `
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configMap, startCluster } from '${testing}'

test('orders are shipped', async () => {
  await using cluster = await startCluster({ nodes: 0 })
  await cluster.client().create({ group: '', version: 'v1', resource: 'configmaps', namespace: 'default' }, configMap('orders'))
  try {
    assert.equal('open', 'shipped')
  } catch (error) {
    await cluster.page({ hold: console.error })
    throw error
  }
})
`

test('a test that fails prints the link of its cluster, which lives until the page is closed', async (t) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-held-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = path.join(folder, 'orders.test.ts')
  writeFileSync(file, FAILING)
  let out = ''
  const onOut = (text: string) => {
    out = text
  }
  // By the variable it would report to this test's runner.
  const script = 'unset NODE_TEST_CONTEXT; exec "$0" --disable-warning=ExperimentalWarning --test "$1"'
  const ended = runProgram('sh', ['-c', script, process.execPath, file], { onOut })
  const link = new URL(await waitFor(() => /http:\/\/127\.0\.0\.1:\d+\/#[\w-]+/.exec(out)?.[0]))
  {
    using asked = askRows(link, { resource: 'configmaps', namespace: 'default' })
    await waitFor(() => asked.names().includes('orders'))
    assert.doesNotMatch(out, /orders are shipped/, 'the test has not ended')
  }
  const { code, out: whole } = await ended
  assert.equal(code, 1)
  assert.match(whole, /orders are shipped[\s\S]*'open' !== 'shipped'/)
})
