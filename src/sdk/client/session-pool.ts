import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type IncomingHttpHeaders,
  type SecureClientSessionOptions,
} from 'node:http2'

/** HTTP/2 connections to one origin: as many as its limit of concurrent streams calls for, replaced when they break. */
export interface SessionPool extends AsyncDisposable {
  request(headers: IncomingHttpHeaders, endStream: boolean): Promise<ClientHttp2Stream>
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

export function createSessionPool(origin: string, options: SecureClientSessionOptions): SessionPool {
  const slots = new Set<Slot>()
  let closed = false

  const openSlot = (): Slot => {
    const session = connect(origin, { ...options, settings: { initialWindowSize: STREAM_WINDOW_BYTES, enablePush: false } })
    const ready = new Promise<void>((resolve, reject) => {
      session.once('connect', () => {
        session.setLocalWindowSize(SESSION_WINDOW_BYTES)
        resolve()
      })
      session.once('error', reject)
      session.once('close', () => reject(new Error('the connection closed')))
    })
    ready.catch(() => {})
    const slot: Slot = { session, ready, streams: 0 }
    const drop = () => slots.delete(slot)
    session.on('error', drop)
    session.on('close', drop)
    session.on('goaway', drop)
    slots.add(slot)
    return slot
  }

  const pick = (): Slot => {
    for (const slot of slots) {
      const limit = Math.min(slot.session.remoteSettings?.maxConcurrentStreams ?? STREAMS_PER_SESSION, STREAMS_PER_SESSION)
      if (slot.streams < limit && !slot.session.closed && !slot.session.destroyed) return slot
    }
    return openSlot()
  }

  return {
    async request(headers, endStream) {
      if (closed) throw new Error('the transport was disposed of')
      const slot = pick()
      slot.streams++
      try {
        await slot.ready
        const stream = slot.session.request(headers, { endStream })
        slot.session.ref()
        stream.on('error', () => {})
        stream.once('close', () => {
          slot.streams--
          if (slot.streams === 0) slot.session.unref()
        })
        return stream
      } catch (error) {
        slot.streams--
        slots.delete(slot)
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
