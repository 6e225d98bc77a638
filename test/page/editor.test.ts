/** The editor of the page in headless Chromium: what is typed is checked by dry runs, merged, stored once, and never lost. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { openPage } from '../../src/page/server/open-page.ts'
import * as refs from '../../src/resources/refs.ts'
import type { Client } from '../../src/sdk/client/client.ts'
import { configMap, customResourceDefinition, deployment } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import {
  axeFindings,
  builtPage,
  CONTENT,
  openBrowser,
  replace,
  screenshot,
  shows,
  skipWithoutBrowser,
  type Tab,
  type TestBrowser,
  until,
} from './browser.ts'

const skip = skipWithoutBrowser()
const MAPS = { ...refs.CONFIG_MAPS, namespace: 'default' }

let cluster: Cluster
let browser: TestBrowser
let link = ''

before(async () => {
  if (skip !== false) return
  await builtPage()
  cluster = await startCluster({ nodes: 1, trails: true })
  link = await cluster.page()
  browser = await openBrowser()
})
after(async () => {
  await browser?.[Symbol.asyncDispose]()
  await cluster?.[Symbol.asyncDispose]()
})

const editorShows = ({ page }: Tab, text: string) => until(page, `${CONTENT}?.innerText.includes(${JSON.stringify(text)})`)

/** Opens the editor of an object by its key. */
async function openEditor(tab: Tab, path: string, at = link): Promise<void> {
  await tab.page.goto(at)
  await shows(tab, 'live')
  await tab.page.goto(new URL(path, at).href)
  await until(tab.page, "document.querySelector('.yaml-line') !== null")
  await tab.page.keyboard.press('e')
  await editorShows(tab, 'metadata')
}

const dataOf = async (name: string) => (await cluster.client().get({ ...MAPS, name })).data

for (const colorScheme of ['light', 'dark'] as const)
  test(`faults are shown at their lines, then what would be stored, and it is stored (${colorScheme})`, { skip }, async () => {
    const name = `web-${colorScheme}`
    const client = cluster.client()
    const target = { ...refs.DEPLOYMENTS, namespace: 'default' }
    await client.create(target, deployment(name, { replicas: 1 }))
    await using tab = await browser.tab({ colorScheme })
    await openEditor(tab, `/o/apps/v1/deployments/default/${name}`)
    await replace(tab, 'replicas: 1', 'replicas: -1')
    await editorShows(tab, 'must be greater than or equal to 0')
    await shows(tab, 'it would be refused')
    await screenshot(tab.page, `edit-fault-${colorScheme}`)
    assert.deepEqual(await axeFindings(tab.page), [])
    await replace(tab, 'replicas: -1', 'colour: red')
    await editorShows(tab, 'unknown field')
    await replace(tab, 'colour: red', 'replicas: 2')
    await shows(tab, 'Checked: it can be stored.')
    await shows(tab, '+  replicas: 2')
    await screenshot(tab.page, `edit-${colorScheme}`)
    assert.deepEqual(await axeFindings(tab.page), [])
    await tab.page.keyboard.press('Control+s')
    await shows(tab, 'Stored.')
    const stored = await client.get({ ...target, name })
    assert.equal(stored.spec.replicas, 2)
    assert.ok(stored.metadata.managedFields?.some(({ manager }) => manager === 'bowsprit-page'))
    assert.deepEqual(tab.faults, [])
  })

const REPLACED: readonly (readonly [how: string, act: (tab: Tab) => Promise<unknown>])[] = [
  ['by a letter', ({ page }) => page.keyboard.type('x')],
  ['by a new line', ({ page }) => page.keyboard.press('Enter')],
  ['by nothing', ({ page }) => page.keyboard.press('Delete')],
  [
    'by an input method',
    async ({ page }) => {
      const session = await page.context().newCDPSession(page)
      await session.send('Input.imeSetComposition', { text: 'ni', selectionStart: 2, selectionEnd: 2 })
      await session.send('Input.insertText', { text: '你' })
    },
  ],
]
for (const [how, act] of REPLACED)
  test(`several lines that are selected are replaced ${how}, and no policy is broken`, { skip }, async () => {
    const name = `replaced-${how.replaceAll(' ', '-')}`
    await cluster.client().create(MAPS, configMap(name, { first: '1', second: 'two', third: 'true' }))
    await using tab = await browser.tab()
    await openEditor(tab, `/o/core/v1/configmaps/default/${name}`)
    await tab.page.evaluate(`${CONTENT}.focus()`)
    // From the end of `data:` to the end of `second: two`, which begins with tokens of another look.
    for (const key of ['Control+Home', 'ArrowDown', 'End', 'Shift+ArrowDown', 'Shift+ArrowDown']) await tab.page.keyboard.press(key)
    await act(tab)
    await until(tab.page, `!${CONTENT}.innerText.includes('second')`)
    await tab.page.keyboard.press('Control+z')
    await editorShows(tab, 'second')
    assert.deepEqual(tab.faults, [])
  })

