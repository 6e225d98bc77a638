import { signal } from '@preact/signals'
import type { ClientMessage, ServerMessage } from '../../wire/messages.ts'
import { KEY_PREFIX, PROTOCOL, SOCKET_PATH, TICK_MS, USER_PREFIX } from '../../wire/protocol.ts'

/** What a view asks for; the connection adds the `id`. */
export type Request = ClientMessage extends infer Message ? (Message extends { id: number } ? Omit<Message, 'id'> : never) : never

/** A subscription, while a view is shown. */
export interface Stream {
  /** Replaces the question. */
  ask(request: Request): void
  /** Something for it that is not asked again when the connection comes back. */
  tell(message: Request): void
  end(): void
}

interface Open {
  request: Request
  readonly receive: (message: ServerMessage) => void
}

/** `refused`: the server does not know the key, or another page speaks to it. */
export const connectionState = signal<'connecting' | 'live' | 'lost' | 'refused'>('connecting')
/** When the connection was lost, by this machine's clock. */
export const lostAtMs = signal(0)
export const clusterName = signal('')
export const serverAddress = signal('')
/** Nothing can be written from here. */
export const readOnly = signal(true)
/** Whose view of the cluster is shown; `''`: that of the page's own user. */
export const viewedUser = signal('')
export const canViewAs = signal(false)
/** How far the cluster's clock is ahead of this machine's: a virtual clock may be anywhere. */
const clockOffsetMs = signal(0)
/** The cluster's time, to the second: what ages are counted from. */
export const nowMs = signal(Date.now())

const streams = new Map<number, Open>()
const BACK_OFF_MS = [200, 500, 1_000, 2_000, 5_000]
/** Without a sign of life for so long the connection counts as lost; after the second span another one is opened. */
const SILENT_MS = 2 * TICK_MS
const GIVE_UP_MS = 5_000

let socket: WebSocket | undefined
let lastId = 0
let attempts = 0
let wasOpen = false
let silence: ReturnType<typeof setTimeout> | undefined

export function openStream(request: Request, receive: (message: ServerMessage) => void): Stream {
  const id = ++lastId
  const open: Open = { request, receive }
  streams.set(id, open)
  send({ ...request, id } as ClientMessage)
  return {
    ask(next) {
      open.request = next
      send({ ...next, id } as ClientMessage)
    },
    tell(message) {
      send({ ...message, id } as ClientMessage)
    },
    end() {
      streams.delete(id)
      send({ type: 'cancel', id })
    },
  }
}

function send(message: ClientMessage): void {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message))
}

const calls = new Map<number, (message: ServerMessage | undefined) => void>()

/**
 * Asks once, never again by itself: for writes. Resolves with the answer; undefined if the connection was lost before it: it is not known
 * what was done.
 */
export function callOnce(request: Request): Promise<ServerMessage | undefined> {
  const id = ++lastId
  return new Promise((resolve) => {
    calls.set(id, (message) => {
      calls.delete(id)
      send({ type: 'cancel', id })
      resolve(message)
    })
    send({ ...request, id } as ClientMessage)
  })
}

const USER = 'bowsprit-user'

/** The user's name travels as a subprotocol, as the key does. */
function userProtocol(): readonly string[] {
  const user = sessionStorage.getItem(USER) ?? ''
  if (user === '') return []
  return [USER_PREFIX + Array.from(new TextEncoder().encode(user), (byte) => byte.toString(16).padStart(2, '0')).join('')]
}

/** Shows the cluster as that user sees it, in this tab; `''`: as the page's own. What is shown is asked for again. */
export function viewAs(user: string): void {
  sessionStorage.setItem(USER, user)
  location.reload()
}

/** Connects, and again whenever the connection is lost. */
export function connect(key: string): void {
  if (key === '') {
    connectionState.value = 'refused'
    return
  }
  const made = new WebSocket(`ws://${location.host}${SOCKET_PATH}`, [PROTOCOL, KEY_PREFIX + key, ...userProtocol()])
  socket = made
  made.addEventListener('message', ({ data }) => {
    if (socket === made) receive(JSON.parse(String(data)) as ServerMessage, key)
  })
  made.addEventListener('close', () => {
    if (socket === made) lost(key)
  })
}

function lost(key: string): void {
  clearTimeout(silence)
  socket = undefined
  for (const answer of [...calls.values()]) answer(undefined)
  if (connectionState.value === 'live') lostAtMs.value = Date.now()
  if (connectionState.value !== 'refused') connectionState.value = wasOpen ? 'lost' : 'connecting'
  void whyRefused()
  const waitMs = BACK_OFF_MS[Math.min(attempts++, BACK_OFF_MS.length - 1)] ?? 0
  setTimeout(() => connect(key), waitMs)
}

/** The server says nothing: it may be busy, stopped or gone. Closing a socket waits for the other side, so it is left behind. */
function fallSilent(key: string): void {
  lostAtMs.value = Date.now()
  connectionState.value = 'lost'
  silence = setTimeout(() => {
    const old = socket
    lost(key)
    old?.close()
  }, GIVE_UP_MS)
}

/** A browser does not say why a handshake failed: a server that answers, and opened no socket, has refused the key. */
async function whyRefused(): Promise<void> {
  const answered = await fetch('/icon.svg').then(
    (response) => response.ok,
    () => false,
  )
  if (answered && attempts > 1 && socket?.readyState !== WebSocket.OPEN) connectionState.value = 'refused'
}

function receive(message: ServerMessage, key: string): void {
  clearTimeout(silence)
  silence = setTimeout(() => fallSilent(key), SILENT_MS)
  switch (message.type) {
    case 'hello':
      attempts = 0
      wasOpen = true
      clusterName.value = message.cluster
      serverAddress.value = message.server
      readOnly.value = message.readOnly
      viewedUser.value = message.user
      canViewAs.value = message.canViewAs
      setClock(message.nowMs)
      connectionState.value = 'live'
      for (const [id, { request }] of streams) send({ ...request, id } as ClientMessage)
      return
    case 'tick':
      connectionState.value = 'live'
      setClock(message.nowMs)
      return
    default:
      streams.get(message.id)?.receive(message)
      calls.get(message.id)?.(message)
  }
}

function setClock(clusterMs: number): void {
  clockOffsetMs.value = clusterMs - Date.now()
  nowMs.value = clusterMs
}
