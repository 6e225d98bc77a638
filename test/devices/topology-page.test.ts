/** docs/topology.md, walked with the real kubectl. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { pageSteps } from '../../scripts/walked-page.ts'
import { isObject } from '../../src/machinery/object.ts'
import { decodeYaml } from '../../src/machinery/yaml/yaml.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { installed } from '../walked-page.ts'

const page = readFileSync(path.join(import.meta.dirname, '../../docs/topology.md'), 'utf8')

/** A file of the page. */
function shownFile(name: string) {
  const text = new RegExp(`\`\`\`yaml ${name}\n([^]*?)\`\`\``).exec(page)?.[1] ?? ''
  const { value } = decodeYaml(text)
  assert.ok(isObject(value), name)
  return value
}

test('docs/topology.md works as shown', async (t) => {
  const steps = pageSteps('topology.md')
  assert.ok(steps.length >= 3)
  await using cluster = await startCluster({ nodes: 1, machine: shownFile('machine'), kubeletConfig: shownFile('kubelet') })
  const { sh } = await installed(t, cluster)
  for (const { script, shown } of steps) {
    const { out, err } = await sh(script)
    assert.equal(out.trim(), shown.trim(), err)
  }
})
