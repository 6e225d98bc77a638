import type { Later } from '../../../base/steps.ts'
import { giveTurn } from '../../../base/turns.ts'
import { AS_GO, encodeJson } from '../../../machinery/json/strict-json.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { internalError, StatusError } from '../../../machinery/status-error.ts'
import type { Batch } from '../../cache/watchers.ts'
import { bookmark } from '../../handlers/read/bookmark.ts'
import type { Kinds } from '../../kinds.ts'
import { convert, convertAll } from '../../store/conversion.ts'
import type { WatchSession, WatchStep } from '../../store/watch-session.ts'
import { requestVersion } from '../../store/write.ts'
import type { Exchange } from '../exchange.ts'
import { PROTOBUF_TYPE } from './negotiate.ts'
import { bodyHeaders, type Form, type Rendering, storedBytesServe } from './rendering.ts'
import { includeObject, revisionOf, shapeObject, shownColumns, table } from './shape.ts'

/**
 * Writes a watch until it ends or the client goes away: frames are joined per turn of the event loop, and written no faster than the client
 * reads.
 */
export async function writeWatch(exchange: Exchange, session: WatchSession, rendering: Rendering): Promise<void> {
  try {
    if (rendering.format.as?.kind === 'Table') includeObject(rendering.call)
  } catch (error) {
    session.close()
    throw error
  }
  return new Promise((resolve, reject) => {
    const frames = frameWriter(rendering)
    const nextStep = rendering.format.as?.kind === 'Table' ? tableSteps(session, shownColumns(rendering.call).length) : () => session.next()
    const { counts } = rendering.call.request
    // No event is a list: the first one ends the watch.
    const isList = rendering.format.as?.kind === 'PartialObjectMetadataList'
    let blocked = false
    let busy = false
    let over = false
    const finish = () => {
      if (over) return
      over = true
      session.close()
      resolve()
    }
    const pump = async () => {
      if (busy || blocked || over) return
      busy = true
      for (;;) {
        const step = nextStep()
        if (step === undefined || over) break
        if (step.kind === 'end' || (isList && step.kind !== 'error')) {
          exchange.end()
          finish()
          break
        }
        const made = frames(step)
        const bytes = made instanceof Promise ? await made : made
        counts?.sent(step.kind === 'events' ? step.batch.events.length : 1, bytes.length)
        if (bytes.length > 0 && !exchange.write(bytes)) {
          blocked = true
          break
        }
      }
      busy = false
    }
    const run = () => {
      pump().catch(async (error: unknown) => {
        if (over) return
        // The stream has begun: the error is its last event.
        over = true
        session.close()
        try {
          exchange.write(await frames({ kind: 'error', status: statusOf(error) }))
          exchange.end()
          resolve()
        } catch {
          reject(error)
        }
      })
    }
    exchange.onClose(finish)
    exchange.onDrain(() => {
      blocked = false
      run()
    })
    session.onReady(run)
    const type = rendering.format.encoding === 'protobuf' ? `${PROTOBUF_TYPE};stream=watch` : 'application/json'
    exchange.start(200, bodyHeaders(rendering.headers, type))
    run()
  })
}

/** Most cells that are rendered before they are written. */
const MOST_CELLS = 2000

/** The steps of a watch of a table: rows of many columns are longer than their objects, so fewer of them are rendered together. */
function tableSteps(session: WatchSession, columns: number): () => WatchStep | undefined {
  const most = Math.ceil(MOST_CELLS / columns)
  let rest: Batch['events'] = []
  return () => {
    if (rest.length === 0) {
      const step = session.next()
      if (step?.kind !== 'events' || step.batch.events.length <= most) return step
      rest = step.batch.events
    }
    const events = rest.slice(0, most)
    rest = rest.slice(most)
    return { kind: 'events', batch: { events, memo: new Map() } }
  }
}

const statusOf = (error: unknown) => (error instanceof StatusError ? error : internalError(error)).status

export type Frames = (step: Exclude<WatchStep, { kind: 'end' }>) => Later<Buffer>

