/**
 * The page while 10,000 objects change 10,000 times a second: CPU of the browser's main thread and of the page's server, how old a picture
 * is, and whether the last state of each object is shown. The changes are made here, not by an API server, which writes fewer.
 */
import { systemClock } from '../src/base/clock.ts'
import type { KubeObject } from '../src/machinery/object.ts'
import { openPage } from '../src/page/server/open-page.ts'
import type { Client, Target, WatchEvent } from '../src/sdk/client/client.ts'
import { waitFor } from '../src/testing/wait-for.ts'
import type { BrowserPage, Tab } from '../test/page/browser.ts'
import { shows } from '../test/page/browser.ts'
import { askRows } from '../test/page/page-socket.ts'
import { percentile } from './api.ts'
import type { Result } from './measures.ts'
import { ms, row } from './page-rows.ts'

const PODS = 10_000
const PER_SECOND = 10_000
const BATCH_MS = 10
/** The pod in view that tells when it was changed. */
const WATCHED = 3

/** A client whose pods change, as fast as it is asked to. */
class ChangingPods {
  readonly #states = Array.from({ length: PODS }, (_, i) => String(i))
  readonly #base: Client
  #emit: ((events: readonly WatchEvent[]) => void) | undefined
  #made = 0

  constructor(base: Client) {
    this.#base = base
  }

  readonly client = (): Client => ({
    ...this.#base,
    list: (async (target: Target, options: { continue?: string; limit?: number } = {}) => {
      if (!isPods(target)) return this.#base.list(target, options)
      const from = Number(options.continue ?? 0)
      const to = Math.min(PODS, from + (options.limit ?? PODS))
      const items = Array.from({ length: to - from }, (_, j) => this.#pod(from + j))
      return { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '1', continue: to < PODS ? String(to) : '' }, items }
    }) as Client['list'],
    watch: (target, options) => (isPods(target) ? this.#events(options?.signal) : this.#base.watch(target, options)) as never,
  })

  get states(): readonly string[] {
    return this.#states
  }

  /** Changes so many pods. */
  change(count: number): void {
    const events: WatchEvent[] = []
    for (let n = 0; n < count; n++) {
      const i = this.#made++ % PODS
      this.#states[i] = i === WATCHED ? `t${Date.now()}` : `s${this.#made}`
      events.push({ type: 'MODIFIED', object: this.#pod(i) })
    }
    this.#states[WATCHED] = `t${Date.now()}`
    events.push({ type: 'MODIFIED', object: this.#pod(WATCHED) })
    this.#emit?.(events)
  }

  #pod(i: number): KubeObject {
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: nameOf(i), namespace: 'default', uid: `uid-${i}`, resourceVersion: String(this.#made), creationTimestamp: NOW },
      spec: { containers: [{ name: 'c', image: 'i' }] },
      status: { reason: this.#states[i] },
    }
  }

  async *#events(signal: AbortSignal | undefined): AsyncGenerator<readonly WatchEvent[]> {
    let pending: WatchEvent[] = []
    let wake = () => {}
    this.#emit = (events) => {
      pending.push(...events)
      wake()
    }
    signal?.addEventListener('abort', () => wake(), { once: true })
    while (signal?.aborted !== true) {
      if (pending.length === 0)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      const events = pending
      pending = []
      if (events.length > 0) yield events
    }
  }
}

const NOW = new Date().toISOString()
const isPods = ({ group, resource, name }: Target) => group === '' && resource === 'pods' && name === undefined
const nameOf = (i: number) => `p-${String(i).padStart(5, '0')}`

/** Milliseconds of CPU that the page's main thread has spent. */
async function threadMs(session: { send(method: string, parameters: object): Promise<unknown> }): Promise<number> {
  const { metrics } = (await session.send('Performance.getMetrics', {})) as { metrics: { name: string; value: number }[] }
  return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0)
}

async function cpuSession(page: BrowserPage) {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  return session
}

/** Notes in the page how old each new picture of the watched pod is. */
const WATCH_LAGS = `(() => { window.lags = []; let last = ''; const look = () => {
  const text = /t(\\d{13})/.exec(document.querySelector('.virtual-lines')?.innerText ?? '')?.[1] ?? '';
  if (text !== last) { last = text; window.lags.push(Date.now() - Number(text)) } requestAnimationFrame(look) }; look() })()`

/** Measures for so long. */
export async function liveMeasures(base: Client, tab: Tab, seconds: number): Promise<Result[]> {
  const pods = new ChangingPods(base)
  await using page = await openPage(0, { client: pods.client(), clock: systemClock, clusterName: 'bench', serverAddress: '' })
  await tab.page.goto(page.link)
  await shows(tab, 'live')
  await tab.page.goto(new URL('/k/core/v1/pods', page.link).href)
  await shows(tab, nameOf(WATCHED))
  await waitFor(() => tab.page.evaluate<boolean>(`document.querySelector('.count').innerText.trim() === '${PODS}'`))
  const generator = await generatorShare(pods)
  const session = await cpuSession(tab.page)
  await tab.page.evaluate(WATCH_LAGS)
  const [browserMs, own, from] = [await threadMs(session), process.cpuUsage(), performance.now()]
  await changeFor(pods, seconds)
  const spentMs = performance.now() - from
  const used = process.cpuUsage(own)
  const busyMs = (await threadMs(session)) - browserMs
  const lags = await tab.page.evaluate<number[]>('window.lags')
  const serverShare = (used.user + used.system) / 1000 / spentMs - generator
  const share = (part: number) => `${(100 * part).toFixed(1)} %`
  return [
    row(`page: 10,000 changes a second for ${seconds} s, the browser's main thread, of a core`, share(busyMs / spentMs), '≤ 20 %'),
    row("… the page's server, of a core", share(serverShare), '≤ 15 %'),
    row('… change to picture, p50, p99', `${ms(percentile(lags, 0.5))}, ${ms(percentile(lags, 0.99))}`, '≤ 40, ≤ 120 ms'),
    row('… last states that are not shown', String(await missingStates(pods, new URL(page.link))), '0'),
  ]
}

async function changeFor(pods: ChangingPods, seconds: number): Promise<void> {
  const endMs = performance.now() + 1000 * seconds
  let madeMs = performance.now()
  while (performance.now() < endMs) {
    await systemClock.sleep(BATCH_MS)
    const nowMs = performance.now()
    pods.change(Math.round(((nowMs - madeMs) * PER_SECOND) / 1000))
    madeMs = nowMs
  }
}

/** What making the changes costs alone, of a core. */
async function generatorShare(base: ChangingPods): Promise<number> {
  const alone = new ChangingPods(base.client())
  const [own, from] = [process.cpuUsage(), performance.now()]
  await changeFor(alone, 2)
  const used = process.cpuUsage(own)
  return (used.user + used.system) / 1000 / (performance.now() - from)
}

/** Rows whose last state a second browser does not get. */
async function missingStates(pods: ChangingPods, link: URL): Promise<number> {
  let missing = 0
  for (let from = 0; from < PODS; from += 500) {
    using asked = askRows(link, { from, count: 500 })
    const page = await waitFor(() => (asked.page()?.loading === false ? asked.page() : undefined))
    for (const [, , name, , cells] of page.rows) if (!cells.includes(pods.states[Number(name.slice(2))] ?? '')) missing++
  }
  return missing
}
