/** Logs and shells of pods in headless Chromium: containers, what goes on, hostile output, read-only pages. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { buildPage } from '../../scripts/build-page.mjs'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { PODS } from '../../src/resources/refs.ts'
import type { Pod } from '../../src/resources/types/core.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { axeFindings, click, openBrowser, screenshot, shows, skipWithoutBrowser, type TestBrowser } from './browser.ts'

const skip = skipWithoutBrowser()
const script = (text: string) => ['sh', '-c', text]

const talker: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'talker', namespace: 'default' },
  spec: {
    containers: [
      { name: 'main', image: 'busybox', command: script(`printf '\\033[31mhello\\033[0m <img src=x onerror=alert(1)>\\n'; sleep 100000`) },
      { name: 'other', image: 'busybox', command: script('echo from the other one; sleep 100000') },
    ],
  },
}

let cluster: Cluster
let browser: TestBrowser
let link = ''

before(async () => {
  if (skip !== false) return
  await buildPage()
  cluster = await startCluster({ nodes: 1 })
  const client = cluster.client()
  await waitFor(() => client.create({ ...PODS, namespace: 'default' }, talker).catch(() => undefined))
  await waitFor(async () => (await client.get({ ...PODS, namespace: 'default', name: 'talker' })).status?.phase === 'Running')
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
  test(`the log of each container, and a shell (${colorScheme}, ${width})`, { skip }, async () => {
    await using tab = await browser.tab({ colorScheme, width })
    await tab.page.goto(link)
    await shows(tab, 'live')
    await tab.page.goto(new URL('/o/core/v1/pods/default/talker/logs', link).href)
    await shows(tab, 'hello <img src=x onerror=alert(1)>')
    await screenshot(tab.page, `logs-${colorScheme}`)
    assert.deepEqual(await axeFindings(tab.page), [])
    await tab.page.evaluate(
      "(() => { const s = document.querySelector('select'); s.value = 'other'; s.dispatchEvent(new Event('change', { bubbles: true })) })()",
    )
    await shows(tab, 'from the other one')
    await tab.page.keyboard.press('s')
    await click(tab, 'Run sh in talker')
    await shows(tab, '$')
    await waitFor(() =>
      tab.page.evaluate<boolean>(
        "(() => { const i = document.querySelector('.shell-line input'); i?.focus(); return i !== null && !i.disabled })()",
      ),
    )
    await tab.page.keyboard.type('echo six times seven is $((6 * 7))')
    await tab.page.keyboard.press('Enter')
    await shows(tab, 'six times seven is 42')
    await screenshot(tab.page, `shell-${colorScheme}`)
    assert.deepEqual(await axeFindings(tab.page), [])
    await tab.page.keyboard.type('exit 3')
    await tab.page.keyboard.press('Enter')
    await shows(tab, 'it has ended with 3')
    assert.deepEqual(tab.faults, [])
  })

test('a log that cannot be read says why', { skip }, async () => {
  await using tab = await browser.tab()
  await tab.page.goto(link)
  await shows(tab, 'live')
  await tab.page.goto(new URL('/o/core/v1/pods/default/talker/logs', link).href)
  await shows(tab, 'hello')
  await tab.page.evaluate("document.querySelector('.stream-bar input[type=checkbox]').click()")
  await shows(tab, 'previous terminated container')
  assert.deepEqual(tab.faults, [])
})
