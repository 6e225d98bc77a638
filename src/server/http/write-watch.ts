import type { KubeObject } from '../../machinery/object.ts'
import type { Status } from '../../machinery/status-error.ts'
import { requestVersion } from '../handlers/call.ts'
import { convert, storageApiVersion } from '../handlers/conversion.ts'
import type { WatchSession, WatchStep } from '../handlers/watch-session.ts'
import type { ViewEvent } from '../registry/cache-event.ts'
import { toJson } from '../registry/object-bytes.ts'
import type { Exchange } from './exchange.ts'
import type { Rendering } from './write-answer.ts'

/** Writes a watch until it ends or the client goes away: frames joined per turn, and no more than the client takes. */
export function writeWatch(exchange: Exchange, session: WatchSession, rendering: Rendering): Promise<void> {
  return new Promise((resolve) => {
    const frames = frameWriter(rendering)
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
        const step = session.next()
        if (step === undefined || over) break
        if (step.kind === 'end') {
          exchange.end()
          finish()
          break
        }
        const made = frames(step)
        const bytes = made instanceof Promise ? await made : made
        if (bytes.length > 0 && !exchange.write(bytes)) {
          blocked = true
          break
        }
      }
      busy = false
    }
    exchange.onClose(finish)
    exchange.onDrain(() => {
      blocked = false
      void pump()
    })
    session.onReady(() => void pump())
    exchange.start(200, { ...rendering.headers, 'content-type': 'application/json', 'cache-control': 'no-cache, private' })
    void pump()
  })
}

type Frames = (step: Exclude<WatchStep, { kind: 'end' }>) => Buffer | Promise<Buffer>

function frameWriter({ call, format }: Rendering): Frames {
  const wanted = requestVersion(call)
  const { definition } = call.served
  const direct = format.as === undefined && format.encoding === 'json' && storageApiVersion(call.deps.definitions, definition) === wanted
  const key = `${wanted} ${format.encoding} ${format.as?.kind ?? ''}`
  const frame = async (event: ViewEvent) => {
    const object = await convert(definition, event.item.object, wanted)
    return Buffer.from(`{"type":"${event.type}","object":${toJson(object)}}\n`)
  }
  return (step) => {
    if (step.kind === 'error') return Buffer.from(errorFrame(step.status))
    if (step.kind === 'bookmark')
      return Buffer.from(`{"type":"BOOKMARK","object":${toJson(bookmark(definition.names.kind, wanted, step))}}\n`)
    const { batch } = step
    const known = batch.memo.get(key)
    if (known !== undefined) return known
    if (direct) {
      const bytes = Buffer.concat(batch.events.flatMap((e) => [HEADS[e.type], e.item.json(), TAIL]))
      batch.memo.set(key, bytes)
      return bytes
    }
    return Promise.all(batch.events.map(frame)).then((parts) => {
      const bytes = Buffer.concat(parts)
      batch.memo.set(key, bytes)
      return bytes
    })
  }
}

const HEADS = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
}
const TAIL = Buffer.from('}\n')

const errorFrame = (status: Status) => `{"type":"ERROR","object":${JSON.stringify(status)}}\n`

/** The object of a bookmark: nothing but a revision. */
export function bookmark(kind: string, apiVersion: string, step: { readonly revision: number; readonly initial: boolean }): KubeObject {
  const annotations = step.initial ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}
  return { kind, apiVersion, metadata: { resourceVersion: String(step.revision), ...annotations } }
}
