import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStatus } from '../../../machinery/status-error.ts'
import { parseQuery } from '../../request/query.ts'
import { aggregatedFormat, errorFormat, negotiate, type Offer, requireProduced, wantsPretty } from './negotiate.ts'

const plain = { protobuf: true, collection: false, streaming: false }
const said = (accept: string, offer: Offer = plain): string => {
  try {
    const { encoding, pretty, as, notStreamed } = negotiate(accept, offer, false)
    if (notStreamed !== undefined) return `once open: ${notStreamed.code} ${notStreamed.message}`
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
  ['application/json;as=', 'json'],
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

test('a watch knows no YAML, and says so when it is open', () => {
  assert.match(
    said('application/yaml', { ...plain, collection: true, streaming: true }),
    /^once open: 406 only .*application\/json;stream=watch/,
  )
})

test('a path without a router names all types, and refuses a watch as a list first', () => {
  const custom = { protobuf: false, collection: true, streaming: false, unrouted: true }
  const all = '406 only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf'
  assert.equal(said('application/*', custom), 'json')
  assert.equal(said('text/plain', custom), all)
  assert.equal(said('application/vnd.kubernetes.protobuf', { ...custom, streaming: true }), all)
  assert.equal(
    said('application/yaml', { ...custom, streaming: true }),
    'once open: 406 only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch',
  )
})

test('custom resources have protobuf for their metadata alone', () => {
  const custom: Offer = { protobuf: 'metadata', collection: false, streaming: false, unrouted: true }
  const protobuf = 'application/vnd.kubernetes.protobuf'
  const metadata = `${protobuf};as=PartialObjectMetadata;v=v1;g=meta.k8s.io`
  assert.match(said(protobuf, custom), /^406 only the following/)
  assert.equal(said(metadata, custom), 'protobuf PartialObjectMetadata/v1')
  assert.equal(said(`${protobuf},application/json`, custom), 'json')
  assert.equal(said(`${metadata},application/json`, { ...custom, streaming: true }), 'protobuf PartialObjectMetadata/v1')
})

const AGGREGATED = ';g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
const PROTOBUF = 'application/vnd.kubernetes.protobuf'
for (const [accept, type] of [
  ['application/json', undefined],
  [`application/json${AGGREGATED}`, 'application/json'],
  [`application/json,${PROTOBUF}${AGGREGATED}`, PROTOBUF],
  [`application/json${AGGREGATED};q=0.1,application/yaml${AGGREGATED}`, 'application/yaml'],
  [`*/*${AGGREGATED}`, 'application/json'],
  ['application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList', undefined],
  [`application/cbor${AGGREGATED}`, undefined],
] as const)
  test(`discovery for Accept: ${accept} is ${type === undefined ? 'not aggregated' : `aggregated, ${type}`}`, () =>
    assert.equal(aggregatedFormat(accept)?.type, type && `${type}${AGGREGATED}`))

test('a watch in a form that no list has is refused as a list', () => {
  const watch = { ...plain, collection: true, streaming: true }
  assert.match(
    said('application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io', watch),
    /^406 only .*: application\/json, application\/yaml/,
  )
})

test('what is only answered has metadata and no table, discovery has neither', () => {
  const metadata = TABLE.replace('Table', 'PartialObjectMetadata')
  const forms = (form: 'metadata' | 'none', accept: string) => said(accept, { ...plain, forms: form })
  assert.match(forms('metadata', TABLE), /^406 only the following/)
  assert.equal(forms('metadata', metadata), 'json PartialObjectMetadata/v1')
  assert.equal(forms('metadata', `${TABLE},application/yaml`), 'yaml')
  assert.match(forms('none', metadata), /^406 only the following/)
})

test('what a path writes by itself gets through the router, and is refused where it is negotiated', () => {
  const log = { ...plain, routed: 'text/plain', forms: 'metadata' as const }
  assert.match(said('text/plain', log), /^406 only the following media types are accepted: application\/json/)
  assert.match(said('text/html', log), /^406 406: Not Acceptable\n\nAvailable representations: text\/plain, application\/json/)
  assert.equal(said('*/*', log), 'json')
})

test('an error is never a table', () => {
  assert.equal(errorFormat('application/yaml;as=Table;v=v1;g=meta.k8s.io', false), undefined)
  assert.equal(errorFormat('application/yaml', false)?.encoding, 'yaml')
  assert.equal(errorFormat('text/csv', false), undefined)
})

for (const [accept, passes] of [
  [undefined, true],
  ['*/*', true],
  ['application/jwk-set+json', true],
  ['application/json', false],
] as const)
  test(`a path of one type ${passes ? 'serves' : 'refuses'} Accept: ${accept}`, () => {
    const ask = () => requireProduced(accept, 'application/jwk-set+json')
    if (passes) ask()
    else assert.throws(ask, /406: Not Acceptable\n\nAvailable representations: application\/jwk-set\+json/)
  })

for (const [query, agent, pretty] of [
  ['', 'kubectl/v1.36.3', false],
  ['', 'curl/8.5.0', true],
  ['', 'Mozilla/5.0 (X11)', true],
  ['', undefined, false],
  ['pretty=true', 'kubectl/v1.36.3', true],
  ['pretty=false', 'curl/8.5.0', false],
  ['pretty=x', 'curl/8.5.0', false],
  ['pretty=', 'curl/8.5.0', true],
] as const)
  test(`?${query} of ${agent}: ${pretty ? '' : 'not '}indented`, () => {
    assert.equal(wantsPretty(parseQuery(query), { 'user-agent': agent }), pretty)
  })