test('changes of others are merged; of the same field the user chooses, and sees who owns it', { skip }, async () => {
  const client = cluster.client()
  await client.create(MAPS, configMap('shared', { mine: 'a', theirs: 'a', both: 'a' }))
  await using tab = await browser.tab()
  await openEditor(tab, '/o/core/v1/configmaps/default/shared')
  await replace(tab, 'mine: a', 'mine: typed')
  await client.patch({ ...MAPS, name: 'shared' }, 'merge', { data: { theirs: 'changed' } }, { fieldManager: 'somebody' })
  await shows(tab, 'Others have changed the object since.')
  await shows(tab, 'Checked: it can be stored.')
  await replace(tab, 'both: a', 'both: typed')
  await client.patch({ ...MAPS, name: 'shared' }, 'merge', { data: { both: 'changed' } }, { fieldManager: 'somebody' })
  await shows(tab, '1 to decide')
  await shows(tab, 'somebody (Update): "changed"')
  await screenshot(tab.page, 'edit-conflict')
  assert.deepEqual(await axeFindings(tab.page), [])
  await tab.page.evaluate("document.querySelectorAll('.conflict input')[1].click()")
  await shows(tab, 'Checked: it can be stored.')
  await tab.page.keyboard.press('Control+s')
  await shows(tab, 'Stored.')
  assert.deepEqual(await dataOf('shared'), { mine: 'typed', theirs: 'changed', both: 'changed' })
  assert.deepEqual(tab.faults, [])
})

test('typed text is kept when the object, or its kind, is deleted, and wherever the user goes', { skip }, async () => {
  const client = cluster.client()
  const gadgets = { group: 'example.com', version: 'v1', resource: 'gadgets', namespace: 'default' }
  await client.create(refs.CUSTOM_RESOURCE_DEFINITIONS, customResourceDefinition({ group: 'example.com', kind: 'Gadget' }))
  const gadget = { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'g', labels: { tone: 'calm' } } }
  await waitFor(() =>
    client.create(gadgets, gadget).then(
      () => true,
      () => false,
    ),
  )
  await using tab = await browser.tab()
  await openEditor(tab, '/o/example.com/v1/gadgets/default/g')
  await replace(tab, 'tone: calm', 'tone: wild')
  await shows(tab, 'Checked: it can be stored.')
  await tab.page.evaluate('document.activeElement.blur()')
  await tab.page.keyboard.press('y')
  await until(tab.page, "document.querySelector('.yaml-line') !== null")
  await tab.page.keyboard.press('e')
  await editorShows(tab, 'tone: wild')
  await client.delete({ ...refs.CUSTOM_RESOURCE_DEFINITIONS, name: 'gadgets.example.com' })
  await shows(tab, 'What you typed is kept here')
  await editorShows(tab, 'tone: wild')
  assert.deepEqual(tab.faults, [])
})

test('a write whose answer is lost is told as not known, and is never sent again; the text is kept', { skip }, async () => {
  const client = cluster.client()
  await client.create(MAPS, configMap('slow', { mood: 'calm' }))
  let writes = 0
  const hanging: Client = {
    ...client,
    update: (target, object, options) => {
      if (options?.dryRun === true) return client.update(target, object, options)
      writes++
      return new Promise(() => {})
    },
  }
  const deps = {
    client: hanging,
    clock: systemClock,
    clusterName: 'slow',
    serverAddress: '',
    randomBytes: (n: number) => new Uint8Array(n),
  }
  const first = await openPage(0, deps)
  await using tab = await browser.tab()
  await openEditor(tab, '/o/core/v1/configmaps/default/slow', first.link)
  await replace(tab, 'mood: calm', 'mood: wild')
  await shows(tab, 'Checked: it can be stored.')
  await tab.page.keyboard.press('Control+s')
  await shows(tab, 'Storing')
  await first[Symbol.asyncDispose]()
  await shows(tab, 'It is not known whether this was stored')
  await using _ = await openPage(Number(new URL(first.link).port), deps)
  await shows(tab, '● live')
  await shows(tab, 'Checked: it can be stored.')
  await editorShows(tab, 'mood: wild')
  assert.equal(writes, 1)
  assert.deepEqual(await dataOf('slow'), { mood: 'calm' })
})

test('a page that is read-only has no editor', { skip }, async () => {
  const deps = { client: cluster.client(), clock: systemClock, clusterName: 'read', serverAddress: '', readOnly: true }
  await using page = await openPage(0, deps)
  await cluster.client().create(MAPS, configMap('read', { mood: 'calm' }))
  await using tab = await browser.tab()
  await tab.page.goto(page.link)
  await shows(tab, 'live')
  await tab.page.goto(new URL('/o/core/v1/configmaps/default/read/edit', page.link).href)
  await shows(tab, 'This page is read-only.')
  await until(tab.page, "!document.querySelector('.tabs').innerText.includes('Edit')")
})
