import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { upstream } from '../../../test/upstream.ts'
import { builtinSchema, isBuiltinKind } from '../../resources/schema.ts'
import { type Json, type JsonObject, parseApiVersion } from '../object.ts'
import { decodeObject } from '../schema/decode.ts'
import type { StructSchema } from '../schema/schema.ts'
import { decodeWatchEvent, encodeList, encodeProtobuf, encodeWatchFrame, isProtobuf, openEnvelope } from './envelope.ts'
import { decodeMessage, encodeMessage } from './message.ts'
import { ProtobufError } from './wire.ts'

function structOf(group: string, version: string, kind: string): StructSchema {
  const schema = builtinSchema(group, version, kind)()
  assert.ok(schema.type === 'struct')
  return schema
}

const pod = structOf('', 'v1', 'Pod')
const through = (schema: StructSchema, object: JsonObject) => {
  const { object: whole } = decodeObject(schema, object)
  return { whole, back: decodeObject(schema, decodeMessage(schema, encodeMessage(schema, whole))).object }
}

test('a small pod has the bytes that Go writes', () => {
  const { object } = decodeObject(pod, { metadata: { name: 'a' } })
  const go = 'ChEKAWESABoAIgAqADIAOABCABIcGgAyAEIASgBSAFgAYABoAIIBAIoBAJoBAMIBABoTCgAaACIAKgAyAEoAWgByAIgBAA=='
  assert.equal(encodeMessage(pod, object).toString('base64'), go)
})

const OBJECTS: readonly (readonly [rule: string, group: string, version: string, kind: string, object: JsonObject])[] = [
  [
    'inlined structs, int-or-string, quantities and pointers',
    '',
    'v1',
    'Pod',
    {
      metadata: { name: 'a', creationTimestamp: '2026-01-01T00:00:00Z', labels: { b: '1', a: 'ü', ä: '' }, generation: 9007199254740993n },
      spec: {
        terminationGracePeriodSeconds: 0,
        automountServiceAccountToken: false,
        containers: [
          {
            name: 'm',
            resources: { limits: { cpu: '500m' } },
            livenessProbe: { httpGet: { port: 'http' } },
            readinessProbe: { tcpSocket: { port: 8080 } },
          },
        ],
        volumes: [{ name: 'v', emptyDir: {} }],
        priority: -5,
      },
    },
  ],
  ['bytes', '', 'v1', 'Secret', { data: { a: 'aGk=', empty: '' }, stringData: { x: 'y' } }],
  ['micro times', 'coordination.k8s.io', 'v1', 'Lease', { spec: { renewTime: '2026-01-01T00:00:00.000123Z', leaseDurationSeconds: 15 } }],
  ['times before 1970', '', 'v1', 'Pod', { metadata: { deletionTimestamp: '1960-02-03T04:05:06Z' } }],
  ['raw JSON', 'apps', 'v1', 'ControllerRevision', { revision: 1, data: { spec: { a: [1, null, 'x'] } } }],
  [
    'lists in maps',
    'authentication.k8s.io',
    'v1',
    'TokenReview',
    { spec: { token: 't' }, status: { user: { extra: { a: ['b', 'c'], d: ['e'] } } } },
  ],
  [
    'schemas in schemas',
    'apiextensions.k8s.io',
    'v1',
    'CustomResourceDefinition',
    {
      spec: {
        versions: [
          {
            name: 'v1',
            schema: {
              openAPIV3Schema: {
                properties: {
                  a: { items: { type: 'string' }, maximum: 1.5, additionalProperties: true },
                  b: { additionalProperties: false, default: null, enum: ['x', 1] },
                  c: { items: [{ type: 'string' }, { type: 'integer' }], dependencies: { d: ['e', 'f'], g: { type: 'object' } } },
                },
                additionalProperties: { type: 'object' },
              },
            },
          },
        ],
      },
    },
  ],
  [
    'structs inlined twice',
    'admissionregistration.k8s.io',
    'v1',
    'ValidatingAdmissionPolicy',
    { spec: { matchConstraints: { resourceRules: [{ apiGroups: ['*'], operations: ['CREATE'], resourceNames: ['x'] }] } } },
  ],
]

