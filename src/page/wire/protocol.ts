/** The subprotocol of the page's WebSocket. */
export const PROTOCOL = 'bowsprit-page.v1'

/** The key travels as a second subprotocol: a browser can set no header on a WebSocket, and an address would end up in logs. */
export const KEY_PREFIX = 'key.'

/** Whom to see the cluster as, in a third one: the name in hexadecimal, for subprotocols are tokens. */
export const USER_PREFIX = 'as.'

export const SOCKET_PATH = '/socket'

/** The document of a terminal, which is a frame of the page. */
export const TERMINAL_PATH = '/terminal.html'

/** The server sends a `tick` this often; a browser that has none for twice as long says that the connection is lost. */
export const TICK_MS = 1_000
