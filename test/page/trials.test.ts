/**
 * The view of trials in headless Chromium: reports of `test-operator` and of a search, as files that are opened, and as `--html` writes
 * them.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { customResourceDefinition } from '../../src/testing/builders.ts'
import { type SearchReport, searchOperator } from '../../src/testing/operator-search/search-operator.ts'
import { type OperatorTrialReport, testOperator } from '../../src/testing/operator-trial/test-operator.ts'
import { operatorTrialHtml } from '../../src/testing/operator-trial-html.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { database, databases } from '../operators/operator-search/stand-in.ts'
import { crashBetweenSecrets } from '../operators/operator-search/stand-ins/crash-between-secrets.ts'
import { axeFindings, builtPage, openBrowser, screenshot, shows, skipWithoutBrowser, type Tab, type TestBrowser } from './browser.ts'

const skip = skipWithoutBrowser()
const folder = mkdtempSync(path.join(os.tmpdir(), 'page-trials-'))
const gadgets = path.join(import.meta.dirname, '..', 'operators', 'operator-trial', 'gadgets.ts')

let cluster: Cluster
let browser: TestBrowser
let link = ''
let trial: OperatorTrialReport
let search: SearchReport

before(async () => {
  if (skip !== false) return
  await builtPage()
  cluster = await startCluster({ nodes: 0 })
  link = await cluster.page()
  browser = await openBrowser()
  trial = await testOperator({
    command: [process.execPath, '--disable-warning=ExperimentalWarning', gadgets],
    env: { FAULT: 'deaf' },
    install: [customResourceDefinition({ group: 'example.com', kind: 'Gadget' })],
    samples: [{ apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'g' }, spec: { size: 1 } }],
    only: /comes back|SIGTERM/,
    quietMs: 400,
    patienceMs: 5_000,
  })
  search = await searchOperator({
    operator: crashBetweenSecrets(false),
    install: [databases({ size: { type: 'integer' } })],
    samples: [database({ size: 1 })],
  })
})
after(async () => {
  await browser?.[Symbol.asyncDispose]()
  await cluster?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

function fileOf(name: string, text: string): string {
  const file = path.join(folder, name)
  writeFileSync(file, text)
  return file
}

const choose = ({ page }: Tab, file: string) => page.setInputFiles('input[type=file]', file)
const openAll = ({ page }: Tab) => page.evaluate(`document.querySelectorAll('details').forEach((each) => { each.open = true })`)

for (const colorScheme of ['light', 'dark'] as const) {
  test(`a report of a trial is opened: rules, lanes, requests (${colorScheme})`, { skip }, async () => {
    await using tab = await browser.tab({ colorScheme })
    await tab.page.goto(link)
    await shows(tab, 'live')
    await tab.page.keyboard.press('T')
    await shows(tab, 'or drop it here')
    await choose(tab, fileOf('trial.json', JSON.stringify(trial)))
    await shows(tab, 'what is deleted by hand comes back')
    await shows(tab, 'kind: ClusterRole')
    await openAll(tab)
    await shows(tab, 'create  /api/v1/namespaces/default/configmaps → 201')
    await screenshot(tab.page, `trial-${colorScheme}`)
    assert.deepEqual(await axeFindings(tab.page), [])
    assert.deepEqual(tab.faults, [])
  })

  test(`a report of a search is opened: what went wrong, and by which fault (${colorScheme})`, { skip }, async () => {
    await using tab = await browser.tab({ colorScheme, width: 400 })
    await tab.page.goto(link)
    await shows(tab, 'live')
    await tab.page.goto(new URL('/trials', link).href)
    await choose(tab, fileOf('search.json', JSON.stringify(search)))
    await shows(tab, '1 fault found')
    await openAll(tab)
    await screenshot(tab.page, `search-${colorScheme}`)
    assert.deepEqual(await axeFindings(tab.page), [])
    assert.deepEqual(tab.faults, [])
  })

  test(`the files of --html show the same, without a script (${colorScheme})`, { skip }, async () => {
    await using tab = await browser.tab({ colorScheme })
    for (const [name, report, shown] of [
      ['trial', trial, 'what is deleted by hand comes back'],
      ['search', search, '1 fault found'],
    ] as const) {
      await tab.page.goto(pathToFileURL(fileOf(`${name}.html`, operatorTrialHtml(report))).href)
      await shows(tab, shown)
      await openAll(tab)
      await screenshot(tab.page, `${name}-file-${colorScheme}`)
      assert.deepEqual(await axeFindings(tab.page), [])
    }
    assert.deepEqual(tab.faults, [])
  })
}

for (const [name, text, says] of [
  ['no JSON', '{"grade": ', 'other.json:'],
  ['another file', '{"kind":"List"}', 'it has neither a grade nor findings'],
  ['a grade that is a script', '{"grade":"<img src=x onerror=alert(1)>"}', 'command is not a text'],
] as const)
  test(`what is no report is refused with its place: ${name}`, { skip }, async () => {
    await using tab = await browser.tab()
    await tab.page.goto(link)
    await shows(tab, 'live')
    await tab.page.goto(new URL('/trials', link).href)
    await choose(tab, fileOf('other.json', text))
    await shows(tab, says)
    assert.deepEqual(tab.faults, [])
  })
