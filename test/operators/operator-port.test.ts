/** `searchOperator` with a program whose port belongs to another one: it says so. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { test } from 'node:test'
import { searchOperator } from '../../src/testing/operator-search/search-operator.ts'
import { database, databases } from './operator-search/stand-in.ts'

test('a port that is taken is named', async (t) => {
  const other = net.createServer().listen(0, '127.0.0.1')
  t.after(() => other.close())
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const program = `require('node:net').createServer().listen(${port}, '127.0.0.1')`
  const { findings } = await searchOperator({
    operator: { command: [process.execPath, '-e', program] },
    install: [databases({})],
    samples: [database({})],
    steps: [{ name: 'create', apply: [database({})] }],
    patienceMs: 0,
  })
  assert.match(findings[0]?.symptoms[0]?.text ?? '', /a port that it wants belongs to another program of this machine: .*EADDRINUSE/)
})
