/** A browser's end of the page's socket, for tests without a browser. */
import { WebSocket } from 'ws'
import type { ClientMessage, ServerMessage } from '../../src/page/wire/messages.ts'
import { KEY_PREFIX, PROTOCOL, SOCKET_PATH } from '../../src/page/wire/protocol.ts'
import type { RowPage, RowsQuery } from '../../src/page/wire/row-page.ts'

/** A socket of the page, until it is disposed of. */
export interface PageSocket extends Disposable {
  /** What the server has sent, the latest last. */
  readonly messages: readonly ServerMessage[]
  /** The length of the longest message, in characters. */
  readonly longest: number
  send(message: ClientMessage): void
}

/** Opens the page at a link, and sends the messages once it is open. */
export function openSocket({ host, origin, hash }: URL, ...first: readonly ClientMessage[]): PageSocket {
  const socket = new WebSocket(`ws://${host}${SOCKET_PATH}`, [PROTOCOL, `${KEY_PREFIX}${hash.slice(1)}`], { headers: { origin } })
  const messages: ServerMessage[] = []
  let longest = 0
  socket.on('message', (data) => {
    const text = String(data)
    longest = Math.max(longest, text.length)
    messages.push(JSON.parse(text) as ServerMessage)
  })
  const send = (message: ClientMessage) => socket.send(JSON.stringify(message))
  socket.on('open', () => first.forEach(send))
  socket.on('error', () => {})
  return {
    messages,
    get longest() {
      return longest
    },
    send,
    [Symbol.dispose]: () => socket.terminate(),
  }
}

/** The latest message of a type. */
export const latest = <T extends ServerMessage['type']>(
  { messages }: PageSocket,
  type: T,
): Extract<ServerMessage, { type: T }> | undefined =>
  messages.findLast((message): message is Extract<ServerMessage, { type: T }> => message.type === type)

const EVERYTHING: RowsQuery = {
  group: '',
  version: 'v1',
  resource: 'pods',
  namespace: '',
  labelSelector: '',
  fieldSelector: '',
  filter: '',
  sort: -1,
  descending: false,
  from: 0,
  count: 50,
}

/** Asks for rows; `at`: of a revision. */
export function askRows(link: URL, query: Partial<RowsQuery>, at?: string) {
  const socket = openSocket(link, { type: 'rows', id: 1, query: { ...EVERYTHING, ...query }, ...(at !== undefined && { at }) })
  const page = (): RowPage | undefined => latest(socket, 'rows')?.page
  return {
    messages: socket.messages,
    socket,
    page,
    names: () => page()?.rows.map(([, , name]) => name) ?? [],
    [Symbol.dispose]: () => socket[Symbol.dispose](),
  }
}
