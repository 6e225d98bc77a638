import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nodeCommand } from './node.ts'
import { folderOf, runCommand } from './run-command.double.ts'

/** A server that cannot be reached. */
const KUBECONFIG = JSON.stringify({
  'current-context': 'c',
  contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
  clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
  users: [{ name: 'u', user: {} }],
})

for (const verb of ['lose', 'recover'])
  test(`node ${verb} reports a cluster that cannot be reached, without a stack`, async (t) => {
    const at = folderOf(t, { kubeconfig: KUBECONFIG })
    const { code, out, err } = await runCommand(nodeCommand(), verb, 'node-1', '--kubeconfig', at('kubeconfig'))
    assert.deepEqual([code, out], [1, ''])
    assert.match(err, new RegExp(`^bowsprit node ${verb}: .*127\\.0\\.0\\.1:1`))
    assert.doesNotMatch(err, /\n {4}at /)
  })

test('node without the name of a command is `node run`', async () => {
  const { code, err } = await runCommand(nodeCommand(), '--runtime', 'unix:///run/x.sock')
  assert.deepEqual(
    [code, err],
    [2, "bowsprit node run: required option '--kubeconfig <file>' not specified (see bowsprit node run --help)\n"],
  )
})
