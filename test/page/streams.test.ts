/** Logs and terminals of pods in headless Chromium: containers, what goes on, hostile output, Ctrl+C, attach. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { PODS } from '../../src/resources/refs.ts'
import type { Pod } from '../../src/resources/types/core.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import {
  axeFindings,
  builtPage,
  click,
  openBrowser,
  screenshot,
  shows,
  skipWithoutBrowser,
  type Tab,
  type TestBrowser,
  until,
} from './browser.ts'

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

const reader: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'reader', namespace: 'default' },
  spec: {
    containers: [
      { name: 'main', image: 'busybox', stdin: true, tty: true, command: script('while read line; do echo "read: $line"; done') },
      { name: 'silent', image: 'busybox', command: script('while true; do echo tick; sleep 1; done') },
    ],
  },
}

/** The text on the terminal. */
const SCREEN = "document.querySelector('iframe')?.contentDocument?.querySelector('.xterm-rows')?.innerText ?? ''"

const screenShows = ({ page }: Tab, text: string) => until(page, `(${SCREEN}).replaceAll('\u00a0', ' ').includes(${JSON.stringify(text)})`)

async function typeLine({ page }: Tab, line: string): Promise<void> {
  await page.keyboard.type(line)
  await page.keyboard.press('Enter')
}

/** Chooses a container. */
const choose = ({ page }: Tab, name: string) =>
  page.evaluate(
    `(() => { const s = document.querySelector('select'); s.value = '${name}'; s.dispatchEvent(new Event('change', { bubbles: true })) })()`,
  )

let cluster: Cluster
let browser: TestBrowser
let link = ''

before(async () => {
  if (skip !== false) return
  await builtPage()
  cluster = await startCluster({ nodes: 1 })
  const client = cluster.client()
  for (const [name, pod] of Object.entries({ talker, reader })) {
    await waitFor(() => client.create({ ...PODS, namespace: 'default' }, pod).catch(() => undefined))
    await waitFor(async () => (await client.get({ ...PODS, namespace: 'default', name })).status?.phase === 'Running')
  }
  link = await cluster.page()
  browser = await openBrowser()
})
after(async () => {
  await browser?.[Symbol.asyncDispose]()
  await cluster?.[Symbol.asyncDispose]()
})

/** A tab that shows a pod. */
async function openPod(name: string): Promise<Tab> {
  const tab = await browser.tab()
  await tab.page.goto(link)
  await shows(tab, 'live')
  await tab.page.goto(new URL(`/o/core/v1/pods/default/${name}`, link).href)
  await until(tab.page, "document.querySelector('.yaml-line') !== null")
  return tab
}

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
    await choose(tab, 'other')
    await shows(tab, 'from the other one')
    await tab.page.keyboard.press('s')
    await click(tab, 'Run sh in talker')
    await screenShows(tab, '#')
    await typeLine(tab, 'echo six times seven is $((6 * 7))')
    await screenShows(tab, 'six times seven is 42')
    await screenshot(tab.page, `shell-${colorScheme}`)
    assert.deepEqual(await axeFindings(tab.page), [])
    await typeLine(tab, 'exit 3')
    await shows(tab, 'It has ended with 3.')
    await click(tab, 'Again')
    await shows(tab, 'Shift+Escape')
    assert.deepEqual(tab.faults, [])
  })

test('a terminal has a size, Ctrl+C reaches the program, and Shift+Escape leaves it', { skip }, async () => {
  await using tab = await openPod('talker')
  await tab.page.keyboard.press('s')
  await click(tab, 'Run sh in talker')
  await screenShows(tab, '#')
  await typeLine(tab, 'sleep 1000')
  await tab.page.keyboard.press('Control+c')
  await typeLine(tab, 'echo ended with $?, at $(stty size)')
  await screenShows(tab, 'ended with 130, at')
  const [, width] = /at \d+ (\d+)/.exec(await tab.page.evaluate<string>(SCREEN)) ?? []
  assert.ok(Number(width) > 80, `a window of ${width} columns`)
  await tab.page.keyboard.press('Shift+Escape')
  assert.equal(await tab.page.evaluate('document.activeElement.className'), 'stream-bar')
  assert.deepEqual(tab.faults, [])
})

test('colours and styles of programs break no policy', { skip }, async () => {
  await using tab = await openPod('talker')
  await tab.page.keyboard.press('s')
  await click(tab, 'Run sh in talker')
  await screenShows(tab, '#')
  await typeLine(
    tab,
    String.raw`printf '\033[38;2;255;100;0mgl\033[0m\033[4:3mow\033[0m \033]8;;javascript:alert(1)\007link\033]8;;\007 \033]0;title\007\n'`,
  )
  await screenShows(tab, 'glow link')
  assert.deepEqual(tab.faults, [])
})

test('attach joins the process of the container; one without stdin takes no input', { skip }, async () => {
  await using tab = await openPod('reader')
  await tab.page.keyboard.press('a')
  await click(tab, 'Attach to reader')
  await shows(tab, 'Shift+Escape')
  await until(tab.page, `document.querySelector('[role=status]').innerText === ''`)
  await typeLine(tab, 'a word')
  await screenShows(tab, 'read: a word')
  await choose(tab, 'silent')
  await shows(tab, 'It takes no input')
  await screenShows(tab, 'tick')
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
