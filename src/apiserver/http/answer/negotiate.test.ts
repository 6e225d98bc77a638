import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStatus } from '../../../machinery/status-error.ts'
import { negotiate } from './negotiate.ts'

const plain = { protobuf: true, collection: false, streaming: false }
const said = (accept: string, offer = plain): string => {
  try {
    const { encoding, pretty, as } = negotiate(accept, offer, false)
    return [encoding, ...(pretty ? ['pretty'] : []), ...(as ? [`${as.kind}/${as.version}`] : [])].join(' ')
  } catch (error) {
    if (isStatus(error)) return `${error.code} ${error.message}`
    throw error
  }
}

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io'
const CASES: readonly (readonly [string, string])[] = [
  ['', 'json'],
  ['*/*', 'json'],
  ['application/yaml', 'yaml'],
  ['application/json;q=0', 'json'],
  ['text/html,application/json;q=0.5', 'json'],
  ['application/json;q=0.1,application/yaml', 'yaml'],
  [TABLE, 'json Table/v1'],
  [`${TABLE},application/json`, 'json Table/v1'],
  ['application/json;as=Nope;v=v1;g=meta.k8s.io,application/json', 'json'],
  ['application/json;pretty=1', 'json pretty'],
  ['application/vnd.kubernetes.protobuf,application/json', 'protobuf'],
  [
    'application/json;as=Table',
    '406 only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
  ],
  [
    'APPLICATION/JSON',
    '406 406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf',
  ],
]
for (const [accept, expected] of CASES) test(`Accept: ${accept}`, () => assert.equal(said(accept), expected))

test('a watch knows no YAML', () => {
  assert.match(said('application/yaml', { ...plain, collection: true, streaming: true }), /^406 only .*application\/json;stream=watch/)
})

test('what is only answered has metadata and no table, discovery has neither', () => {
  const metadata = TABLE.replace('Table', 'PartialObjectMetadata')
  const forms = (form: 'metadata' | 'none', accept: string) => said(accept, { ...plain, forms: form } as typeof plain)
  assert.match(forms('metadata', TABLE), /^406 only the following/)
  assert.equal(forms('metadata', metadata), 'json PartialObjectMetadata/v1')
  assert.equal(forms('metadata', `${TABLE},application/yaml`), 'yaml')
  assert.match(forms('none', metadata), /^406 only the following/)
})
