import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VERSION } from '../base/version.ts'
import { runCommand } from './run-command.double.ts'
import { versionCommand } from './version.ts'

test('the version of the package, of Kubernetes and of Node', async () => {
  const { out, code } = await runCommand(versionCommand())
  assert.equal(out, `bowsprit ${VERSION} (Kubernetes v1.36.3, node ${process.version})\n`)
  assert.equal(code, 0)
})
