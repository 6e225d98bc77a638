/** The workbench of a custom kind in headless Chromium: what each step of the server makes of an object, as it is typed. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Cluster } from '../../src/cluster/cluster.ts'
import type { KubeObject } from '../../src/machinery/object.ts'
import * as refs from '../../src/resources/refs.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import {
  axeFindings,
  builtPage,
  CONTENT,
  click,
  openBrowser,
  replace,
  screenshot,
  shows,
  skipWithoutBrowser,
  type TestBrowser,
  until,
} from './browser.ts'

const skip = skipWithoutBrowser()
const CRONS = { group: 'example.com', version: 'v1', resource: 'crons' }

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'crons.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'crons', kind: 'Cron' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: { schedule: { type: 'string' }, replicas: { type: 'integer', default: 3 } },
                'x-kubernetes-validations': [{ rule: 'self.replicas < 10', message: 'too many replicas' }],
              },
            },
          },
        },
      },
    ],
  },
}

let cluster: Cluster
let browser: TestBrowser
let link = ''

before(async () => {
  if (skip !== false) return
  await builtPage()
  cluster = await startCluster({ nodes: 0 })
  const client = cluster.client()
  await client.create(refs.CUSTOM_RESOURCE_DEFINITIONS as never, definition as unknown as KubeObject)
  await waitFor(() => client.list(CRONS).catch(() => undefined))
  const stored = { apiVersion: 'example.com/v1', kind: 'Cron', metadata: { name: 'stored' }, spec: { schedule: 'weekly' } } as KubeObject
  await client.create({ ...CRONS, namespace: 'default' }, stored)
  link = await cluster.page()
  browser = await openBrowser()
})
after(async () => {
  await browser?.[Symbol.asyncDispose]()
  await cluster?.[Symbol.asyncDispose]()
})

for (const [colorScheme, width] of [
  ['light', 1280],
  ['dark', 400],
] as const)
  test(`an object goes through the steps as it is typed, and is not stored (${colorScheme}, ${width})`, { skip }, async () => {
    await using tab = await browser.tab({ colorScheme, width })
    await tab.page.goto(link)
    await shows(tab, 'live')
    await tab.page.goto(new URL('/o/apiextensions.k8s.io/v1/customresourcedefinitions/-/crons.example.com/bench', link).href)
    await shows(tab, 'spec.replicas = 3')
    await until(tab.page, `${CONTENT}?.innerText.includes('example')`)
    await replace(tab, '{}', '{schedule: daily}')
    await shows(tab, 'the server would store it')
    await shows(tab, 'no field is dropped')
    await replace(tab, 'daily', 'daily, colour: red, replicas: 12')
    await shows(tab, 'spec.colour is not in the schema: it is dropped')
    await shows(tab, 'too many replicas')
    await screenshot(tab.page, `workbench-${colorScheme}`)
    assert.deepEqual(await axeFindings(tab.page), [])
    await click(tab, 'Schema')
    await until(tab.page, `${CONTENT}?.innerText.includes('replicas < 10')`)
    await shows(tab, '1 of 1 stored objects pass')
    await replace(tab, 'replicas < 10', 'replicas < 2')
    await shows(tab, '0 of 1 stored objects pass')
    await screenshot(tab.page, `workbench-schema-${colorScheme}`)
    assert.deepEqual(await axeFindings(tab.page), [])
    assert.equal((await cluster.client().list(CRONS)).items.length, 1)
    assert.deepEqual(tab.faults, [])
  })
