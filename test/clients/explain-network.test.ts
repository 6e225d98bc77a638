/** docs/explain-network.md, walked with the real kubectl. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pageSteps } from '../../scripts/walked-page.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { installed } from '../walked-page.ts'

test('docs/explain-network.md works as shown', async (t) => {
  const steps = pageSteps('explain-network.md')
  assert.equal(steps.length, 2)
  await using cluster = await startCluster({ nodes: 1 })
  const { sh } = await installed(t, cluster)
  for (const { script, shown } of steps) {
    const { out, err } = await sh(script)
    assert.equal(out.trim(), shown.trim(), err)
  }
  const missing = await sh('bowsprit explain network none')
  assert.match(missing.err, /^bowsprit explain network: there is no running pod default\/none/)
  const portless = await sh('bowsprit explain network front --from guest')
  assert.match(portless.err, /name the port/)
  const { out } = await sh('bowsprit explain network web --from guest -o json')
  assert.deepEqual(JSON.parse(out).ingress, { kind: 'denied', policies: ['nothing-else', 'web-from-front'] })
})
