import { setTimeout as sleep } from 'node:timers/promises'
import { type OpenWatch, outcomeOf, type Stage } from './fault-stage.ts'
import type { FaultStory } from './fault-story.ts'
import { differenceOfWatch, type NoteStep, type RequestStep } from './recorded-step.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const EVENTS = '/api/v1/namespaces/default/events'
/** The revision of the first list in the recording. */
const RECORDED = '212'
/** How long a new watch is read. */
const WATCHED_MS = 1500

/** What the story of a compaction noted at its beginning. */
const noted: { revision: string; watches: readonly OpenWatch[] } = { revision: '', watches: [] }

/** Another client compacts etcd under watches, continue tokens and exact lists. */
const compacted: FaultStory = {
  async begin(stage) {
    const { server } = stage
    for (let i = 0; i < 9; i++) await server.request('POST', MAPS, { metadata: { name: `c${i}` }, data: {} })
    const { body } = await server.request('GET', `${MAPS}?limit=3`)
    noted.revision = (body as { readonly metadata: { readonly resourceVersion: string } }).metadata.resourceVersion
    noted.watches = [MAPS, EVENTS].map((at) => stage.openWatch(watchFrom(at, noted.revision)))
    await Promise.all(noted.watches.map(({ opened }) => opened))
    for (let i = 0; i < 30; i++) await server.request('PATCH', `${MAPS}/c0`, { data: { i: String(i) } })
    await compactAll(stage)
    await sleep(WATCHED_MS)
  },
  translate: (step) => ({ ...step, do: withRevision(step, noted.revision) }),
  async onNote(stage, { note }) {
    if (!note.startsWith('after a restart')) return
    await stage.server.stop()
    await stage.startServer()
  },
  async judge(stage, step) {
    const { note, watch, cached, events } = step
    if (cached !== undefined && events !== undefined) return differenceOfOpen({ cached, events })
    if (watch === undefined) return undefined
    // How much of the past is kept differs; that a watch from revision 1 is answered, or refused, does not.
    if (note.endsWith('revision 1')) return undefined
    return differenceOfWatch(watch, await stage.watched(watchFrom(note.includes('without') ? EVENTS : MAPS, noted.revision), WATCHED_MS))
  },
}

function differenceOfOpen({ cached, events }: Required<Pick<NoteStep, 'cached' | 'events'>>): string | undefined {
  for (const [i, want] of [cached, events].entries()) {
    const open = noted.watches[i]
    const difference = open && differenceOfWatch(want, outcomeOf(open))
    open?.close()
    if (difference !== undefined) return difference
  }
  return undefined
}

/** The server sleeps while etcd moves on and is compacted. */
const whilePaused: FaultStory = {
  async begin(stage) {
    const { server, etcd } = stage
    await server.request('POST', MAPS, { metadata: { name: 'b' }, data: {} })
    const { kvs } = await etcd.range('/registry/configmaps/default/b')
    noted.watches = [stage.openWatch(`${MAPS}?watch=1`)]
    await Promise.all(noted.watches.map(({ opened }) => opened))
    server.signal('SIGSTOP')
    // More than the connection's buffers hold.
    for (let i = 0; i < 20_000; i++) await etcd.put('/registry/configmaps/default/b', kvs[0]?.value ?? '')
    await compactAll(stage)
    server.signal('SIGCONT')
    await sleep(5000)
  },
  async judge(_, { watch }) {
    const [open] = noted.watches
    if (watch === undefined || open === undefined) return undefined
    const { ended, events } = open
    // Either it has got every event, or it was ended so that its client lists anew.
    return ended !== undefined || events.length >= 20_002 ? undefined : `want an end or every event, got ${events.length}`
  },
}

async function compactAll({ etcd }: Stage): Promise<void> {
  const { revision } = await etcd.range('none')
  await etcd.compact(revision)
}

const watchFrom = (at: string, revision: string) => `${at}?watch=1&resourceVersion=${revision}`

/** The request with another revision than the recorded one, also in its continue token. */
function withRevision({ do: request }: RequestStep, revision: string): string {
  return request
    .replaceAll(`resourceVersion=${RECORDED}`, `resourceVersion=${revision}`)
    .replace(/continue=([\w-]+)/, (_, token: string) => {
      const { rv: __, ...rest } = JSON.parse(Buffer.from(token, 'base64url').toString()) as { readonly rv: number }
      return `continue=${Buffer.from(JSON.stringify({ rv: Number(revision), ...rest })).toString('base64url')}`
    })
}

export const COMPACTION = { compacted, 'compacted-while-paused': whilePaused }