/** Bytes that are rendered before other work has its turn: rows of a table may be longer than their objects. */
const BYTES_PER_TURN = 256 * 1024

/** Renders the events of a watch as frames; watches with the same events and format share the bytes. */
export function frameWriter(rendering: Form): Frames {
  const { call, format } = rendering
  const wanted = requestVersion(call)
  const { definition } = call.served
  const direct = storedBytesServe(rendering)
  const frame = format.encoding === 'protobuf' ? protobufFrames(call.deps.kinds) : jsonFrame
  const key = `${wanted} ${format.encoding} ${format.as?.kind ?? ''} ${format.as?.version ?? ''} ${call.request.query.get('includeObject') ?? ''}`
  // The columns of a table are sent once, with the first object of the stream.
  let declared = format.as?.kind !== 'Table'
  const shape = (object: KubeObject): unknown => {
    if (format.as?.kind !== 'Table') return shapeObject(object, call, format)
    const columns = !declared
    declared = true
    return table(call, format.as.version, revisionOf(object), [object], columns)
  }
  const shaped = async ({ events }: Batch) => {
    const objects = await convertAll(
      definition,
      events.map((e) => e.item.object),
      wanted,
    ).catch((error: unknown) => namingTheBroken(events, error))
    const frames: Buffer[] = []
    let sinceTurn = 0
    for (const [i, event] of events.entries()) {
      if (sinceTurn >= BYTES_PER_TURN) {
        await giveTurn()
        sinceTurn = 0
      }
      const made = frame(event.type, shape(objects[i] ?? event.item.object))
      const bytes = made instanceof Promise ? await made : made
      frames.push(bytes)
      sinceTurn += bytes.length
    }
    return Buffer.concat(frames)
  }
  /** Concurrent renderings of one batch share a promise: fifty watchers cause one call of a conversion webhook. */
  const once = (batch: Batch): Later<Buffer> => {
    const name = declared ? key : `${key} with its columns`
    const known = batch.memo.get(name)
    if (known !== undefined) {
      declared = true
      return known
    }
    const made = shaped(batch)
    batch.memo.set(name, made)
    made.then(
      (bytes) => batch.memo.set(name, bytes),
      () => batch.memo.delete(name),
    )
    return made
  }
  /** If a batch cannot be converted, finds the first object that cannot be converted alone. */
  const namingTheBroken = async (events: Batch['events'], error: unknown): Promise<never> => {
    for (const { item } of events) {
      try {
        await convert(definition, item.object, wanted)
      } catch (own) {
        const { status } = own instanceof StatusError ? own : internalError(own)
        throw new StatusError({
          ...status,
          reason: status.reason ?? '',
          message: `${definition.names.plural} ${JSON.stringify(item.key)}: ${status.message}`,
        })
      }
    }
    throw error
  }
  return (step) => {
    if (step.kind === 'error') return frame('ERROR', step.status)
    if (step.kind === 'bookmark') return frame('BOOKMARK', shape(bookmark(call.served, wanted, step)))
    const { batch } = step
    if (!direct) return once(batch)
    const known = batch.memo.get(key)
    if (known !== undefined) return known
    const bytes = Buffer.concat(batch.events.flatMap((e) => [HEADS[e.type], e.item.json(), TAIL]))
    batch.memo.set(key, bytes)
    return bytes
  }
}

const HEADS = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
}
const TAIL = Buffer.from('}\n')

const jsonFrame = (type: string, object: unknown) => Buffer.from(`{"type":"${type}","object":${encodeJson(object, AS_GO)}}\n`)

const protobufFrames =
  (kinds: Kinds) =>
  async (type: string, object: unknown): Promise<Buffer> => {
    const [{ jsonToProtobuf }, { encodeWatchFrame }] = await Promise.all([
      import('../../handlers/body/protobuf.ts'),
      import('../../../machinery/protobuf/envelope.ts'),
    ])
    return encodeWatchFrame(type, jsonToProtobuf(kinds, object as JsonObject))
  }
