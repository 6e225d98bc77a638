import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { pageSteps } from '../../scripts/walked-page.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { installedPrograms } from '../walked-page.ts'

test('docs/encryption.md: its commands show what it says', async (t) => {
  const { folder, sh } = installedPrograms(t)
  const page = readFileSync(path.join(import.meta.dirname, '../../docs/encryption.md'), 'utf8')
  const file = path.join(folder, 'encryption.yaml')
  writeFileSync(file, /^```yaml walked encryption.yaml\n(.*?)^```$/ms.exec(page)?.[1] ?? '')
  const options = { dataDir: path.join(folder, 'data'), ephemeral: false, parts: ['server'] as const, encryptionProviderConfig: file }
  await using cluster = await startCluster(options)
  await cluster.listen()
  const kubeconfig = path.join(folder, 'kubeconfig')
  writeFileSync(kubeconfig, cluster.kubeconfig())
  const steps = pageSteps('encryption.md')
  assert.equal(steps.length, 2)
  for (const { script, shown } of steps) {
    const { out, err } = await sh(script, { KUBECONFIG: kubeconfig })
    assert.equal(`${out.trimEnd()}\n`, shown, err)
  }
})
