/**
 * The cluster as it was at a revision that the store still keeps: rows, objects, relations and the overview; without a browser and with
 * one.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Cluster } from '../../src/cluster/cluster.ts'
import { StatusError } from '../../src/machinery/status-error.ts'
import { pastClient } from '../../src/page/server/past/past-client.ts'
import * as refs from '../../src/resources/refs.ts'
import { configMap } from '../../src/testing/builders.ts'
import { startCluster } from '../../src/testing/start-cluster.ts'
import { waitFor } from '../../src/testing/wait-for.ts'
import { axeFindings, builtPage, click, openBrowser, screenshot, shows, skipWithoutBrowser, type TestBrowser, until } from './browser.ts'
import { askRows, latest, openSocket } from './page-socket.ts'

const skip = skipWithoutBrowser()
const MAPS = { ...refs.CONFIG_MAPS, namespace: 'default' }
const MOODS = { ...MAPS, name: 'moods' }

let cluster: Cluster
let link: URL
/** After `moods` was created, and after it was changed; then it is deleted. */
let [created, changed] = ['', '']

before(async () => {
  if (skip === false) await builtPage()
  cluster = await startCluster({ nodes: 0, trails: true })
  const client = cluster.client()
  created = revisionOf(await client.create(MAPS, configMap('moods', { today: 'calm' })))
  changed = revisionOf(await client.patch(MOODS, 'merge', { data: { today: 'wild' } }, { fieldManager: 'weather' }))
  await client.delete(MOODS)
  link = new URL(await cluster.page())
})
after(() => cluster[Symbol.asyncDispose]())

const revisionOf = ({ metadata }: { readonly metadata: { readonly resourceVersion?: string } }) => metadata.resourceVersion ?? ''

test('a list at a revision has what was there, and does not follow what comes', async () => {
  using asked = askRows(link, { resource: 'configmaps', namespace: 'default' }, created)
  await waitFor(() => asked.page()?.loading === false)
  assert.ok(asked.names().includes('moods'))
  await cluster.client().create(MAPS, configMap('later', {}))
  using present = askRows(link, { resource: 'configmaps', namespace: 'default' })
  await waitFor(() => present.names().includes('later'))
  assert.deepEqual([asked.names().includes('later'), present.names().includes('moods')], [false, false])
})

test('an object at a revision: its state, and the changes until then', async () => {
  const at = (revision: string) => openSocket(link, { type: 'object', id: 1, object: MOODS, at: revision })
  using first = at(created)
  using second = at(changed)
  const pageOf = (socket: typeof first) =>
    waitFor(() => {
      const page = latest(socket, 'object')?.page
      return page?.history?.length ? page : undefined
    })
  const texts = async (socket: typeof first) => (await pageOf(socket)).lines.map(([, text]) => text.trim())
  assert.ok((await texts(first)).includes('today: calm'))
  assert.ok((await texts(second)).includes('today: wild'))
  const changes = async (socket: typeof first) => (await pageOf(socket)).history?.map(({ revision, change }) => [revision, change])
  assert.deepEqual(await changes(first), [[created, 'created']])
  assert.deepEqual(await changes(second), [
    [changed, 'changed'],
    [created, 'created'],
  ])
})

test('relations, find and the overview at a revision', async () => {
  using socket = openSocket(
    link,
    { type: 'relations', id: 1, object: MOODS, at: changed },
    { type: 'find', id: 2, text: 'moods', at: changed },
    { type: 'overview', id: 3, at: changed },
  )
  await waitFor(() => latest(socket, 'relations')?.relations.tree.some(({ self }) => self))
  await waitFor(() => latest(socket, 'found')?.objects.some(({ name }) => name === 'moods'))
  await waitFor(() => latest(socket, 'overview')?.overview.counts.some(({ kind }) => kind === 'ConfigMap'))
})

test('a revision that is no longer kept is said, and not asked for in a loop', async () => {
  let lists = 0
  const client = cluster.client()
  const list = (async () => {
    lists++
    throw new StatusError({ code: 410, reason: 'Expired', message: 'too old' })
  }) as typeof client.list
  await assert.rejects(pastClient({ ...client, list }, '7').list(MAPS), /^Error: revision 7 is no longer kept$/)
  assert.equal(lists, 1)
})

test('another revision in place of the one before', async () => {
  using socket = openSocket(link, { type: 'object', id: 1, object: MOODS, at: created })
  const shownText = () =>
    latest(socket, 'object')
      ?.page.lines.map(([, text]) => text)
      .join()
  await waitFor(() => shownText()?.includes('calm'))
  socket.send({ type: 'object', id: 1, object: MOODS, at: changed })
  await waitFor(() => shownText()?.includes('wild'))
  socket.send({ type: 'object', id: 1, object: MOODS })
  await waitFor(() => latest(socket, 'error')?.message.includes('not found'))
})

let browser: TestBrowser | undefined
after(() => browser?.[Symbol.asyncDispose]())

for (const colorScheme of ['light', 'dark'] as const)
  test(`a revision is chosen by keyboard, kept by links, and left (${colorScheme})`, { skip }, async () => {
    browser ??= await openBrowser()
    await using tab = await browser.tab({ colorScheme })
    await tab.page.goto(link.href)
    await shows(tab, 'live')
    await tab.page.goto(new URL('/k/core/v1/configmaps?ns=default', link).href)
    await shows(tab, 'kube-root-ca.crt')
    await tab.page.keyboard.press('@')
    await shows(tab, `revision ${changed}`)
    await screenshot(tab.page, `past-choice-${colorScheme}`)
    assert.deepEqual(await axeFindings(tab.page), [])
    await click(tab, `revision ${created}`)
    await shows(tab, `as it was at revision ${created}`)
    await click(tab, 'moods')
    await shows(tab, 'today: calm')
    assert.equal(new URL(tab.page.url()).searchParams.get('at'), created)
    await screenshot(tab.page, `past-object-${colorScheme}`)
    assert.deepEqual(await axeFindings(tab.page), [])
    await tab.page.keyboard.press('e')
    await shows(tab, 'knows the present alone')
    await click(tab, 'Back to now')
    await until(tab.page, "!location.search.includes('at=')")
    assert.deepEqual(tab.faults, [])
  })
