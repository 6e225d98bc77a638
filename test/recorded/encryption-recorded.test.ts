import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { buildTransformers } from '../../src/server/encryption/build-transformers.ts'
import { transformerDeps } from '../../src/server/encryption/encryption.double.ts'
import { EncryptionConfigurationError, parseEncryptionFile, readEncryptionFile } from '../../src/server/encryption/load-encryption.ts'
import { identity } from '../../src/storage/encryption/identity.ts'
import { upstream } from '../upstream.ts'

const recorded = path.join(upstream, 'etcd', 'encryption')
const entriesOf = (name: string) => JSON.parse(readFileSync(path.join(recorded, name), 'utf8')).entries
const folder = mkdtempSync(path.join(os.tmpdir(), 'encryption-'))
after(() => rmSync(folder, { recursive: true, force: true }))

interface RecordedConfiguration {
  readonly id: string
  /** null: there is no file. */
  readonly config: string | null
  /** Undefined: kube-apiserver starts with it. */
  readonly message?: string
}

async function load(file: string) {
  const text = readEncryptionFile(file).text.replaceAll('{socket}', '/nowhere.sock')
  const configuration = parseEncryptionFile(file, text, false)
  return buildTransformers(configuration, transformerDeps())
}

for (const { id, config, message } of entriesOf('errors.json') as RecordedConfiguration[])
  test(`the configuration ${id} is ${message === undefined ? 'accepted' : 'refused'} as by kube-apiserver`, async () => {
    const file = path.join(folder, `${id}.yaml`)
    if (config !== null) writeFileSync(file, config)
    const found = await load(file).then(
      (transformers) => transformers[Symbol.dispose](),
      (error: unknown) => (error instanceof EncryptionConfigurationError ? error.message : error),
    )
    assert.equal(found, message?.replaceAll('{file}', file))
  })

interface RecordedValue {
  readonly id: string
  readonly config: string
  readonly key: string
  readonly value: string
  readonly prefix: string
  readonly plain: string
}

const RESOURCES: Readonly<Record<string, { readonly group: string; readonly resource: string }>> = {
  Secret: { group: '', resource: 'secrets' },
  ConfigMap: { group: '', resource: 'configmaps' },
  Service: { group: '', resource: 'services' },
  Event: { group: '', resource: 'events' },
  Deployment: { group: 'apps', resource: 'deployments' },
  Shirt: { group: 'layout.example.com', resource: 'shirts' },
  Hat: { group: 'layout.example.com', resource: 'hats' },
}

for (const { id, config, key, value, prefix, plain } of entriesOf('values.json') as RecordedValue[]) {
  const resource = RESOURCES[id.slice(id.indexOf('/') + 1)]
  if (resource === undefined) continue
  test(`${id}: what kube-apiserver stored is read, and new values begin as its do`, async () => {
    using transformers = await load(path.join(recorded, config))
    const transformer = transformers.of(resource)
    const stored = Buffer.from(value, 'base64')
    const read = await transformer.fromStorage(stored, key)
    assert.equal(Buffer.from(read.value).toString('base64'), plain === undefined ? value : plain)
    assert.equal(read.stale, false)
    const written = Buffer.from(transformer.toStorage(read.value, key)).toString('latin1')
    assert.ok(written.startsWith(prefix.replace('\\x00', '\0')), `${JSON.stringify(written.slice(0, 40))} begins with ${prefix}`)
    if (transformer !== identity && prefix.startsWith('k8s:enc')) assert.notEqual(written, stored.toString('latin1'))
  })
}
