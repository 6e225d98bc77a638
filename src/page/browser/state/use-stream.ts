import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { ServerMessage } from '../../wire/messages.ts'
import { openStream, type Request, type Stream } from './connection.ts'
import { atRevision } from './route.ts'

/** What can be read as it was. */
const OF_PAST: ReadonlySet<Request['type']> = new Set(['rows', 'object', 'relations', 'overview', 'find'])

const atShownRevision = (request: Request): Request =>
  atRevision.value === '' || !OF_PAST.has(request.type) ? request : ({ ...request, at: atRevision.value } as Request)

/** The latest message about a request, while the component is shown; another request replaces the one before. */
export function useStream(wanted: Request | undefined): Signal<ServerMessage | undefined> {
  const request = wanted && atShownRevision(wanted)
  const latest = useSignal<ServerMessage | undefined>(undefined)
  const stream = useRef<Stream>(undefined)
  const text = JSON.stringify(request)
  // Not `useEffect`, which waits for the next picture: a filter would be sent a frame later.
  useLayoutEffect(() => {
    if (request === undefined) {
      stream.current?.end()
      stream.current = undefined
      latest.value = undefined
    } else if (stream.current === undefined) {
      stream.current = openStream(request, (message) => {
        latest.value = message
      })
    } else stream.current.ask(request)
  }, [text])
  useEffect(() => () => stream.current?.end(), [])
  return latest
}
