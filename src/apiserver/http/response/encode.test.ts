import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeYaml } from '../../../machinery/yaml/yaml.ts'
import { yamlText } from './encode.ts'

test('what is large is written as YAML in another thread with the same text', async () => {
  const data = Object.fromEntries(Array.from({ length: 8000 }, (_, i) => [`k${8000 - i}`, `line ${i}\n"x": # é 1e3`]))
  const value = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', generation: 5, empty: null }, data }
  assert.equal(await yamlText(value), encodeYaml(value))
  assert.equal(await yamlText([value]), encodeYaml([value]))
  const texts = await Promise.all([yamlText([value]), yamlText({ ...value, kind: 'Secret' })])
  assert.deepEqual(texts, [encodeYaml([value]), encodeYaml({ ...value, kind: 'Secret' })])
})