for (const [rule, group, version, kind, object] of OBJECTS) {
  test(`${rule} come back as they were`, () => {
    const { whole, back } = through(structOf(group, version, kind), object)
    assert.deepEqual(back, whole)
  })
}

test('an envelope names its kind', () => {
  const bytes = encodeProtobuf(pod, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } })
  assert.ok(isProtobuf(bytes))
  const { apiVersion, kind, raw, contentType } = openEnvelope(bytes)
  assert.deepEqual([apiVersion, kind, contentType], ['v1', 'Pod', ''])
  assert.deepEqual((decodeMessage(pod, raw).metadata as JsonObject).name, 'a')
  assert.throws(() => openEnvelope(Buffer.from('{}')), ProtobufError)
})

test('a list is made of messages that are there already', () => {
  const list = structOf('', 'v1', 'PodList')
  const names = ['a', 'b', 'c'].map((name) => decodeObject(pod, { metadata: { name } }).object)
  const parts = names.map((object) => encodeMessage(pod, object))
  const bytes = encodeList({ apiVersion: 'v1', kind: 'PodList' }, encodeMessage(list, { metadata: { resourceVersion: '7' } }), parts)
  const whole = encodeProtobuf(list, { apiVersion: 'v1', kind: 'PodList', metadata: { resourceVersion: '7' }, items: names })
  assert.deepEqual(bytes, whole)
})

test('a watch frame carries its length, its type and the object', () => {
  const object = encodeProtobuf(pod, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } })
  const frame = encodeWatchFrame('ADDED', object)
  assert.equal(frame.readUInt32BE(0), frame.length - 4)
  assert.deepEqual(decodeWatchEvent(frame.subarray(4)), { type: 'ADDED', object })
})

test('an object in protobuf inside another is read where its kind is known', () => {
  const revision = structOf('apps', 'v1', 'ControllerRevision')
  const inner = encodeProtobuf(pod, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } })
  const bytes = encodeMessage(revision, { data: 'MARK' })
  const marked = Buffer.from(JSON.stringify('MARK'))
  const at = bytes.indexOf(marked)
  const nested = Buffer.concat([Buffer.from([0x12, inner.length + 2, 0x0a, inner.length]), inner])
  const message = Buffer.concat([bytes.subarray(0, at - 4), nested])
  assert.ok(inner.length < 120)
  assert.deepEqual(decodeMessage(revision, message, (envelope) => openEnvelope(envelope).kind).data, 'Pod')
  assert.throws(() => decodeMessage(revision, message), ProtobufError)
})

test('any bytes are a message or a ProtobufError', () => {
  const schemas = [pod, structOf('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition'), structOf('', 'v1', 'Secret')]
  const good = encodeMessage(
    pod,
    decodeObject(pod, { metadata: { name: 'a', labels: { a: 'b' } }, spec: { containers: [{ name: 'm' }] } }).object,
  )
  const spoiled = fc
    .tuple(fc.nat(good.length - 1), fc.nat(255))
    .map(([at, byte]) => Buffer.concat([good.subarray(0, at), Buffer.from([byte]), good.subarray(at + 1)]))
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array({ maxLength: 200 }),
        spoiled,
        fc.nat(good.length).map((n) => good.subarray(0, n)),
      ),
      fc.constantFrom(...schemas),
      (bytes, schema) => {
        try {
          decodeMessage(schema, bytes)
        } catch (error) {
          assert.ok(error instanceof ProtobufError, String(error))
        }
      },
    ),
    { numRuns: 2000 },
  )
})

