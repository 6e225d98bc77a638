import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type IncomingHttpHeaders,
  type SecureClientSessionOptions,
} from 'node:http2'
import type { Clock } from '../../base/clock.ts'
import { orAborted } from '../../base/on-abort.ts'
import { pause } from '../../base/pause.ts'
import { quiet, quietErrors } from '../../base/quiet.ts'
import type { Patience } from './patience.ts'

/** The server has not begun to process the request: it may be sent again, even if it writes. */
export class UnprocessedError extends Error {
  override readonly name = 'UnprocessedError'
  readonly code = 'unprocessed'
}

/** HTTP/2 connections to one origin: as many as its limit of concurrent streams calls for, replaced when they break. */
export interface SessionPool extends AsyncDisposable {
  /** Opens a stream. Rejects when no connection can be had, or when the signal is aborted before there is one. */
  request(headers: IncomingHttpHeaders, endStream: boolean, signal: AbortSignal): Promise<ClientHttp2Stream>
}

interface Slot {
  readonly session: ClientHttp2Session
  readonly ready: Promise<void>
  streams: number
}

const STREAM_WINDOW_BYTES = 1 << 20
const SESSION_WINDOW_BYTES = 1 << 24
/** Streams a connection carries before another is opened, whatever more the server allows. */
const STREAMS_PER_SESSION = 200

export function createSessionPool(
  origin: string,
  options: SecureClientSessionOptions,
  { clock, patience }: { readonly clock: Clock; readonly patience: Patience },
): SessionPool {
  const slots = new Set<Slot>()
  let closed = false

  const openSlot = (): Slot => {
    const session = connect(origin, { ...options, settings: { initialWindowSize: STREAM_WINDOW_BYTES, enablePush: false } })
    const ready = new Promise<void>((resolve, reject) => {
      session.once('connect', () => {
        // Given up in the very moment in which it came about.
        if (session.destroyed) return
        session.setLocalWindowSize(SESSION_WINDOW_BYTES)
        resolve()
      })
      session.once('error', reject)
      session.once('close', () => reject(new Error('the connection closed')))
    })
    void quiet(ready, 'it may fail before it is awaited')
    const slot: Slot = { session, ready, streams: 0 }
    const drop = () => slots.delete(slot)
    const giveUp = (why: string) => {
      drop()
      session.destroy(new Error(why))
    }
    const unconnected = clock.after(patience.connectMs, () => giveUp(`no connection within ${patience.connectMs} ms`))
    const forget = () => unconnected()
    ready.then(forget, forget)
    const asleep = new AbortController()
    session.once('close', () => asleep.abort())
    ready.then(
      () => keepAsking(slot, giveUp, asleep.signal),
      () => {},
    )
    session.on('error', drop)
    session.on('close', drop)
    session.on('goaway', drop)
    slots.add(slot)
    return slot
  }

  /** Pings a connection with open streams, until it is closed: a dead peer would otherwise leave a watch silent for ever. */
  const keepAsking = async (slot: Slot, giveUp: (why: string) => void, closed: AbortSignal) => {
    const { pingEveryMs, pingResponseMs } = patience
    while (!closed.aborted) {
      await pause(clock, pingEveryMs, closed)
      if (closed.aborted || slot.session.destroyed) return
      if (slot.streams === 0) continue
      const cancel = clock.after(pingResponseMs, () => giveUp(`the server gave no sign of life for ${pingResponseMs} ms`))
      slot.session.ping(() => cancel())
    }
  }

  const pick = (): Slot => {
    for (const slot of slots) {
      const limit = Math.min(slot.session.remoteSettings?.maxConcurrentStreams ?? STREAMS_PER_SESSION, STREAMS_PER_SESSION)
      if (slot.streams < limit && !slot.session.closed && !slot.session.destroyed) return slot
    }
    return openSlot()
  }

  return {
    async request(headers, endStream, signal) {
      if (closed) throw new Error('the transport was disposed of')
      const slot = pick()
      slot.streams++
      try {
        await orAborted(slot.ready, signal)
        // Its server has said goodbye meanwhile.
        if (slot.session.closed) throw new UnprocessedError('the connection is being closed')
        const stream = slot.session.request(headers, { endStream })
        slot.session.ref()
        quietErrors(stream, 'the close event follows')
        stream.once('close', () => {
          slot.streams--
          if (slot.streams === 0) slot.session.unref()
        })
        return stream
      } catch (error) {
        slot.streams--
        if (!signal.aborted) slots.delete(slot)
        throw error
      }
    },
    async [Symbol.asyncDispose]() {
      closed = true
      for (const slot of slots) slot.session.destroy()
      slots.clear()
    },
  }
}
