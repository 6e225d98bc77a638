/** The page: its size, and what it costs a browser and a cluster to look at 10,000 pods, at changes, and to find. */
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { systemClock } from '../src/base/clock.ts'
import { messageOf } from '../src/base/message-of.ts'
import type { Cluster } from '../src/cluster/cluster.ts'
import { startCluster } from '../src/cluster/start-cluster.ts'
import * as refs from '../src/resources/refs.ts'
import { configMap, pod } from '../src/testing/builders.ts'
import { openBrowser, shows, type Tab, type TestBrowser, until } from '../test/page/browser.ts'
import { percentile } from './api.ts'
import { startProcess, stopProcess } from './cluster-measures.ts'
import type { Result } from './measures.ts'
import { factMeasures, forkMeasures } from './page-facts.ts'
import { liveMeasures } from './page-live.ts'
import { ms, row } from './page-rows.ts'
import { sizeMeasures } from './page-size.ts'

const PODS = 10_000
const OBJECTS = 50_000
const AT_ONCE = 250
const CHANGING_MS = 20_000
const STARTS = 9
/** On a busy machine there are fewer starts: a started cluster takes seconds there. */
const STARTING_MS = 60_000
const PART_MS = 120_000
const LIVE_SECONDS = 60
const FILTERED = 7
const LONGEST_MS = 20_000

export async function pageMeasures(): Promise<Result[]> {
  await using cluster = await startCluster({ ephemeral: true, nodes: 0, parts: ['server'] }, { quiet: true })
  // Without controllers the service account of pods is missing.
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } } as const
  await cluster.client().create({ ...refs.SERVICE_ACCOUNTS, namespace: 'default' }, account)
  await fill(PODS, (i) => cluster.client().create({ ...refs.PODS, namespace: 'default' }, pod(`p-${String(i).padStart(5, '0')}`)))
  const link = await cluster.page()
  await using browser = await openBrowser()
  await using tab = await browser.tab()
  await tab.page.goto(link)
  await shows(tab, 'live')
  return [
    ...(await bounded('size', sizeMeasures)),
    ...(await bounded('start', starts)),
    ...(await bounded('list', () => list(tab, link))),
    ...(await bounded('changes', () => changes(cluster, tab))),
    ...(await bounded('find', () => find(cluster, tab))),
    ...(await bounded('live', () => live(cluster, browser))),
    ...(await bounded('facts', factMeasures)),
    ...(await bounded('fork', forkMeasures)),
  ]
}

/** A part that fails, or takes too long, does not take the others with it. */
async function bounded(part: string, measure: () => Promise<Result[]>): Promise<Result[]> {
  const over = new AbortController()
  const late = systemClock.sleep(PART_MS, over.signal).then(() => [row(`page: ${part}`, `not done within ${PART_MS / 1000} s`, '–')])
  try {
    return await Promise.race([measure(), late])
  } catch (error) {
    return [row(`page: ${part}`, messageOf(error), '–')]
  } finally {
    over.abort()
    late.catch(() => {})
  }
}

async function fill(count: number, create: (i: number) => Promise<unknown>): Promise<void> {
  for (let i = 0; i < count; i += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, (_, j) => create(i + j)))
}

/** With the page and without, in turns: the machine is never quite the same. */
async function starts(): Promise<Result[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-page-'))
  const took: Record<'page' | 'none', number[]> = { page: [], none: [] }
  const endMs = performance.now() + STARTING_MS
  for (let i = 0; i < STARTS && performance.now() < endMs; i++)
    for (const which of ['page', 'none'] as const) {
      const started = await startProcess(path.join(folder, `${which}-${i}`), ...(which === 'none' ? ['--no-page'] : []))
      took[which].push(started.ms)
      await stopProcess(started)
    }
  rmSync(folder, { recursive: true })
  const [withPage, without] = [percentile(took.page, 0.5), percentile(took.none, 0.5)]
  return [row('page: start of `bowsprit up` with it, and with --no-page', `${withPage.toFixed(1)}, ${without.toFixed(1)} ms`, '+ ≤ 2 ms')]
}

/** Time until an expression is true, checked in each frame of the browser, from `begin` on; NaN: it did not become true in time. */
const timed = (tab: Tab, begin: string, expression: string) =>
  tab.page.evaluate<number>(`new Promise((done) => { const from = performance.now(); ${begin};
    const look = () => (${expression}) ? done(performance.now() - from) : requestAnimationFrame(look); requestAnimationFrame(look);
    setTimeout(() => done(NaN), ${LONGEST_MS}) })`)

const ROWS = "document.querySelectorAll('[role=row]').length > 10"