// Kubernetes' own code as the oracle: scripts/derive/oracle, built where there is Go and its modules have been downloaded.
const recorded = path.join(upstream, 'cases')
const why = oracleMissing()

/** The modules that the oracle names itself must have been downloaded, whatever others have been. */
function oracleMissing(): string | false {
  try {
    const cache = execFileSync('go', ['env', 'GOMODCACHE'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
    const wanted = readFileSync(path.join(import.meta.dirname, '../../../scripts/derive/oracle/go.mod.txt'), 'utf8').matchAll(
      /(k8s\.io\/\S+) (v\S+)/g,
    )
    const missing = [...wanted].map(([, module, version]) => `${module}@${version}`).find((name) => !existsSync(path.join(cache, name)))
    return missing === undefined ? false : `${missing} is not in the module cache`
  } catch {
    return 'there is no Go'
  }
}

test('every recorded object has the bytes that Go writes, and Go reads', { skip: why }, () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'bowsprit-oracle-'))
  try {
    const source = path.join(import.meta.dirname, '../../../scripts/derive/oracle')
    cpSync(source, folder, { recursive: true })
    writeFileSync(path.join(folder, 'go.mod'), readFileSync(path.join(source, 'go.mod.txt')))
    execFileSync('go', ['build', '-mod=mod', '-o', 'oracle', '.'], {
      cwd: folder,
      env: { ...process.env, GOFLAGS: '-mod=mod', GOPROXY: 'off', GOSUMDB: 'off' },
    })
    const objects = recordedObjects()
    const ask = (lines: readonly unknown[]) => {
      const input = `${lines.map((l) => JSON.stringify(l)).join('\n')}\n`
      return execFileSync(path.join(folder, 'oracle'), { input, maxBuffer: 2 ** 30, encoding: 'utf8' })
        .trimEnd()
        .split('\n')
    }
    const written = ask(objects.map(([, object]) => object))
    const wrong = objects.filter(([schema, object], i) => encodeMessage(schema, object).toString('base64') !== written[i])
    assert.deepEqual(
      wrong.slice(0, 3).map(([, o]) => o),
      [],
    )
    const read = ask(objects.map(([, { apiVersion, kind }], i) => ({ apiVersion, kind, decode: written[i] })))
    const misread = objects.filter(([schema], i) => {
      const back = decodeObject(schema, decodeMessage(schema, Buffer.from(written[i] ?? '', 'base64'))).object
      return JSON.stringify(back) !== JSON.stringify(JSON.parse(read[i] ?? ''))
    })
    // Go writes null for `items` that are neither a schema nor a list.
    assert.ok(misread.length <= 1, JSON.stringify(misread.slice(0, 3).map(([, o]) => o)))
    assert.ok(objects.length > 1000)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

function recordedObjects(): [StructSchema, JsonObject][] {
  const out = new Map<string, [StructSchema, JsonObject]>()
  const add = (json: Json | undefined) => {
    if (
      json === null ||
      typeof json !== 'object' ||
      Array.isArray(json) ||
      typeof json.apiVersion !== 'string' ||
      typeof json.kind !== 'string'
    )
      return
    const gv = parseApiVersion(json.apiVersion)
    if (gv === undefined || gv.group === 'apidiscovery.k8s.io' || !isBuiltinKind(gv.group, gv.version, json.kind)) return
    const schema = structOf(gv.group, gv.version, json.kind)
    try {
      const { object } = decodeObject(schema, json)
      out.set(JSON.stringify(object), [schema, object])
    } catch {
      // a body that was to be refused
    }
  }
  for (const file of globSync('create/*.json', { cwd: recorded })) {
    const { cases } = JSON.parse(readFileSync(path.join(recorded, file), 'utf8')) as {
      cases: { steps: { body?: Json; expect?: { body?: Json } }[] }[]
    }
    for (const step of cases.flatMap((c) => c.steps)) {
      add(step.body)
      add(step.expect?.body)
    }
  }
  return [...out.values()]
}
