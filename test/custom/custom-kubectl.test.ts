import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { kubectlPath } from '../../scripts/clients.ts'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'

const run = promisify(execFile)

describe('kubectl and custom resources', () => {
  let cluster: Cluster
  let folder: string
  before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-custom-'))
    cluster = await startCluster({ parts: ['server'], thirdPartyResources: true, kubeconfig: path.join(folder, 'kubeconfig') })
    await cluster.listen()
  })
  after(async () => {
    await cluster[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })
  const kubectl = async (...args: string[]) => {
    const env = { ...process.env, KUBECONFIG: path.join(folder, 'kubeconfig'), HOME: folder }
    const { stdout } = await run(kubectlPath(), args, { env })
    return stdout
  }
  const create = async (manifest: string) => {
    const file = path.join(folder, 'manifest.yaml')
    writeFileSync(file, manifest)
    return kubectl('create', '-f', file)
  }

  test('fields that a definition names can be selected, and its columns are shown', async () => {
    await create(SHIRTS)
    await create(
      `${['S', 'M'].map((size, i) => shirt(`example${i + 1}`, 'blue', size)).join('---\n')}---\n${shirt('example3', 'green', 'M')}`,
    )
    const blue = await kubectl('get', 'shirts.stable.example.com', '--field-selector', 'spec.color=blue')
    assert.equal(blue, 'NAME       COLOR   SIZE\nexample1   blue    S\nexample2   blue    M\n')
  })

  test('a definition is explained and listed at once', async () => {
    const explained = await kubectl('explain', 'shirts.spec.color')
    assert.match(explained, /FIELD: color <string>/)
    assert.match(await kubectl('api-resources', '--api-group=stable.example.com'), /shirts .*stable\.example\.com\/v1 .*true .*Shirt/)
  })

  test('a third party resource is served under the names that follow from its own', async () => {
    assert.match(await create(CRON_TAB), /thirdpartyresource.extensions\/cron-tab.stable.example.com created/)
    assert.equal(
      await kubectl('get', 'thirdpartyresources'),
      'NAME                          DESCRIPTION                   VERSION(S)\ncron-tab.stable.example.com   A pod that runs on schedule   v1\n',
    )
    assert.match(await create(CRON_OBJECT), /crontab.stable.example.com\/new-cron-object created/)
    assert.equal(
      await kubectl('get', 'crontab'),
      'NAME              LABELS   DATA\nnew-cron-object   <none>   {"apiVersion":"stable.example.com/v1","cronSpec":"...\n',
    )
    const json = JSON.parse(await kubectl('get', 'crontab', 'new-cron-object', '-o', 'json'))
    assert.equal(json.image, 'my-awesome-cron-image')
  })

  test('deleting a definition deletes its objects', async () => {
    await kubectl('delete', 'crd', 'shirts.stable.example.com', '--timeout=20s')
    await assert.rejects(kubectl('get', 'shirts'), /could not find the requested resource|doesn't have a resource type "shirts"/)
    await create(SHIRTS)
    assert.equal(await kubectl('get', 'shirts', '-o', 'name'), '')
  })
})

const SHIRTS = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: shirts.stable.example.com
spec:
  group: stable.example.com
  scope: Namespaced
  names: {plural: shirts, singular: shirt, kind: Shirt}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              color: {type: string}
              size: {type: string}
    selectableFields:
    - jsonPath: .spec.color
    - jsonPath: .spec.size
    additionalPrinterColumns:
    - {jsonPath: .spec.color, name: Color, type: string}
    - {jsonPath: .spec.size, name: Size, type: string}
`

const shirt = (name: string, color: string, size: string) => `apiVersion: stable.example.com/v1
kind: Shirt
metadata: {name: ${name}}
spec: {color: ${color}, size: ${size}}
`

const CRON_TAB = `apiVersion: extensions/v1beta1
kind: ThirdPartyResource
metadata:
  name: cron-tab.stable.example.com
description: A pod that runs on schedule
versions:
- name: v1
`

const CRON_OBJECT = `apiVersion: stable.example.com/v1
kind: CronTab
metadata:
  name: new-cron-object
cronSpec: "* * * * /5"
image: my-awesome-cron-image
`