async function list(tab: Tab, link: string): Promise<Result[]> {
  const from = performance.now()
  await tab.page.goto(new URL('/k/core/v1/pods', link).href)
  await until(tab.page, ROWS)
  const firstMs = performance.now() - from
  await until(tab.page, `document.querySelector('.count').innerText.trim() === '${PODS}'`)
  const allMs = performance.now() - from
  const typed = (text: string) =>
    `const f = document.querySelector('main input[type=search]'); f.value = '${text}'; f.dispatchEvent(new Event('input', { bubbles: true }))`
  const filterMs: number[] = []
  for (let i = 1; i <= FILTERED; i++) {
    filterMs.push(await timed(tab, typed(`p-0999${i}`), "document.querySelector('.count').innerText.startsWith('1 of')"))
    await timed(tab, typed(''), `document.querySelector('.count').innerText.trim() === '${PODS}'`)
  }
  const heap = await tab.page.evaluate<number>('performance.memory.usedJSHeapSize')
  return [
    row(`page: from the address to the first of ${PODS} pods`, ms(firstMs), '≤ 200 ms'),
    row('… all of them are there', ms(allMs), '≤ 450 ms (packed: 900)'),
    row(`… filter, from the key to the picture, p50 of ${FILTERED}`, ms(percentile(filterMs, 0.5)), '≤ 30 ms'),
    row('… heap of the browser', `${(heap / 1e6).toFixed(1)} MB`, '≤ 12 MB'),
  ]
}

/**
 * As many changes a second as this process makes; a pod in view tells when it was changed, and each frame of the browser how old that is.
 */
async function changes(cluster: Cluster, tab: Tab): Promise<Result[]> {
  const client = cluster.client()
  const target = (i: number) => ({ ...refs.PODS, namespace: 'default', name: `p-${String(i).padStart(5, '0')}`, subresource: 'status' })
  await tab.page.evaluate(`(() => { window.lags = []; let last = ''; const look = () => {
    const text = /t(\\d{13})/.exec(document.querySelector('.virtual-lines').innerText)?.[1] ?? '';
    if (text !== last) { last = text; window.lags.push(Date.now() - Number(text)) } requestAnimationFrame(look) }; look() })()`)
  const before = process.cpuUsage()
  const from = performance.now()
  let made = 0
  while (performance.now() - from < CHANGING_MS) {
    const batch = Array.from({ length: 50 }, (_, j) =>
      client.patch(target((made + j) % PODS), 'merge', { status: { message: String(made) } }),
    )
    await Promise.all([...batch, client.patch(target(3), 'merge', { status: { reason: `t${Date.now()}` } })])
    made += batch.length + 1
  }
  const spent = performance.now() - from
  const cpu = process.cpuUsage(before)
  const lags = await tab.page.evaluate<number[]>('window.lags')
  const last = `t${Date.now()}`
  await client.patch(target(3), 'merge', { status: { reason: last } })
  await shows(tab, last)
  const rate = Math.round((1000 * made) / spent)
  return [
    row(
      `page: ${rate.toLocaleString('en')} changes a second for ${CHANGING_MS / 1000} s, change to picture, p50, p99`,
      `${ms(percentile(lags, 0.5))}, ${ms(percentile(lags, 0.99))}`,
      '≤ 40, ≤ 120 ms (at 10,000/s)',
    ),
    row('… CPU of writing and watching, of a core', `${Math.round((cpu.user + cpu.system) / 10 / spent)} %`, '–'),
  ]
}

async function find(cluster: Cluster, tab: Tab): Promise<Result[]> {
  await fill(OBJECTS - PODS, (i) => cluster.client().create({ ...refs.CONFIG_MAPS, namespace: 'default' }, configMap(`m-${i}`, { a: 'b' })))
  await tab.page.keyboard.press('/')
  await tab.page.keyboard.type('m-1')
  await shows(tab, 'default/m-1')
  await until(tab.page, "!document.querySelector('.find').innerText.includes('Reading')")
  const typed =
    "const f = document.querySelector('.find input'); f.value = 'm-39999'; f.dispatchEvent(new Event('input', { bubbles: true }))"
  const tookMs = await timed(tab, typed, "document.querySelector('#hits').innerText.includes('m-39999')")
  return [row(`page: find in ${OBJECTS.toLocaleString('en')} objects, from the key to the picture`, ms(tookMs), '≤ 50 ms')]
}

/** In a tab of its own: the page of another link. */
async function live(cluster: Cluster, browser: TestBrowser): Promise<Result[]> {
  await using tab = await browser.tab()
  return await liveMeasures(cluster.client(), tab, LIVE_SECONDS)
}
